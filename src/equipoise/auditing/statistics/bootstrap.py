"""Bootstrap-t intervals: deals are drawn again, and the studentised mean replaces Student's quantiles.

Efron, JASA 82 (1987); Hall, Annals of Statistics 16 (1988): second-order correct for skewed observations,
where Student's interval is not. The resamples are drawn from a fixed seed and are the same for all metrics
of an audit, as the deals are.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.statistics.intervals import Range, spread_of, t_interval

__all__ = ["RESAMPLES", "bootstrap_interval"]

RESAMPLES = 1999
"""Resamples behind an interval; with 4096 blocks their weights take 65 MB."""

SEED = 20_260_530


def bootstrap_interval(
    values: NDArray[np.float64], within: Range, level: float, deals: int = 0
) -> tuple[float, float]:
    """Return the bootstrap-t interval of the mean of independent observations, clipped to what is possible.

    Samples without spread, and levels that the resamples cannot resolve, get Student's interval (which is
    the rule of three where there is no spread).

    Args:
        values: (D,) one observation a deal, or a block of deals.
        within: Bounds of an observation.
        level: Confidence level.
        deals: Deals behind the observations; 0 if each is one.
    """
    spread = spread_of(values)
    if spread == 0.0 or (1.0 - level) / 2.0 * (RESAMPLES + 1) < 1.0:
        return t_interval(values, within, level, deals)
    count, mean = len(values), float(np.mean(values))
    centred = (values - mean) / spread
    weights = _weights(count)
    shifts = weights @ centred
    variances = np.maximum(weights @ centred**2 - shifts**2, 0.0) * count / (count - 1)
    # A resample of equal deals counts as one in which a single deal stands out, not as certain.
    studentised = shifts / np.sqrt(np.maximum(variances, 1.0 / count) / count)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(studentised, [tail, 1.0 - tail])
    scale = spread / math.sqrt(count)
    return max(within.low, mean - float(high) * scale), min(within.high, mean - float(low) * scale)


@lru_cache(maxsize=1)
def _weights(count: int) -> NDArray[np.float64]:
    """Return (B, D): the share of each observation in every resample."""
    draw = np.random.Generator(np.random.Philox(SEED))
    found = np.empty((RESAMPLES, count))
    for row in found:
        row[:] = np.bincount(draw.integers(count, size=count), minlength=count)
    return found / count
