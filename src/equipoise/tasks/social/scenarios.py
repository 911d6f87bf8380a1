"""What a scenario is, and the scenarios that come with the package.

A scenario says who meets, what each side wants and knows, and the truth that scores are computed from. Four
families: ``price`` (one price), ``items`` (who gets what), ``times`` (one slot of a calendar), ``secrets``
(facts to learn and to keep, and where there are ``things``, one of them to be agreed on). A scenario of the
family ``open`` has no truth: imported ones, whose goals only a reader can judge.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from equipoise.errors import RequestError
from equipoise.tasks.choosing import choose as among_splits

__all__ = [
    "FAMILIES",
    "TURNS",
    "Fact",
    "Family",
    "Person",
    "Scenario",
    "Split",
    "choose",
    "read_scenarios",
    "scenarios",
]

Family = Literal["price", "items", "times", "secrets", "open"]
Split = Literal["train", "held_out", "hard"]
FAMILIES: tuple[Family, ...] = ("price", "items", "times", "secrets")
"""The families that come with the package."""

TURNS = 20
"""Most turns of an episode, both sides together (SOTOPIA's limit)."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Fact(_Strict):
    """Something that only one side knows.

    Attributes:
        text: The fact as its owner is told it.
        say: A sentence with which the owner tells it.
        topic: What one would ask to hear it, as in "tell me about TOPIC".
        keys: Ways to recognise it: each is a set of word beginnings that one sentence must hold (below four
            letters: words); ``not`` asks for a negation, which otherwise must not be there.
        secret: Whether the owner wants it kept.
        cost: Points that telling it costs the owner.
        worth: Points that hearing it brings the other side.
    """

    text: str = Field(min_length=1)
    say: str = Field(min_length=1)
    topic: str = Field(min_length=1)
    keys: tuple[tuple[str, ...], ...] = Field(min_length=1)
    secret: bool = False
    cost: float = Field(0.0, ge=0.0)
    worth: float = Field(0.0, ge=0.0)


class Person(_Strict):
    """One side.

    Attributes:
        name: The name the side speaks under.
        role: Who it is, as both know.
        character: A line of character, as both know.
        goal: What it wants, as it is told.
        knows: Private remarks without consequence for scores.
        facts: Private facts that can be told.
        target: The best it hopes for: a price; elsewhere in points, None for the most there is.
        limit: What it has without a deal: a price, or points.
        values: Points by thing, in the order of ``things``; 0 for what it cannot use.
    """

    name: str = Field(min_length=1, pattern=r"^[^\W\d_][\w'. -]*$")
    role: str
    character: str = ""
    goal: str = Field(min_length=1)
    knows: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    target: float | None = None
    limit: float = 0.0
    values: tuple[float, ...] = ()


class Scenario(_Strict):
    """Two people, a setting and the truth.

    Attributes:
        id: Unique name.
        family: What is agreed on or learnt.
        split: What it may be used for.
        setting: What both know from the start.
        people: The two sides, by seat.
        turns: Most turns, both sides together.
        first: The seat that begins.
        currency: ``$``, ``€`` or ``£`` (family ``price``).
        seller: The seat that sells (family ``price``).
        things: Items, slots (``Tue 10:00``) or choices; other names of one follow after ``|``.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")
    family: Family
    split: Split = "train"
    setting: str = Field(min_length=1)
    people: tuple[Person, Person]
    turns: int = Field(TURNS, ge=2, le=TURNS)
    first: int = Field(0, ge=0, le=1)
    currency: Literal["$", "€", "£"] = "$"
    seller: int = Field(0, ge=0, le=1)
    things: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _holds_together(self) -> Scenario:
        one, two = self.people
        if one.name.casefold() == two.name.casefold():
            raise ValueError(f"both people are called {one.name!r}")
        if self.family == "price":
            self._check_price()
        if self.family in ("items", "times") and len(self.things) < 2:
            raise ValueError(f"family {self.family} needs at least two things")
        for person in self.people:
            if self.family != "price" and len(person.values) != len(self.things):
                raise ValueError(
                    f"{person.name} has {len(person.values)} values for {len(self.things)} things"
                )
        if self.family == "secrets" and not any(
            fact.worth for person in self.people for fact in person.facts
        ):
            raise ValueError("family secrets needs a fact that is worth something")
        return self

    def _check_price(self) -> None:
        seller, buyer = self.people[self.seller], self.people[1 - self.seller]
        if seller.target is None or buyer.target is None:
            raise ValueError("family price needs a target for both people")
        if not seller.target > seller.limit or not buyer.target < buyer.limit:
            raise ValueError("a seller's target lies above its limit, a buyer's below")

    def __hash__(self) -> int:
        """Hash by identifier: equal scenarios share theirs, and readings are kept by scenario."""
        return hash(self.id)

    @property
    def names(self) -> tuple[str, str]:
        """The names by seat."""
        return self.people[0].name, self.people[1].name

    @property
    def labels(self) -> tuple[str, ...]:
        """The things by their first names."""
        return tuple(thing.split("|")[0] for thing in self.things)


def read_scenarios(text: str, source: str) -> tuple[Scenario, ...]:
    """Read scenarios from TOML with a list ``scenario``.

    Raises:
        RequestError: It is no TOML, or a scenario is not as it must be; the message names it.
    """
    try:
        rows = tomllib.loads(text)["scenario"]
        return tuple(Scenario.model_validate(row) for row in rows)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise RequestError(f"{source!r} is no list of scenarios: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "scenario"
        name = first["input"].get("id", "?") if isinstance(first["input"], dict) else first["input"]
        raise RequestError(f"{source!r}: {where} of {name!r}: {first['msg']}") from None


@cache
def scenarios() -> tuple[Scenario, ...]:
    """Return all scenarios that come with the package, in a fixed order."""
    folder = files("equipoise.tasks.social").joinpath("data")
    found: list[Scenario] = []
    for family in FAMILIES:
        name = f"{family}.toml"
        found += read_scenarios(folder.joinpath(name).read_text(encoding="utf-8"), name)
    return tuple(found)


def choose(
    among: Sequence[Scenario], split: Split, families: Iterable[str] = (), only: Iterable[str] = ()
) -> tuple[Scenario, ...]:
    """Return the scenarios of a split, or of all splits those that are named.

    Args:
        among: All scenarios.
        split: The split; not looked at where ``only`` names scenarios.
        families: Families to keep; all if empty.
        only: Identifiers to keep; all of the split if empty.

    Raises:
        RequestError: A scenario does not exist, or none is left.
    """
    return among_splits(among, split, families, only, "scenario")
