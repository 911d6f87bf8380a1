"""Intervals that may be believed: clustered by deal, simultaneous where several must hold at once.

The unit of independence is the deal: all opponents and both seats share its draws, so every metric is first
averaged (or linearised) within a deal and then treated as one observation. Samples without any spread get
an interval like the rule of three (Hanley and Lippman-Hand, JAMA 249, 1983), never one of width 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from equipoise.types import Estimate, Kind

__all__ = ["Range", "mean_estimate", "simultaneous", "t_interval"]


class Range(NamedTuple):
    """Bounds that no observation can leave."""

    low: float
    high: float


def simultaneous(level: float, count: int) -> float:
    """Return the level each of ``count`` intervals needs so that all hold at once (Bonferroni)."""
    return 1.0 - (1.0 - level) / max(count, 1)


def t_interval(values: NDArray[np.float64], within: Range, level: float) -> tuple[float, float]:
    """Return the interval of the mean of independent observations, clipped to what is possible.

    Args:
        values: (D,) one observation a deal.
        within: Bounds of an observation.
        level: Confidence level.
    """
    count, mean = len(values), float(np.mean(values))
    # A spread that is mere rounding is no spread.
    spread = float(np.std(values, ddof=1)) if count > 1 else 0.0
    if spread <= 1e-12 * max(1.0, abs(mean)):
        unseen = 1.0 - (1.0 - level) ** (1.0 / count)
        return mean - unseen * (mean - within.low), mean + unseen * (within.high - mean)
    half = float(stdtrit(count - 1, 0.5 + level / 2.0)) * spread / math.sqrt(count)
    return max(within.low, mean - half), min(within.high, mean + half)


def mean_estimate(values: NDArray[np.float64], within: Range, level: float, episodes: int) -> Estimate:
    """Return the mean of one observation a deal as an estimate."""
    low, high = t_interval(values, within, level)
    return Estimate(float(np.mean(values)), low, high, level, episodes, len(values), Kind.SAMPLE)
