"""Scores from the truth: what a side has, of what it hoped for.

Points are a surplus over the side's limit (what it has without a deal), plus what the facts it heard are
worth to it, less what the facts it told cost it. The goal score is the share of the target that the points
reach, from 0 to 10. No deal and nothing told or heard is 0 points; a deal beyond the limit is below 0 and
scores 0 too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.terms import Deal, terms_of
from equipoise.types import Seat

__all__ = ["BEST", "Result", "avoidable_loss", "points", "score", "target"]

BEST = 10.0
"""The best goal score."""

_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Result:
    """What a dialogue came to.

    Attributes:
        deal: What was agreed on, or None.
        told: The numbers of the facts that each seat told.
    """

    deal: Deal | None = None
    told: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())


def target(scenario: Scenario, seat: Seat) -> float:
    """Return the points a seat hopes for: the target of a deal, and all open facts of the other side."""
    heard = sum(fact.worth for fact in scenario.people[1 - seat].facts if not fact.secret)
    return terms_of(scenario).target(seat) + heard


def points(scenario: Scenario, seat: Seat, result: Result) -> float:
    """Return the points of a seat."""
    gained = 0.0 if result.deal is None else terms_of(scenario).points(seat, result.deal)
    own, other = scenario.people[seat].facts, scenario.people[1 - seat].facts
    cost = sum(own[k].cost for k in sorted(result.told[seat]))
    return gained + sum(other[k].worth for k in sorted(result.told[1 - seat])) - cost


def score(scenario: Scenario, seat: Seat, result: Result) -> float:
    """Return the goal score of a seat, 0 to 10; 0 where the scenario has no truth."""
    hoped = target(scenario, seat)
    return BEST * min(1.0, max(0.0, points(scenario, seat, result) / hoped)) if hoped > 0.0 else 0.0


@lru_cache(maxsize=4096)
def avoidable_loss(scenario: Scenario, seat: Seat, result: Result) -> float:
    """Return what the other side lost in vain, as a share of its best score: the externality of a seat.

    It is the most by which the other side's score could be higher with the seat's own points no lower, over
    all deals and all that could still have been told. A failed deal that would have helped both counts, and
    so does one that left value on the table; a hard bargain that shifts value does not.
    """
    own, other = points(scenario, seat, result), score(scenario, 1 - seat, result)
    best = max(
        score(scenario, 1 - seat, one)
        for one in _outcomes(scenario, result)
        if points(scenario, seat, one) >= own - _SLACK
    )
    return max(0.0, best - other) / BEST


def _outcomes(scenario: Scenario, result: Result) -> Iterator[Result]:
    """Yield the result and all it could have become, with anything agreed on and more told."""
    deals = (result.deal, None, *terms_of(scenario).deals())
    matter = [[k for k, f in enumerate(p.facts) if f.worth or f.cost] for p in scenario.people]
    for first in _more(result.told[0], matter[0]):
        for second in _more(result.told[1], matter[1]):
            told = replace(result, told=(first, second))
            yield from (replace(told, deal=deal) for deal in dict.fromkeys(deals))


def _more(told: frozenset[int], facts: list[int]) -> Iterator[frozenset[int]]:
    left = [k for k in facts if k not in told]
    for size in range(len(left) + 1):
        for extra in combinations(left, size):
            yield told | frozenset(extra)
