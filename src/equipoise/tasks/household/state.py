"""What is where, and what a command does to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from equipoise.tasks.household import words
from equipoise.tasks.household.commands import Command, say
from equipoise.tasks.household.home import Home
from equipoise.tasks.household.kinds import PROCESSES, TRAITS, serves

__all__ = ["NOTHING", "State"]

NOTHING = "Nothing happens."
"""What any command that cannot be done says."""


class State:
    """The home as it is now; one hand, so one thing is carried at a time.

    Attributes:
        home: The home.
        room: The room one is in.
        at: The place one stands at, or None in the middle of the room.
        open: The places that can be closed and are open.
        where: The place of each thing, or None for the one in hand.
        traits: What each thing is: clean, hot or cold; hot and cold exclude each other.
        lit: The lights that are on.
        seen: The things that have been seen.
        searched: The places whose content has been seen.
        rooms: The rooms one has been in.
    """

    def __init__(self, home: Home) -> None:
        """Start in the middle of the first room, with everything shut and off."""
        self.home = home
        self.room, self.at = 0, None
        self.open: set[int] = set()
        self.where: list[int | None] = [thing.place for thing in home.things]
        self.traits: list[set[str]] = [set() for _ in home.things]
        self.lit: set[int] = set()
        self.seen: set[int] = set()
        self.searched: set[int] = set()
        self.rooms: set[int] = {0}

    at: int | None

    @property
    def held(self) -> int | None:
        """The thing in hand."""
        return self.where.index(None) if None in self.where else None

    def shut(self, place: int) -> bool:
        """Tell whether a place is closed."""
        return self.home.places[place].closes and place not in self.open

    def content(self, place: int) -> tuple[int, ...]:
        """Return what lies at a place, seen or not."""
        return tuple(k for k, where in enumerate(self.where) if where == place)

    @property
    def shown(self) -> tuple[int, ...]:
        """What one sees at the place one stands at."""
        return () if self.at is None or self.shut(self.at) else self.content(self.at)

    def do(self, command: Command) -> str:
        """Carry a command out and return what one is told; :data:`NOTHING` if it cannot be done."""
        said = _DO[command.verb](self, command)
        if self.at is not None and not self.shut(self.at):
            self.searched.add(self.at)
            self.seen.update(self.shown)
        return said

    def _go(self, command: Command) -> str:
        place, room = self.home.place_names.get(command.first), self.home.room_names.get(command.first)
        if place is not None and self.home.places[place].room == self.room and place != self.at:
            self.at = place
            return f"You arrive at the {command.first}. {words.place(self, place)}"
        if room is not None and room in self.home.doors[self.room]:
            self.room, self.at = room, None
            self.rooms.add(room)
            return words.room(self)
        return NOTHING

    def _take(self, command: Command) -> str:
        thing = self._here(command.first, command.second)
        if thing is None or self.held is not None or self.home.things[thing].light:
            return NOTHING
        self.where[thing] = None
        return f"You take the {command.first} from the {command.second}."

    def _put(self, command: Command) -> str:
        thing, place = self.home.thing_names.get(command.first), self._standing(command.second)
        if thing is None or thing != self.held or place is None or self.shut(place):
            return NOTHING
        self.where[thing] = place
        return f"You move the {command.first} to the {command.second}."

    def _open(self, command: Command) -> str:
        place = self._standing(command.first)
        if place is None or not self.shut(place):
            return NOTHING
        self.open.add(place)
        return f"You open the {command.first}. {words.place(self, place)}"

    def _close(self, command: Command) -> str:
        place = self._standing(command.first)
        if place is None or place not in self.open:
            return NOTHING
        self.open.remove(place)
        return f"You close the {command.first}."

    def _process(self, command: Command) -> str:
        thing, place = self.home.thing_names.get(command.first), self._standing(command.second)
        if thing is None or thing != self.held or place is None:
            return NOTHING
        if not serves(self.home.places[place].kind, command.verb):
            return NOTHING
        if command.verb != "clean":
            self.traits[thing] -= {"hot", "cold"}
        self.traits[thing].add(TRAITS[command.verb])
        return f"You {command.verb} the {command.first} using the {command.second}."

    def _use(self, command: Command) -> str:
        thing = self.home.thing_names.get(command.first)
        if thing is None or not self.home.things[thing].light or thing not in self.shown:
            return NOTHING
        self.lit ^= {thing}
        return f"You turn the {command.first} {'on' if thing in self.lit else 'off'}."

    def _examine(self, command: Command) -> str:
        thing, place = self.home.thing_names.get(command.first), self._standing(command.first)
        if place is not None:
            return words.place(self, place)
        if thing is not None and (thing == self.held or thing in self.shown):
            return words.thing(self, thing)
        return NOTHING

    def _look(self, command: Command) -> str:
        return words.room(self)

    def _inventory(self, command: Command) -> str:
        return words.hand(self)

    def _standing(self, name: str) -> int | None:
        """Return the place of a name if one stands at it."""
        place = self.home.place_names.get(name)
        return place if place is not None and place == self.at else None

    def _here(self, thing: str, place: str) -> int | None:
        """Return the thing of a name if one sees it at the place one stands at."""
        number = self.home.thing_names.get(thing)
        return number if self._standing(place) is not None and number in self.shown else None

    def options(self) -> tuple[str, ...]:
        """Return the commands that do something now, in a fixed order."""
        return tuple(say(command) for command in self._possible())

    def _possible(self) -> Iterator[Command]:
        home, held = self.home, self.held
        for place in home.in_room(self.room):
            if place != self.at:
                yield Command("go", home.places[place].name)
        for room in home.doors[self.room]:
            yield Command("go", home.rooms[room])
        if self.at is not None:
            yield from self._possible_at(self.at, held)
        yield Command("look")
        yield Command("inventory")
        if held is not None:
            yield Command("examine", home.things[held].name)

    def _possible_at(self, at: int, held: int | None) -> Iterator[Command]:
        home, place = self.home, self.home.places[at]
        if place.closes:
            yield Command("open" if self.shut(at) else "close", place.name)
        for thing in self.shown:
            if home.things[thing].light:
                yield Command("use", home.things[thing].name)
            elif held is None:
                yield Command("take", home.things[thing].name, place.name)
            yield Command("examine", home.things[thing].name)
        if held is not None:
            if not self.shut(at):
                yield Command("put", home.things[held].name, place.name)
            for verb in PROCESSES:
                if serves(place.kind, verb):
                    yield Command(verb, home.things[held].name, place.name)
        yield Command("examine", place.name)


_DO: Mapping[str, Callable[[State, Command], str]] = {
    "go": State._go,
    "take": State._take,
    "put": State._put,
    "open": State._open,
    "close": State._close,
    "heat": State._process,
    "cool": State._process,
    "clean": State._process,
    "use": State._use,
    "examine": State._examine,
    "look": State._look,
    "inventory": State._inventory,
}
