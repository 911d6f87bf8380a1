"""How an actor looks for what it has not seen."""

from __future__ import annotations

from collections.abc import Iterable

from equipoise.tasks.household.actors import moves
from equipoise.tasks.household.actors.situation import Situation
from equipoise.tasks.household.actors.style import Style
from equipoise.tasks.household.commands import Command, say

__all__ = ["explore", "search", "wander"]

LEAVES = 0.2
"""How often an actor that does not remember where it was goes to another room."""


def explore(now: Situation, style: Style, rooms: bool = False) -> str:
    """Return the next command of a search.

    Args:
        now: The situation.
        style: How to search.
        rooms: Whether only rooms that one has not been in can help.
    """
    if not style.remembers:
        return _astray(now, style)
    if not rooms and (step := search(now, style, now.known)) is not None:
        return step
    return _new_room(now) or search(now, style, now.known) or "look"


def search(now: Situation, style: Style, places: Iterable[int]) -> str | None:
    """Return the next command to search one of some places, this room's first; None if all are searched."""
    at = now.state.at
    left = [k for k in places if k not in now.state.searched and not _passed(now, style, k)]
    if at in left and now.state.shut(at):
        return say(Command("open", now.home.places[at].name))
    here = [k for k in left if now.home.places[k].room == now.state.room]
    if here:
        return moves.walk(now, min(here, key=lambda k: now.draws.once(f"order {k}")))
    reached = [k for k in left if now.way(now.home.places[k].room)]
    if not reached:
        return None
    return moves.walk(
        now, min(reached, key=lambda k: (len(now.way(now.home.places[k].room)), now.draws.once(f"order {k}")))
    )


def wander(now: Situation) -> str:
    """Return a command that comes to mind: a place or a room to go to, or a look around."""
    around = [now.home.places[k].name for k in now.home.in_room(now.state.room) if k != now.state.at]
    ideas = ["look", "inventory", *(f"go to {name}" for name in around)]
    return ideas[int(now.draws.uniform("idea") * len(ideas))]


def _passed(now: Situation, style: Style, place: int) -> bool:
    """Tell whether one would leave a closed place closed; open ones are never passed by."""
    return now.state.shut(place) and not now.draws.once(f"open {place}") < style.opens


def _new_room(now: Situation) -> str | None:
    """Return the next command on the way to the nearest room one has not been in."""
    unseen = [k for k in range(len(now.home.rooms)) if k not in now.state.rooms and now.way(k)]
    if not unseen:
        return None
    return moves.enter(now, min(unseen, key=lambda k: (len(now.way(k)), now.draws.once(f"room {k}"))))


def _astray(now: Situation, style: Style) -> str:
    """Return a step of somebody who does not remember where it has been."""
    at, doors = now.state.at, now.home.doors[now.state.room]
    if at is not None and now.state.shut(at) and now.draws.uniform("open") < style.opens:
        return say(Command("open", now.home.places[at].name))
    if doors and now.draws.uniform("leave") < LEAVES:
        return f"go to {now.home.rooms[doors[int(now.draws.uniform('door') * len(doors))]]}"
    around = [k for k in now.home.in_room(now.state.room) if k != at]
    if not around:
        return f"go to {now.home.rooms[doors[0]]}" if doors else "look"
    return f"go to {now.home.places[around[int(now.draws.uniform('around') * len(around))]].name}"
