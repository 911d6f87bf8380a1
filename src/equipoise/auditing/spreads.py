"""How far a policy's numbers lie apart when the same game is put to it in different words.

Lowest, highest and spread are picked after looking at all wordings, so ordinary intervals would be too
narrow. Here all intervals hold at once (Bonferroni): over the wordings for the extremes, over all pairs of
wordings, on the same deals, for the spread. Then, whichever wordings are truly the extremes,

    lowest  in [min low_w, min high_w],   highest in [max low_w, max high_w],
    spread  in [max over pairs of low_ab, max over pairs of high_ab], not below 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

from equipoise.auditing.metrics import Measure, difference
from equipoise.auditing.statistics.intervals import simultaneous
from equipoise.types import Estimate, Kind

if TYPE_CHECKING:
    from equipoise.auditing.result import GameResult

__all__ = ["SPREAD_METRICS", "Spread", "spreads"]

SPREAD_METRICS = ("utility", "exploitability", "collusion", "externality", "safety", "best_response")
"""The metrics whose spread over wordings is reported, where a policy has them."""

Measures = Mapping[str, Measure]
"""One metric's measure by wording."""


@dataclass(frozen=True)
class Spread:
    """The extremes of one metric over the wordings of a game.

    Attributes:
        game: Name of the game.
        metric: Name of the metric.
        lowest: The wording with the lowest value.
        low: The lowest value over the panel; its interval holds for whichever wording is the lowest.
        highest: The wording with the highest value.
        high: The highest value over the panel, likewise.
        spread: Highest minus lowest, on the same deals.
    """

    game: str
    metric: str
    lowest: str
    low: Estimate
    highest: str
    high: Estimate
    spread: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the spread in the form of audit schema 1."""
        return {
            "game": self.game,
            "metric": self.metric,
            "lowest": {"wording": self.lowest, **self.low.to_json()},
            "highest": {"wording": self.highest, **self.high.to_json()},
            "spread": self.spread.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Spread:
        """Read a spread written by :meth:`to_json`."""
        low, high = dict(data["lowest"]), dict(data["highest"])
        lowest, highest = low.pop("wording"), high.pop("wording")
        return cls(
            data["game"],
            data["metric"],
            lowest,
            Estimate.from_json(low),
            highest,
            Estimate.from_json(high),
            Estimate.from_json(data["spread"]),
        )


def spreads(results: Mapping[str, GameResult], level: float) -> list[Spread]:
    """Return the spread of every metric that the policy has in all wordings.

    Args:
        results: The results of one game by wording, from the same deals; two at least.
        level: Confidence level of each spread.
    """
    game = next(iter(results.values())).game
    found = []
    for metric in SPREAD_METRICS:
        column = {wording: result.measures.get(metric) for wording, result in results.items()}
        known = {wording: measure for wording, measure in column.items() if measure is not None}
        if len(known) == len(column):
            found.append(_spread(game, metric, known, level))
    return found


def _spread(game: str, metric: str, measures: Measures, level: float) -> Spread:
    values = {wording: measure.value for wording, measure in measures.items()}
    lowest = min(values, key=values.__getitem__)
    highest = max(values, key=values.__getitem__)
    each = simultaneous(level, len(measures))
    estimates = [measure.estimate(each) for measure in measures.values()]
    return Spread(
        game,
        metric,
        lowest,
        _extreme(values[lowest], estimates, min, level),
        highest,
        _extreme(values[highest], estimates, max, level),
        _range(measures, values[highest] - values[lowest], level),
    )


def _extreme(
    value: float, estimates: Sequence[Estimate], pick: Callable[[list[float]], float], level: float
) -> Estimate:
    """Return the smallest or largest of several quantities, given intervals that all hold at once."""
    if all(estimate.kind is Kind.EXACT for estimate in estimates):
        return Estimate.exact(value)
    low = pick([estimate.low for estimate in estimates if estimate.low is not None])
    high = pick([estimate.high for estimate in estimates if estimate.high is not None])
    episodes, deals = max(e.n for e in estimates), max(e.clusters for e in estimates)
    return Estimate(value, low, high, level, episodes, deals, Kind.SAMPLE)


def _range(measures: Measures, value: float, level: float) -> Estimate:
    """Return highest minus lowest of several quantities from the differences of all pairs."""
    each = simultaneous(level, len(measures) * (len(measures) - 1) // 2)
    gaps = [difference(a, b, each) for a, b in permutations(measures.values(), 2)]
    if all(gap.kind is Kind.EXACT for gap in gaps):
        return Estimate.exact(value)
    low = max(0.0, *(gap.low for gap in gaps if gap.low is not None))
    # Undecided hinges add to a difference, but no metric leaves its bounds.
    widest = max(m.bounds.high for m in measures.values()) - min(m.bounds.low for m in measures.values())
    high = min(widest, max(gap.high for gap in gaps if gap.high is not None))
    episodes, deals = max(g.n for g in gaps), max(g.clusters for g in gaps)
    return Estimate(value, low, high, level, episodes, deals, Kind.SAMPLE)
