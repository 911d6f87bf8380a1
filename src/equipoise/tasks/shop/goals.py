"""Goals: an instruction, the product it was written for, and what a purchase is scored by.

A goal has no price cap until its deal is drawn: the cap is a draw of the episode, so that nothing before the
seed fixes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from equipoise.errors import RequestError
from equipoise.tasks.choosing import of_split
from equipoise.tasks.shop.catalogue import Catalogue, Product

__all__ = [
    "SPLITS",
    "Goal",
    "Split",
    "Wanted",
    "cap_of",
    "check_goals",
    "choose",
    "goals",
    "read_goals",
    "steps",
]

Split = Literal["train", "held_out", "hard"]
SPLITS: tuple[Split, ...] = ("train", "held_out", "hard")


class Goal(BaseModel):
    """What is asked for.

    Attributes:
        id: Its identifier.
        product: Identifier of the product it was written for.
        say: The instruction, without the price.
        attributes: What the product must have.
        options: What must be chosen, as (name, value); the name is empty where it is not known.
        split: Whether it is for training, held out, or hard.
        capped: Whether a price cap is drawn.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    product: str
    say: str = Field(min_length=1)
    attributes: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    split: Split = "train"
    capped: bool = True


@dataclass(frozen=True, slots=True)
class Wanted:
    """A goal in an episode.

    Attributes:
        goal: The goal.
        product: The product it was written for.
        cap: The highest price that is in order, in dollars; infinite if there is none.
    """

    goal: Goal
    product: Product
    cap: float

    @property
    def instruction(self) -> str:
        """What the seat is told."""
        say = self.goal.say.strip().rstrip(".")
        return f"{say}, and price lower than {self.cap:.2f} dollars" if self.cap < float("inf") else say


def steps(price: float) -> tuple[float, ...]:
    """Return the four caps that a product of a price may get: the next round figures above it."""
    width = 2.0 if price < 20.0 else 5.0 if price < 100.0 else 10.0 if price < 300.0 else 50.0
    first = (price // width + 1.0) * width
    return tuple(first + k * width for k in range(4))


def cap_of(price: float, draw: float) -> float:
    """Return the cap that belongs to a draw in [0, 1)."""
    found = steps(price)
    return found[min(int(draw * len(found)), len(found) - 1)]


@cache
def goals() -> tuple[Goal, ...]:
    """Return the package's goals."""
    text = files("equipoise.tasks.shop").joinpath("data", "goals.jsonl").read_text(encoding="utf-8")
    return read_goals(json.loads(one) for one in text.splitlines() if one.strip())


def read_goals(source: Iterable[Mapping[str, Any]]) -> tuple[Goal, ...]:
    """Return goals from plain data.

    Raises:
        RequestError: One is not a goal, or an identifier stands twice.
    """
    found: dict[str, Goal] = {}
    for row in source:
        try:
            one = Goal.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise RequestError(f"goal {row.get('id')!r}: {where}: {first['msg'].casefold()}") from None
        if one.id in found:
            raise RequestError(f"goal {one.id!r} stands twice: rename one of them")
        found[one.id] = one
    return tuple(found.values())


def check_goals(catalogue: Catalogue, source: Sequence[Goal]) -> None:
    """Check that every goal's product exists and belongs to one split.

    Raises:
        RequestError: A product does not exist, or is asked for in two splits.
    """
    splits: dict[str, Goal] = {}
    for one in source:
        key = one.product.casefold()
        if key not in catalogue.by_id:
            raise RequestError(f"goal {one.id!r} asks for product {one.product!r}, which the catalogue lacks")
        other = splits.setdefault(key, one)
        if other.split != one.split:
            raise RequestError(
                f"product {one.product!r} is asked for in two splits, {other.split} ({other.id}) and "
                f"{one.split} ({one.id}): leave one of them out"
            )


def choose(source: Sequence[Goal], split: Split, only: Sequence[str] = ()) -> tuple[Goal, ...]:
    """Return the goals of a split, or those that are named.

    Raises:
        RequestError: A name does not exist, or nothing is left.
    """
    found = of_split(source, split, only, "goal")
    if not found:
        raise RequestError(f"no goal is in split {split!r}: choose another one")
    return found
