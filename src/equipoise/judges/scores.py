"""How far two evaluators agree on scores: Pearson's correlation, and Cohen's kappa with quadratic weights.

    kappa = 1 − Σ_i (a_i − b_i)² / (n⁻¹ Σ_i Σ_j (a_i − b_j)²)

J. Cohen, *Weighted kappa*, Psychological Bulletin 70 (1968). It needs no categories, and is then L. Lin's
concordance coefficient (Biometrics 45, 1989). Correlation asks for the same order, kappa for the same scores.
Intervals are percentile bootstraps over clusters.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.judges.resampling import percentile_estimate
from equipoise.types import Estimate

__all__ = ["score_agreement"]

Array = NDArray[np.float64]
SLACK = 1e-12


def score_agreement(
    clusters: Sequence[int],
    a: Sequence[float],
    b: Sequence[float],
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> dict[str, Estimate]:
    """Return ``correlation`` and ``kappa``; what is not defined, for want of spread, is left out.

    Args:
        clusters: (N,) what each pair of scores belongs to; those of one cluster are not independent.
        a: (N,) scores of one evaluator.
        b: (N,) scores of the other.
        level: Confidence level.
        resamples: Bootstrap samples.
        seed: Seed of the resampling.
    """
    if not len(a):
        return {}
    sums = _sums(clusters, np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    rng = np.random.Generator(np.random.Philox(seed))
    drawn = np.array([sums[rng.integers(len(sums), size=len(sums))].sum(axis=0) for _ in range(resamples)])
    whole, again = _both(sums.sum(axis=0)[None]), _both(drawn)
    found = {}
    for name, value in whole.items():
        if np.isfinite(value[0]):
            known = again[name][np.isfinite(again[name])]
            found[name] = percentile_estimate(float(value[0]), list(known), level, len(a), len(sums), SLACK)
    return found


def _sums(clusters: Sequence[int], a: Array, b: Array) -> Array:
    """Return (C, 6): by cluster the number of pairs, and the sums of a, b, aa, bb and ab."""
    _, places = np.unique(np.asarray(clusters), return_inverse=True)
    found = np.zeros((int(places.max()) + 1, 6))
    # Around a common middle, so that squares of large scores do not swallow small spreads.
    middle = float(np.concatenate([a, b]).mean())
    a, b = a - middle, b - middle
    np.add.at(found, places, np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1))
    return found


def _both(sums: Array) -> dict[str, Array]:
    """Return both coefficients for each row of sums; NaN where one is not defined."""
    n = sums[:, 0]
    a, b, aa, bb, ab = (sums[:, column] / n for column in range(1, 6))
    spread_a, spread_b, joint = aa - a * a, bb - b * b, ab - a * b
    with np.errstate(divide="ignore", invalid="ignore"):
        flat = (spread_a <= SLACK) | (spread_b <= SLACK)
        correlation = np.where(flat, np.nan, joint / np.sqrt(spread_a * spread_b))
        apart = spread_a + spread_b + (a - b) ** 2
        kappa = np.where(apart <= SLACK, np.nan, 2.0 * joint / apart)
    return {"correlation": correlation, "kappa": kappa}
