"""The interval of a coefficient of agreement: percentiles of what it is in resamples of clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.types import Estimate, Kind

__all__ = ["percentile_estimate"]


def percentile_estimate(
    value: float, resampled: Sequence[float], level: float, n: int, clusters: int, slack: float = 0.0
) -> Estimate:
    """Return a coefficient between -1 and 1 with its interval.

    Args:
        value: The coefficient.
        resampled: What it is in the resamples where it is defined.
        level: Confidence level.
        n: Number of things that were compared.
        clusters: Number of clusters that were resampled.
        slack: Differences up to it are rounding.
    """
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(resampled, tails) if len(resampled) else (value, value)
    # All-equal resamples, as with one cluster, say nothing about the spread.
    if high - low <= slack:
        low, high = -1.0, 1.0
    ends = max(-1.0, float(min(low, value))), min(1.0, float(max(high, value)))
    return Estimate(value, *ends, level, n, clusters, Kind.SAMPLE)
