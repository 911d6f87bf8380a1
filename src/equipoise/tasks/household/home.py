"""A home: rooms, doors, places and the things in them, read from lines of text.

A line is a room: its name, a colon, and its places, each with what lies there::

    kitchen: counter = bread, knife; cabinet* = mug; fridge* = milk; sink

A star marks a place that can be opened and is closed at first. Places and things are numbered by kind in
the order in which they are written, over the whole home: ``cabinet 1``, ``cabinet 2``.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from equipoise.tasks.household.kinds import is_light

__all__ = ["Home", "Place", "Thing", "hops", "read_home"]

_WORD = re.compile(r"[a-z]+(?:[ -][a-z]+)*")


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere things can be.

    Attributes:
        name: Kind and number.
        kind: What it is.
        room: Number of its room.
        closes: Whether it can be opened and closed; such places are closed at first.
    """

    name: str
    kind: str
    room: int
    closes: bool


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that can be carried, or a light.

    Attributes:
        name: Kind and number.
        kind: What it is.
        place: Number of the place where it is at first.
        light: Whether it stays where it is and can be toggled.
    """

    name: str
    kind: str
    place: int
    light: bool


@dataclass(frozen=True)
class Home:
    """Rooms, doors, places and things; everything is referred to by its number.

    Attributes:
        rooms: Names of the rooms; one starts in the first.
        doors: By room the rooms next to it, in order.
        places: The places.
        things: The things.
    """

    rooms: tuple[str, ...]
    doors: tuple[tuple[int, ...], ...]
    places: tuple[Place, ...]
    things: tuple[Thing, ...]

    @cached_property
    def place_names(self) -> Mapping[str, int]:
        """The places by name."""
        return {place.name: k for k, place in enumerate(self.places)}

    @cached_property
    def thing_names(self) -> Mapping[str, int]:
        """The things by name."""
        return {thing.name: k for k, thing in enumerate(self.things)}

    @cached_property
    def room_names(self) -> Mapping[str, int]:
        """The rooms by name."""
        return {room: k for k, room in enumerate(self.rooms)}

    def in_room(self, room: int) -> tuple[int, ...]:
        """Return the places of a room."""
        return self._by_room[room]

    @cached_property
    def _by_room(self) -> tuple[tuple[int, ...], ...]:
        return tuple(
            tuple(k for k, place in enumerate(self.places) if place.room == room)
            for room in range(len(self.rooms))
        )


@lru_cache(maxsize=1024)
def read_home(lines: tuple[str, ...], doors: tuple[tuple[str, str], ...]) -> Home:
    """Return the home that lines describe.

    Args:
        lines: One line a room.
        doors: Pairs of rooms that a door joins; without any, all rooms open on the first.

    Raises:
        ValueError: A line is not as it must be, or a room cannot be reached; the message names it.
    """
    rooms: list[str] = []
    places: list[Place] = []
    things: list[Thing] = []
    counts: Counter[str] = Counter()
    for line in lines:
        room, colon, rest = line.partition(":")
        if not colon or not _WORD.fullmatch(room.strip()) or room.strip() in rooms:
            raise ValueError(f"{line!r} does not begin with the name of a new room and a colon")
        rooms.append(room.strip())
        for part in rest.split(";"):
            head, _, content = part.partition("=")
            closes, kind = "*" in head, head.replace("*", "").strip()
            places.append(Place(_numbered(kind, counts), kind, len(rooms) - 1, closes))
            for thing in (one.strip() for one in content.split(",") if one.strip()):
                things.append(Thing(_numbered(thing, counts), thing, len(places) - 1, is_light(thing)))
    _check_kinds(rooms, places, things)
    return Home(tuple(rooms), _doors(rooms, doors), tuple(places), tuple(things))


def _numbered(kind: str, counts: Counter[str]) -> str:
    if not _WORD.fullmatch(kind):
        raise ValueError(f"{kind!r} is no name: use small letters")
    counts[kind] += 1
    return f"{kind} {counts[kind]}"


def _check_kinds(rooms: Sequence[str], places: Sequence[Place], things: Sequence[Thing]) -> None:
    """Refuse a word that would mean two sorts of thing."""
    place_kinds, thing_kinds = {place.kind for place in places}, {thing.kind for thing in things}
    both = (place_kinds & thing_kinds) | (set(rooms) & (place_kinds | thing_kinds))
    if both:
        raise ValueError(f"{sorted(both)[0]!r} is used for two sorts of thing")


def _doors(rooms: Sequence[str], pairs: Iterable[tuple[str, str]]) -> tuple[tuple[int, ...], ...]:
    joined = list(pairs) or [(rooms[0], other) for other in rooms[1:]]
    near: list[set[int]] = [set() for _ in rooms]
    for one, two in joined:
        for name in (one, two):
            if name not in rooms:
                raise ValueError(f"a door leads to {name!r}, which is no room")
        near[rooms.index(one)].add(rooms.index(two))
        near[rooms.index(two)].add(rooms.index(one))
    doors = tuple(tuple(sorted(rooms_near)) for rooms_near in near)
    for number, room in enumerate(rooms):
        if number and not hops(doors, 0, number):
            raise ValueError(f"{room!r} cannot be reached from {rooms[0]!r}")
    return doors


@lru_cache(maxsize=65_536)
def hops(doors: tuple[tuple[int, ...], ...], start: int, goal: int) -> tuple[int, ...]:
    """Return the rooms to walk through from one room to another, the last one being the goal.

    Empty if one is there already, and if there is no way.
    """
    before: dict[int, int] = {start: start}
    queue = deque([start])
    while queue and goal not in before:
        room = queue.popleft()
        for near in doors[room]:
            if near not in before:
                before[near] = room
                queue.append(near)
    if goal not in before:
        return ()
    way: list[int] = []
    while goal != start:
        way.append(goal)
        goal = before[goal]
    return tuple(reversed(way))
