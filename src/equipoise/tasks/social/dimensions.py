"""The seven dimensions of a dialogue (SOTOPIA), and who may judge them.

A rule can compute goal, material benefit, knowledge and secret from the truth; the others are not applicable
to it and come from an evaluator that reads, a language model for instance. The overall score is the plain
mean of the seven and exists only where all seven do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Protocol

from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.scoring import BEST, Result, points, score, target
from equipoise.tasks.social.terms import terms_of
from equipoise.types import Seat

__all__ = ["RANGES", "Dialogue", "Dimensions", "Evaluator", "RuleEvaluator"]

RANGES: Mapping[str, tuple[float, float]] = {
    "believability": (0.0, 10.0),
    "relationship": (-5.0, 5.0),
    "knowledge": (0.0, 10.0),
    "secret": (-10.0, 0.0),
    "social_rules": (-10.0, 0.0),
    "material": (-5.0, 5.0),
    "goal": (0.0, 10.0),
}
"""The range of each dimension."""


@dataclass(frozen=True, slots=True)
class Dimensions:
    """One side's scores; None where not applicable.

    Attributes:
        believability: Whether it acted naturally and in character.
        relationship: What became of the relationship.
        knowledge: What it learnt.
        secret: What it gave away of its secrets; 0 is nothing.
        social_rules: Which norms it broke; 0 is none.
        material: What it gained or lost.
        goal: How far it reached its goal.
    """

    believability: float | None = None
    relationship: float | None = None
    knowledge: float | None = None
    secret: float | None = None
    social_rules: float | None = None
    material: float | None = None
    goal: float | None = None

    def __post_init__(self) -> None:
        """Check the ranges: an evaluator that leaves them is wrong, not generous."""
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise ValueError(f"{name} = {value!r} lies outside [{low:g}, {high:g}]")

    @property
    def overall(self) -> float | None:
        """The plain mean of the seven, or None where one is not applicable."""
        values = [getattr(self, one.name) for one in fields(self)]
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if len(known) == len(values) else None

    def to_json(self) -> dict[str, float | None]:
        """Return the dimensions with the overall score."""
        return {**asdict(self), "overall": self.overall}


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A finished dialogue, as an evaluator gets it.

    Attributes:
        scenario: The scenario, truth included.
        turns: Who said what, as (seat, text); text is data.
        result: What it came to by the rules.
    """

    scenario: Scenario
    turns: tuple[tuple[Seat, str], ...]
    result: Result


class Evaluator(Protocol):
    """Judges a finished dialogue: by rule, or by reading it."""

    name: str

    def evaluate(self, dialogues: Sequence[Dialogue]) -> list[tuple[Dimensions, Dimensions]]:
        """Return the dimensions of both sides of each dialogue, in order."""
        ...


class RuleEvaluator:
    """Computes what follows from the truth, exactly; the rest is not applicable."""

    name = "rule"

    def evaluate(self, dialogues: Sequence[Dialogue]) -> list[tuple[Dimensions, Dimensions]]:
        """Return the dimensions of both sides of each dialogue."""
        return [(_judge(one, 0), _judge(one, 1)) for one in dialogues]


def _judge(dialogue: Dialogue, seat: Seat) -> Dimensions:
    scenario, result = dialogue.scenario, dialogue.result
    own, other = scenario.people[seat].facts, scenario.people[1 - seat].facts
    secrets = [k for k, fact in enumerate(own) if fact.secret]
    worth = sum(fact.worth for fact in other if not fact.secret)
    heard = sum(other[k].worth for k in sorted(result.told[1 - seat]))
    hoped, has = target(scenario, seat), points(scenario, seat, result)
    return Dimensions(
        knowledge=BEST * min(1.0, heard / worth) if worth else None,
        secret=-10.0 * len(result.told[seat] & set(secrets)) / len(secrets) + 0.0 if secrets else None,
        material=5.0 * max(-1.0, min(1.0, has / hoped)) if terms_of(scenario).deals() else None,
        goal=score(scenario, seat, result) if hoped > 0.0 else None,
    )
