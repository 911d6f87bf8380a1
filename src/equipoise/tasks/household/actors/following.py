"""How an actor does what its coach asks for; what cannot be done now is left aside."""

from __future__ import annotations

from collections.abc import Iterator

from equipoise.tasks.household.actors import moves
from equipoise.tasks.household.actors.searching import search
from equipoise.tasks.household.actors.situation import Situation
from equipoise.tasks.household.actors.style import Style
from equipoise.tasks.household.goals import ready
from equipoise.tasks.household.intents import Intent
from equipoise.tasks.household.kinds import APPLIANCES

__all__ = ["follow"]


def follow(now: Situation, style: Style) -> str | None:
    """Return the command that the newest advice leads to, or None if it asks for nothing that can be done.

    What is asked for in one breath is done in the order of an errand: take, process, put, light, open,
    search.
    """
    return next((step for step in _steps(now, style) if step is not None), None)


def _steps(now: Situation, style: Style) -> Iterator[str | None]:
    asked = now.advice.now
    if Intent.TAKE in asked:
        yield _take(now)
    for verb in APPLIANCES:
        if Intent(verb) in asked:
            yield _process(now, verb)
    if Intent.PUT in asked:
        yield _put(now)
    if Intent.LIGHT in asked:
        yield _light(now)
    if Intent.OPEN in asked:
        yield _open(now)
    if Intent.SEARCH in asked:
        yield _search(now, style)
    if Intent.LOOK in asked:
        yield "look"


def _take(now: Situation) -> str | None:
    """Fetch what is named, or what the errand is about, where it has been seen."""
    if now.state.held is not None:
        return None
    kinds = now.advice.things or {now.world.thing}
    places: dict[int, int] = {}
    for k in sorted(now.state.seen):
        one, place = now.home.things[k], now.state.where[k]
        if place is None or one.light or not {one.kind, one.name} & kinds:
            continue
        if now.home.places[place].kind != now.world.place or not ready(now.world, now.state, k):
            places.setdefault(place, k)
    place = now.nearest(tuple(places))
    return None if place is None else moves.fetch(now, places[place])


def _process(now: Situation, verb: str) -> str | None:
    held, usable = now.state.held, now.appliances(verb)
    if held is None:
        return None
    if verb == now.world.family and ready(now.world, now.state, held):
        return None
    place = now.nearest(tuple(k for k in usable if k in _named(now)) or usable)
    if place is not None:
        return moves.process(now, verb, place)
    return _room(now)


def _put(now: Situation) -> str | None:
    """Put what is in hand where the coach says, or where it belongs; once it is as it has to be."""
    held = now.state.held
    if held is None:
        return None
    verb = now.world.family
    waits = verb in APPLIANCES and Intent(verb) in now.advice.now and not ready(now.world, now.state, held)
    if waits:
        return None
    named = tuple(k for k in now.known if k in _named(now))
    usable = tuple(k for k in named if k in now.targets()) or named or now.targets()
    place = now.nearest(usable)
    return _room(now) if place is None else moves.put(now, place)


def _light(now: Situation) -> str | None:
    if now.world.family == "examine" and now.state.held is None:
        return None
    lights = {k: now.state.where[k] for k in now.state.seen if now.home.things[k].light}
    place = now.nearest(tuple(where for where in lights.values() if where is not None))
    if place is None:
        return None
    return moves.toggle(now, next(k for k, where in lights.items() if where == place))


def _open(now: Situation) -> str | None:
    at = now.state.at
    if at is not None and now.state.shut(at):
        return moves.opened(now, at)
    named = tuple(k for k in now.known if k in _named(now) and now.state.shut(k))
    place = now.nearest(named)
    return None if place is None else moves.opened(now, place)


def _search(now: Situation, style: Style) -> str | None:
    """Search what is named: places one knows, else the room, else the way to it."""
    named = _named(now)
    if now.advice.places:
        wished = tuple(k for k in now.known if k in named)
        at = now.state.at
        if at in wished and now.state.shut(at):
            return moves.opened(now, at)
        left = tuple(k for k in wished if k not in now.state.searched)
        if (place := now.nearest(left)) is not None:
            return moves.opened(now, place)
    if (step := _room(now)) is not None:
        return step
    rooms = {now.home.room_names[room] for room in now.advice.rooms}
    inside = [k for k in now.known if now.home.places[k].room in rooms]
    return search(now, style, inside) if inside and not now.advice.places else None


def _room(now: Situation) -> str | None:
    """Return the next command on the way to a room the coach names and one is not in."""
    for room in sorted(now.advice.rooms):
        if now.home.room_names[room] != now.state.room:
            return moves.enter(now, now.home.room_names[room])
    return None


def _named(now: Situation) -> frozenset[int]:
    """Return the places the coach names; in the room it names, if it names one."""
    found = {k for k, one in enumerate(now.home.places) if {one.kind, one.name} & now.advice.places}
    rooms = {now.home.room_names[room] for room in now.advice.rooms}
    inside = {k for k in found if now.home.places[k].room in rooms}
    return frozenset(inside or found)
