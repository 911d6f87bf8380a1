"""A step of an honest actor: what the coach asks for, else what the errand needs next, else search."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.tasks.household.actors import moves
from equipoise.tasks.household.actors.following import follow
from equipoise.tasks.household.actors.searching import explore, wander
from equipoise.tasks.household.actors.situation import Situation
from equipoise.tasks.household.actors.style import Style, advised
from equipoise.tasks.household.goals import ready, wanted
from equipoise.tasks.household.kinds import APPLIANCES

__all__ = ["act"]


def act(now: Situation, style: Style) -> str:
    """Return the command of an actor of a style, its coach's advice heeded."""
    style = advised(style, now)
    if (step := follow(now, style)) is not None:
        return step
    if now.draws.uniform("dither") < style.dither:
        return wander(now)
    return pursue(now, style)


def pursue(now: Situation, style: Style) -> str:
    """Return the next command towards what is wished for, by what has been seen."""
    held, family = now.state.held, now.world.family
    if held is None:
        place = now.nearest(tuple(_places(now)))
        found = None if place is None else _thing_at(now, place)
        return explore(now, style) if found is None else moves.fetch(now, found) or explore(now, style)
    if now.home.things[held].kind != now.world.thing:
        return moves.drop(now) or explore(now, style)
    if family == "examine":
        return _light(now, style)
    if _must_process(now, held, style):
        return _at(now, now.appliances(family), family, style)
    return _at(now, now.targets(), "put", style)


def _places(now: Situation) -> Sequence[int]:
    """Return the places where things that are wanted have been seen and still have to be fetched."""
    found = []
    for thing in wanted(now.world, now.state):
        place = now.state.where[thing]
        if thing not in now.state.seen or place is None:
            continue
        there = now.home.places[place].kind == now.world.place
        if not there or not ready(now.world, now.state, thing):
            found.append(place)
    return found


def _thing_at(now: Situation, place: int) -> int | None:
    things = [k for k in wanted(now.world, now.state) if now.state.where[k] == place and k in now.state.seen]
    return things[0] if things else None


def _must_process(now: Situation, held: int, style: Style) -> bool:
    if now.world.family not in APPLIANCES or ready(now.world, now.state, held):
        return False
    return now.draws.once("process") < style.processes


def _at(now: Situation, places: tuple[int, ...], verb: str, style: Style) -> str:
    place = now.nearest(places)
    if place is None:
        return explore(now, style, rooms=True)
    step = moves.put(now, place) if verb == "put" else moves.process(now, verb, place)
    return step or explore(now, style)


def _light(now: Situation, style: Style) -> str:
    lights = {k: now.state.where[k] for k in now.state.seen if now.home.things[k].light}
    place = now.nearest(tuple(where for where in lights.values() if where is not None))
    if place is None:
        return explore(now, style)
    light = next(k for k, where in lights.items() if where == place)
    return moves.toggle(now, light) or explore(now, style)
