"""Small steps that every actor is made of: walking to a place, opening it, fetching, putting."""

from __future__ import annotations

from equipoise.tasks.household.actors.situation import Situation
from equipoise.tasks.household.commands import Command, say

__all__ = ["drop", "enter", "fetch", "process", "put", "toggle", "walk"]


def walk(now: Situation, place: int) -> str | None:
    """Return the next command on the way to a place; None if one is there or knows no way."""
    room = now.home.places[place].room
    if room != now.state.room:
        return enter(now, room)
    return None if now.state.at == place else say(Command("go", now.home.places[place].name))


def enter(now: Situation, room: int) -> str | None:
    """Return the next command on the way to a room; None if one is there or knows no way."""
    way = now.way(room)
    return say(Command("go", now.home.rooms[way[0]])) if way else None


def opened(now: Situation, place: int) -> str | None:
    """Return the next command until one stands at a place that is not closed; None if so."""
    if (step := walk(now, place)) is not None:
        return step
    return say(Command("open", now.home.places[place].name)) if now.state.shut(place) else None


def fetch(now: Situation, thing: int) -> str | None:
    """Return the next command until a thing is in hand, its place being known."""
    place = now.state.where[thing]
    if place is None:
        return None
    step = opened(now, place)
    return step or say(Command("take", now.home.things[thing].name, now.home.places[place].name))


def process(now: Situation, verb: str, place: int) -> str | None:
    """Return the next command until the thing in hand is cleaned, heated or cooled at a place."""
    held = now.state.held
    if held is None:
        return None
    names = now.home.things[held].name, now.home.places[place].name
    return walk(now, place) or f"{verb} {names[0]} with {names[1]}"


def put(now: Situation, place: int) -> str | None:
    """Return the next command until the thing in hand is at a place."""
    held = now.state.held
    if held is None:
        return None
    step = opened(now, place)
    return step or say(Command("put", now.home.things[held].name, now.home.places[place].name))


def drop(now: Situation) -> str | None:
    """Return the next command until the hand is empty: put it down here, or at the first place around."""
    here = now.state.at
    if here is None or now.state.shut(here):
        flat = [k for k in now.home.in_room(now.state.room) if not now.state.shut(k)]
        here = flat[0] if flat else now.home.in_room(now.state.room)[0]
    return put(now, here)


def toggle(now: Situation, light: int) -> str | None:
    """Return the next command until one stands by a light that is on."""
    place = now.state.where[light]
    assert place is not None
    if (step := opened(now, place)) is not None:
        return step
    return None if light in now.state.lit else say(Command("use", now.home.things[light].name))
