"""How far two judges agree: Cohen's kappa over the turns of all cases.

Cohen, *A coefficient of agreement for nominal scales*, Educational and Psychological Measurement 20 (1960).
The interval is a percentile bootstrap over cases, since the turns of a case are not independent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.judges.base import Case, Verdict
from equipoise.judges.resampling import percentile_estimate
from equipoise.types import Estimate

__all__ = ["agreement"]


def agreement(
    cases: Sequence[Case],
    a: Sequence[Verdict],
    b: Sequence[Verdict],
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate | None:
    """Return Cohen's kappa of two judges' marks, or None where it is not defined.

    It is not where there are no turns, or where both judges give all turns the same one mark.

    Args:
        cases: The cases.
        a: Verdicts of one judge.
        b: Verdicts of the other.
        level: Confidence level.
        resamples: Bootstrap samples.
        seed: Seed of the resampling.
    """
    counts = np.array(
        [
            _table(one.marks(len(c.turns)), other.marks(len(c.turns)))
            for c, one, other in zip(cases, a, b, strict=True)
        ],
        dtype=np.float64,
    ).reshape(len(cases), 2, 2)
    value = _kappa(counts.sum(axis=0))
    if value is None:
        return None
    rng = np.random.Generator(np.random.Philox(seed))
    drawn = [_kappa(counts[rng.integers(len(cases), size=len(cases))].sum(axis=0)) for _ in range(resamples)]
    known = [one for one in drawn if one is not None]
    return percentile_estimate(value, known, level, int(counts.sum()), len(cases))


def _table(one: Sequence[float], other: Sequence[float]) -> NDArray[np.float64]:
    found = np.zeros((2, 2))
    for mark, second in zip(one, other, strict=True):
        found[int(mark), int(second)] += 1.0
    return found


def _kappa(table: NDArray[np.float64]) -> float | None:
    total = float(table.sum())
    if total == 0.0:
        return None
    seen = float(np.trace(table)) / total
    chance = float((table.sum(axis=0) * table.sum(axis=1)).sum()) / total**2
    return None if chance >= 1.0 else (seen - chance) / (1.0 - chance)
