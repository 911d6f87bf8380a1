"""A coach that knows where everything is: what an ideal strategist would say, a sentence a step."""

from __future__ import annotations

from equipoise.tasks.household.actors.oracle import next_goal
from equipoise.tasks.household.actors.situation import situation
from equipoise.tasks.household.home import hops
from equipoise.types import Decision

__all__ = ["informed"]

_SAYS = {
    "clean": "Wash it at the {place} in the {room}.",
    "heat": "Heat it with the {place} in the {room}.",
    "cool": "Cool it in the {place} in the {room}.",
    "put": "Put it on the {place} in the {room}.",
}


def informed(decision: Decision) -> str:
    """Return what a coach who knows the home says at a decision of the task ``household``."""
    now = situation(decision)
    stop = next_goal(now.world, now.state)
    if stop is None:
        return "Look around."
    verb, thing, place = stop
    room = now.home.places[place].room
    if room not in now.state.rooms:
        return f"Go to the {now.home.rooms[hops(now.home.doors, now.state.room, room)[0]]}."
    where = {"place": now.home.places[place].name, "room": now.home.rooms[room]}
    if verb not in _SAYS and thing not in now.state.seen:
        return "Look inside the {place} in the {room}.".format(**where)
    if verb == "take":
        return f"Pick up the {now.home.things[thing].name}."
    if verb == "use":
        return f"Turn on the {now.home.things[thing].name}."
    return _SAYS[verb].format(**where)
