"""The actor that knows where everything is: the shortest errand."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from equipoise.tasks.household.commands import Command, say
from equipoise.tasks.household.goals import ready, wanted
from equipoise.tasks.household.home import hops
from equipoise.tasks.household.kinds import APPLIANCES, serves
from equipoise.tasks.household.state import State
from equipoise.tasks.household.worlds import World

__all__ = ["next_goal", "shortest"]

Stop = tuple[str, int, int]
"""What to do (take, put, use, clean, heat, cool), with which thing, at which place."""


def shortest(world: World, state: State) -> str:
    """Return the next command of a shortest errand from here."""
    plans = list(_plans(world, state))
    return _next(state, min(plans, key=lambda plan: _length(state, plan))[0]) if plans else "look"


def next_goal(world: World, state: State) -> Stop | None:
    """Return the next stop of a shortest errand from here; None if nothing is left to do."""
    plans = list(_plans(world, state))
    return min(plans, key=lambda plan: _length(state, plan))[0] if plans else None


def _plans(world: World, state: State) -> Iterable[tuple[Stop, ...]]:
    """Yield the ways to bring the next thing where it belongs."""
    home, held = state.home, state.held
    if held is not None and home.things[held].kind != world.thing:
        yield from ((("put", held, place),) for place in home.in_room(state.room))
        return
    things = (held,) if held is not None else _left(world, state)
    if world.family == "examine":
        ends = [("use", k, where) for k, where in enumerate(state.where) if home.things[k].light]
        middles: list[Stop | None] = [None]
    else:
        ends = [("put", -1, k) for k, place in enumerate(home.places) if place.kind == world.place]
        middles = [None]
        if world.family in APPLIANCES:
            family = world.family
            middles = [(family, -1, k) for k, place in enumerate(home.places) if serves(place.kind, family)]
    for thing, middle, end in product(things, middles, ends):
        place, plan = state.where[thing], list[Stop]()
        if place is not None:
            plan.append(("take", thing, place))
        if middle is not None and not ready(world, state, thing):
            plan.append((middle[0], thing, middle[2]))
        verb, light, where = end
        assert where is not None
        plan.append((verb, light if verb == "use" else thing, where))
        yield tuple(plan)


def _left(world: World, state: State) -> tuple[int, ...]:
    """Return the things that still have to be brought."""

    def there(thing: int) -> bool:
        place = state.where[thing]
        return place is not None and state.home.places[place].kind == world.place

    return tuple(k for k in wanted(world, state) if not (there(k) and ready(world, state, k)))


def _length(state: State, plan: tuple[Stop, ...]) -> int:
    """Return the number of commands of a plan."""
    room, at, count = state.room, state.at, 0
    opened: set[int] = set()
    for verb, thing, place in plan:
        goal = state.home.places[place].room
        count += len(hops(state.home.doors, room, goal)) + (at != place)
        if verb in ("take", "put", "use") and state.shut(place) and place not in opened:
            opened.add(place)
            count += 1
        count += not (verb == "use" and thing in state.lit)
        room, at = goal, place
    return count


def _next(state: State, stop: Stop) -> str:
    verb, thing, place = stop
    home = state.home
    room, name = home.places[place].room, home.places[place].name
    if room != state.room:
        return say(Command("go", home.rooms[hops(home.doors, state.room, room)[0]]))
    if state.at != place:
        return say(Command("go", name))
    if verb in ("take", "put", "use") and state.shut(place):
        return say(Command("open", name))
    if verb == "use":
        return say(Command("use", home.things[thing].name))
    return say(Command(verb, home.things[thing].name, name))  # type: ignore[arg-type]
