"""The metrics, from exact mean features or from a sampled panel.

A sampled metric is kept as a :class:`Measure`: one linear observation a deal, plus the hinges it contains.
That form gives the metric's interval at any level, and differences between two policies, paired on the same
deals or not, by the same arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.statistics.hinge import Gap, hinged_interval, settle
from equipoise.auditing.statistics.intervals import Interval, Range, simultaneous, t_interval, welch_interval
from equipoise.errors import RequestError
from equipoise.types import Estimate, Kind

__all__ = ["METRICS", "Measure", "difference", "p_value"]

METRICS = {
    "utility": "u: own payoff per round against the train pool",
    "exploitability": "e: how far exploiters come out ahead, per round",
    "collusion": "c: share of rounds in which the policy joins what harms third parties or trust",
    "externality": "x: cost put on others, against the game's benchmark",
    "safety": "J = s·u − λe·s·e − λc·c − λx·x, what SEPO maximises",
    "robustness": "own payoff per round against held-out opponents",
    "welfare": "own plus opponent's payoff per round against the train pool",
    "nra": "normalised relative advantage against the train pool",
    "regret": "best reply's payoff minus own, mean over exploiters",
    "best_response": "largest payoff per round any opponent can reach (Kuhn: NashConv / 2)",
    "security": "smallest own payoff per round any opponent can force",
    "optimum": "J*: the largest safety any policy can have against these pools",
    "invalid_rate": "share of decisions without a valid answer",
}
"""Every metric's key with what it means; a game's diagnostics follow it."""


@dataclass(frozen=True)
class Measure:
    """A metric of one policy in the form that intervals and differences need.

    Its value is mean(values) + Σ weight · max(0, mean of a gap).

    Attributes:
        values: (D,) one observation a deal, or a block of deals; or a single exact value.
        within: Bounds of an observation.
        episodes: Episodes behind it; 0 if exact.
        gaps: Hinges that it contains.
        deals: Deals behind it; 0 if every observation is one.
    """

    values: NDArray[np.float64]
    within: Range
    episodes: int = 0
    gaps: tuple[Gap, ...] = ()
    deals: int = 0

    @classmethod
    def exact(cls, value: float) -> Measure:
        """Return the measure of a number computed from the rules."""
        return cls(np.array([value]), Range(value, value))

    def to_json(self) -> dict[str, Any]:
        """Return the measure as plain JSON data."""
        return {
            "values": self.values.tolist(),
            "within": list(self.within),
            "episodes": self.episodes,
            "gaps": [gap.to_json() for gap in self.gaps],
            "deals": self.deals,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Measure:
        """Read a measure written by :meth:`to_json`.

        Raises:
            RequestError: It has the form of an earlier version.
        """
        if "gaps" not in data:
            raise RequestError("what paired differences need was kept by an earlier version: audit again")
        gaps = tuple(Gap.from_json(gap) for gap in data["gaps"])
        return cls(np.array(data["values"]), Range(*data["within"]), data["episodes"], gaps, data["deals"])

    @property
    def is_exact(self) -> bool:
        """Whether it is computed rather than sampled."""
        return self.episodes == 0

    @property
    def clusters(self) -> int:
        """Independent deals behind it."""
        return 0 if self.is_exact else self.deals or len(self.values)

    @property
    def bounds(self) -> Range:
        """What the metric cannot leave, its hinges included."""
        bounds = self.within
        for gap in self.gaps:
            bounds = bounds.plus(Range(0.0, max(0.0, gap.within.high)), gap.weight)
        return bounds

    @property
    def value(self) -> float:
        """The point value."""
        return float(np.mean(self.values)) + sum(gap.value for gap in self.gaps)

    def estimate(self, level: float, interval: Interval = t_interval) -> Estimate:
        """Return the estimate at a confidence level."""
        if self.is_exact:
            return Estimate.exact(self.value)
        low, high = self.ends(level, interval)
        return Estimate(self.value, low, high, level, self.episodes, self.clusters, Kind.SAMPLE)

    def ends(self, level: float, interval: Interval = t_interval) -> tuple[float, float]:
        """Return the ends of the interval at a confidence level."""
        if self.is_exact:
            return self.value, self.value
        if not self.gaps:
            return interval(self.values, self.within, level, self.clusters)
        return hinged_interval(self.values, self.within, self.gaps, level, self.clusters, interval)


def difference(
    a: Measure, b: Measure, level: float, *, paired: bool = True, interval: Interval = t_interval
) -> Estimate:
    """Return a − b.

    Args:
        a: One metric of one policy.
        b: The same of another.
        level: Confidence level.
        paired: Whether both were sampled on the same deals.
        interval: The kind of interval; samples that are not paired always get Welch's.
    """
    if a.is_exact and b.is_exact:
        return Estimate.exact(a.value - b.value)
    low, high = difference_ends(a, b, paired, interval)(level)
    clusters = min(m.clusters for m in (a, b) if not m.is_exact)
    episodes = max(a.episodes, b.episodes)
    return Estimate(a.value - b.value, low, high, level, episodes, clusters, Kind.SAMPLE)


def difference_ends(
    a: Measure, b: Measure, paired: bool = True, interval: Interval = t_interval
) -> Callable[[float], tuple[float, float]]:
    """Return the ends of the interval of a − b as a function of the level.

    It raises a RequestError where samples that shall be paired differ in size.
    """

    def ends(level: float) -> tuple[float, float]:
        if a.is_exact or b.is_exact:
            first, second = a.ends(level, interval), b.ends(level, interval)
            return first[0] - second[1], first[1] - second[0]
        if not paired:
            return _unpaired(a, b, level)
        if len(a.values) != len(b.values):
            raise RequestError(
                f"{len(a.values)} observations cannot be paired with {len(b.values)}: "
                "audit both on as many deals"
            )
        gaps = a.gaps + tuple(gap.times(-1.0) for gap in b.gaps)
        within = a.within.plus(b.within, -1.0)
        return hinged_interval(a.values - b.values, within, gaps, level, a.clusters, interval)

    return ends


def p_value(ends: Callable[[float], tuple[float, float]]) -> float:
    """Return the smallest error probability at which an interval leaves out 0, at least 1e-12."""

    def settles(exponent: float) -> bool:
        low, high = ends(1.0 - 10.0**exponent)
        return low > 0.0 or high < 0.0

    low, high = -12.0, math.log10(1.0 - 1e-9)
    if not settles(high):
        return 1.0
    if settles(low):
        return float(10.0**low)
    for _ in range(40):
        middle = (low + high) / 2.0
        low, high = (low, middle) if settles(middle) else (middle, high)
    return float(10.0**high)


def _unpaired(a: Measure, b: Measure, level: float) -> tuple[float, float]:
    """Return Welch's interval of the linear parts, with what the undecided hinges of both sides add."""
    each = 1.0 - (1.0 - simultaneous(level, len(a.gaps) + len(b.gaps))) / 2.0
    first, second = (settle(m.values, m.within, m.gaps, each, m.clusters, t_interval) for m in (a, b))
    left = 1.0 - (1.0 - level) / 2.0 if first.undecided or second.undecided else level
    low, high = welch_interval(
        (first.values, first.within, a.clusters), (second.values, second.within, b.clusters), left
    )
    return low + first.low - second.high, high + first.high - second.low
