"""What a world is, and the worlds that come with the package: a home, a wish, and what fulfils it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from equipoise.errors import RequestError
from equipoise.tasks.choosing import choose as among_splits
from equipoise.tasks.household.home import Home, read_home
from equipoise.tasks.household.kinds import APPLIANCES, Family, serves

__all__ = ["TURNS", "Split", "World", "choose", "read_worlds", "worlds"]

Split = Literal["train", "held_out", "hard"]

TURNS = 40
"""Most steps of an episode."""

_FILES = ("train.toml", "held_out.toml", "hard.toml")


class World(BaseModel):
    """A home and a wish.

    Attributes:
        id: Unique name.
        split: What it may be used for.
        family: What has to be done.
        task: The wish in words; it names the kinds of ``thing`` and ``place``.
        thing: The kind of thing that is wanted.
        place: The kind of place it has to be put; empty for ``examine``.
        home: The rooms, one line each (see ``home``).
        doors: Pairs of rooms joined by a door; without any, all rooms open on the first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")
    split: Split = "train"
    family: Family
    task: str = Field(min_length=1)
    thing: str
    place: str = ""
    home: tuple[str, ...] = Field(min_length=1)
    doors: tuple[tuple[str, str], ...] = ()

    def __hash__(self) -> int:
        """Hash by identifier: equal worlds share theirs."""
        return hash(self.id)

    @property
    def layout(self) -> Home:
        """The home."""
        return read_home(self.home, self.doors)

    @model_validator(mode="after")
    def _can_be_done(self) -> World:
        home = self.layout
        wanted = [thing for thing in home.things if thing.kind == self.thing]
        if len(wanted) < (2 if self.family == "two" else 1):
            raise ValueError(f"too few {self.thing!r} in the home")
        if any(thing.light for thing in wanted):
            raise ValueError(f"{self.thing!r} is a light and cannot be carried")
        kinds = {place.kind for place in home.places}
        if self.family == "examine":
            if not any(thing.light for thing in home.things):
                raise ValueError("there is no light to examine anything in")
        elif self.place not in kinds:
            raise ValueError(f"there is no {self.place!r} to put anything")
        elif any(home.places[thing.place].kind == self.place for thing in wanted):
            raise ValueError(f"a {self.thing!r} is in a {self.place!r} already")
        if self.family in APPLIANCES and not any(serves(kind, self.family) for kind in kinds):
            raise ValueError(f"there is nothing to {self.family} a {self.thing!r} with")
        for word in (self.thing, self.place):
            if word not in self.task:
                raise ValueError(f"the task does not name the {word!r}")
        return self


def read_worlds(text: str, source: str) -> tuple[World, ...]:
    """Read worlds from TOML with a list ``world``.

    Raises:
        RequestError: It is no TOML, or a world is not as it must be; the message names it.
    """
    try:
        rows = tomllib.loads(text)["world"]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise RequestError(f"{source!r} is no list of worlds: {error}") from None
    return tuple(_read(row, source) for row in rows)


def _read(row: object, source: str) -> World:
    name = row.get("id", "?") if isinstance(row, dict) else row
    try:
        return World.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ")
        raise RequestError(f"{source!r}: world {name!r}: {f'{where}: ' if where else ''}{reason}") from None


@cache
def worlds() -> tuple[World, ...]:
    """Return all worlds that come with the package, in a fixed order."""
    folder = files("equipoise.tasks.household").joinpath("data")
    found: list[World] = []
    for name in _FILES:
        found += read_worlds(folder.joinpath(name).read_text(encoding="utf-8"), name)
    return tuple(found)


def choose(
    among: Sequence[World], split: Split, families: Iterable[str] = (), only: Iterable[str] = ()
) -> tuple[World, ...]:
    """Return the worlds of a split, or of all splits those that are named.

    Args:
        among: All worlds.
        split: The split; not looked at where ``only`` names worlds.
        families: Families to keep; all if empty.
        only: Identifiers to keep; all of the split if empty.

    Raises:
        RequestError: A world does not exist, or none is left.
    """
    return among_splits(among, split, families, only, "world")
