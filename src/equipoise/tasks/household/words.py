"""What one is told about rooms, places and things."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from equipoise.tasks.household.state import State

__all__ = ["hand", "listed", "place", "room", "summary", "thing"]


def listed(names: Iterable[str]) -> str:
    """Return names as a list in a sentence."""
    found = list(names)
    return ", ".join(found[:-1]) + f" and {found[-1]}" if len(found) > 1 else "".join(found)


def room(state: State) -> str:
    """Return what one sees from the middle of a room, or at the place one stands at."""
    home = state.home
    around = listed(f"{home.places[k].name}" for k in home.in_room(state.room))
    doors = listed(f"the {home.rooms[k]}" for k in home.doors[state.room])
    said = f"You are in the {home.rooms[state.room]}. In it you see: {around}."
    if doors:
        said += f" From here one can go to {doors}."
    if state.at is not None:
        said += f" You are at the {home.places[state.at].name}. {place(state, state.at)}"
    return said


def place(state: State, number: int) -> str:
    """Return whether a place is open, and what is there."""
    one = state.home.places[number]
    if state.shut(number):
        return "It is closed."
    things = listed(_told(state, k) for k in state.content(number))
    return f"{'It is open. ' if one.closes else ''}There you see: {things or 'nothing'}."


def thing(state: State, number: int) -> str:
    """Return what is to be said of a thing."""
    one = state.home.things[number]
    if one.light:
        return f"The {one.name} is {'on' if number in state.lit else 'off'}."
    traits = listed(sorted(state.traits[number]))
    light = any(k in state.lit for k in state.shown)
    return f"The {one.name} looks {traits or 'as usual'}{', in good light' if light else ''}."


def hand(state: State) -> str:
    """Return what is in hand."""
    held = state.held
    return "You carry nothing." if held is None else f"You carry: {_told(state, held)}."


def summary(state: State) -> tuple[str, ...]:
    """Return where one is, what is around, what is in reach, and what is in hand, a sentence each."""
    home = state.home
    around = listed(home.places[k].name for k in home.in_room(state.room))
    doors = listed(home.rooms[k] for k in home.doors[state.room])
    said = [f"Room: {home.rooms[state.room]}; in it: {around}{f'; next to it: {doors}' if doors else ''}."]
    if state.at is not None:
        said.append(f"At: {home.places[state.at].name}. {place(state, state.at)}")
    return (*said, hand(state))


def _told(state: State, number: int) -> str:
    one = state.home.things[number]
    if one.light:
        return f"{one.name} ({'on' if number in state.lit else 'off'})"
    traits = ", ".join(sorted(state.traits[number]))
    return f"{one.name} ({traits})" if traits else one.name
