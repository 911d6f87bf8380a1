"""Intervals that may be believed: clustered by deal, simultaneous where several must hold at once.

The unit of independence is the deal: all opponents and both seats share its draws, so every metric is first
averaged (or linearised) within a deal and then treated as one observation. Of a long audit only means over
blocks of consecutive deals are kept (batch means); they are independent as well. Samples without any spread
get an interval like the rule of three (Hanley and Lippman-Hand, JAMA 249, 1983), never one of width 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from equipoise.errors import unknown
from equipoise.types import Estimate, Kind

__all__ = [
    "Interval",
    "Range",
    "interval_named",
    "mean_estimate",
    "simultaneous",
    "spread_of",
    "t_interval",
    "welch_interval",
]


SKEWED = 0.25
"""Skewness over the root of the sample size from which Student's interval is stretched."""


class Range(NamedTuple):
    """Bounds that no observation can leave."""

    low: float
    high: float

    def plus(self, other: Range, weight: float = 1.0) -> Range:
        """Return the bounds of a sum, the other observation times ``weight``."""
        ends = (weight * other.low, weight * other.high)
        return Range(self.low + min(ends), self.high + max(ends))


Interval = Callable[[NDArray[np.float64], Range, float, int], tuple[float, float]]
"""Maps (observations, their bounds, level, deals behind them) to an interval of the mean."""


def simultaneous(level: float, count: int) -> float:
    """Return the level each of ``count`` intervals needs so that all hold at once (Bonferroni)."""
    return 1.0 - (1.0 - level) / max(count, 1)


def spread_of(values: NDArray[np.float64]) -> float:
    """Return the standard deviation of observations, 0 where it is mere rounding."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return 0.0 if spread <= 1e-12 * max(1.0, abs(float(np.mean(values)))) else spread


def t_interval(
    values: NDArray[np.float64], within: Range, level: float, deals: int = 0
) -> tuple[float, float]:
    """Return the interval of the mean of independent observations, clipped to what is possible.

    Args:
        values: (D,) one observation a deal, or a block of deals.
        within: Bounds of an observation.
        level: Confidence level.
        deals: Deals behind the observations; 0 if each is one.
    """
    count, mean, spread = len(values), float(np.mean(values)), spread_of(values)
    if spread == 0.0:
        unseen = 1.0 - (1.0 - level) ** (1.0 / max(deals, count))
        return mean - unseen * (mean - within.low), mean + unseen * (within.high - mean)
    quantile, scale = float(stdtrit(count - 1, 0.5 + level / 2.0)), spread / math.sqrt(count)
    below, above = _stretched(quantile, float(np.mean((values - mean) ** 3)) / spread**3, count)
    return max(within.low, mean - below * scale), min(within.high, mean + above * scale)


def _stretched(quantile: float, skewness: float, count: int) -> tuple[float, float]:
    """Return how many standard errors an interval reaches below and above the mean.

    As Student's, but where a sample is clearly skewed, as one in which few deals stand out, the side of the
    tail does not reach far enough: a share of 0.05 is then covered 89 % of the time. There the spread grows
    with the mean, by κ₃/κ₂ in natural exponential families (Morris, Annals of Statistics 10, 1982), and the
    long side solves δ² = q²(1 + δ·skewness/√n), for proportions the score interval (Wilson, JASA 22, 1927).
    """
    skew = abs(skewness) / math.sqrt(count)
    if skew <= max(SKEWED, 4.0 * math.sqrt(6.0) / count):
        return quantile, quantile
    slope = quantile**2 * skew
    far = (slope + math.sqrt(slope**2 + 4.0 * quantile**2)) / 2.0
    return (quantile, far) if skewness > 0.0 else (far, quantile)


def welch_interval(
    a: tuple[NDArray[np.float64], Range, int], b: tuple[NDArray[np.float64], Range, int], level: float
) -> tuple[float, float]:
    """Return the interval of the difference of two means of independent samples (Welch 1947).

    Args:
        a: Observations, their bounds and the deals behind them.
        b: The same of the other sample.
        level: Confidence level.
    """
    means = [float(np.mean(values)) for values, _, _ in (a, b)]
    parts = [spread_of(values) ** 2 / len(values) for values, _, _ in (a, b)]
    within = a[1].plus(b[1], -1.0)
    if min(parts) == 0.0:
        # One side shows no spread: what it may have missed is added to the other's interval.
        each = simultaneous(level, 2)
        first, second = (t_interval(values, bounds, each, deals) for values, bounds, deals in (a, b))
        return first[0] - second[1], first[1] - second[0]
    total = sum(parts)
    freedom = total**2 / sum(p**2 / (len(s[0]) - 1) for p, s in zip(parts, (a, b), strict=True))
    half = float(stdtrit(freedom, 0.5 + level / 2.0)) * math.sqrt(total)
    gap = means[0] - means[1]
    return max(within.low, gap - half), min(within.high, gap + half)


def interval_named(name: str) -> Interval:
    """Return the kind of interval a name stands for: ``t`` or ``bootstrap``.

    Raises:
        RequestError: There is no such kind.
    """
    from equipoise.auditing.statistics.bootstrap import bootstrap_interval

    kinds: dict[str, Interval] = {"t": t_interval, "bootstrap": bootstrap_interval}
    if name not in kinds:
        raise unknown("interval", name, kinds)
    return kinds[name]


def mean_estimate(
    values: NDArray[np.float64],
    within: Range,
    level: float,
    episodes: int,
    deals: int = 0,
    interval: Interval = t_interval,
) -> Estimate:
    """Return the mean of one observation a deal (or a block of deals) as an estimate."""
    low, high = interval(values, within, level, deals)
    clusters = deals or len(values)
    return Estimate(float(np.mean(values)), low, high, level, episodes, clusters, Kind.SAMPLE)
