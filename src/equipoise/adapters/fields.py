"""What a seat knows as numbers: one field of ``decision.info`` after the other, all within [0, 1].

A word is one of several columns (1 where it stands, 0 elsewhere). What happens once a round has columns for
every round there can be; those of rounds that are still to come are 0. Numbers are counted from 1 up before
they are scaled, so that a 0 that was said is not taken for a round to come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Field", "Number", "Past", "Progress", "Word", "encode"]

Info = Mapping[str, Any]


class Field(Protocol):
    """One part of what a seat knows."""

    @property
    def size(self) -> int:
        """Number of columns."""
        ...

    def write(self, info: Info) -> list[float]:
        """Return the columns, each in [0, 1]."""
        ...


def encode(fields: Sequence[Field], info: Info) -> list[float]:
    """Return the columns of all fields, in order."""
    return [value for field in fields for value in field.write(info)]


@dataclass(frozen=True, slots=True)
class Progress:
    """Which round it is, as a share of all there can be; above 0 from the first."""

    rounds: int
    size: int = 1

    def write(self, info: Info) -> list[float]:
        """Return (round + 1) / rounds."""
        return [(info["round"] + 1) / self.rounds]


@dataclass(frozen=True, slots=True)
class Word:
    """A value that is one of a few.

    Attributes:
        key: Its key in ``info``; empty if the value is handed in, as an entry of :class:`Past`.
        words: The values there are.
    """

    key: str
    words: tuple[Any, ...]

    @property
    def size(self) -> int:
        """One column a word."""
        return len(self.words)

    def write(self, info: Info) -> list[float]:
        """Return 1 in the column of the word."""
        return self.columns(info[self.key])

    def columns(self, value: Any) -> list[float]:
        """Return 1 in the column of a value."""
        return [float(value == word) for word in self.words]


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number from 0 to ``most``, or several.

    Attributes:
        key: Its key in ``info``; empty if the value is handed in.
        most: The largest there is.
        count: How many numbers the value has.
    """

    key: str
    most: int
    count: int = 1

    @property
    def size(self) -> int:
        """One column a number."""
        return self.count

    def write(self, info: Info) -> list[float]:
        """Return (number + 1) / (most + 1) for each."""
        return self.columns(info[self.key])

    def columns(self, value: Any) -> list[float]:
        """Return the columns of a value."""
        numbers = value if isinstance(value, tuple) else (value,)
        return [(number + 1) / (self.most + 1) for number in numbers]


@dataclass(frozen=True, slots=True)
class Past:
    """A value for each finished round.

    Attributes:
        key: Its key in ``info``.
        rounds: Rounds there can be.
        entries: What a round's value is made of: the value itself, or its parts in order.
    """

    key: str
    rounds: int
    entries: tuple[Word | Number, ...]

    @property
    def size(self) -> int:
        """The columns of a round, for every round."""
        return self.rounds * sum(entry.size for entry in self.entries)

    def write(self, info: Info) -> list[float]:
        """Return the columns of the finished rounds, then 0 for the rounds to come."""
        found: list[float] = []
        for value in info[self.key]:
            parts = (value,) if len(self.entries) == 1 else value
            for entry, part in zip(self.entries, parts, strict=True):
                found += entry.columns(part)
        return found + [0.0] * (self.size - len(found))
