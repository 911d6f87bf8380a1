"""Fewer decisions in a batch, at random, with weights under which the gradient is right on average.

What a sampled step costs a language model is the number of distinct decisions it differentiates through, and
most of them carry little. ``thin`` keeps a given number, each with a probability in proportion to what hangs
on it (never above 1), and divides by that probability: the estimator of D. G. Horvitz and D. J. Thompson
(JASA 47, 1952), drawn systematically (W. G. Madow, Annals of Mathematical Statistics 20, 1949).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import RequestError
from equipoise.training.batch import Batch

__all__ = ["chances", "check_thinning", "thin"]


def thin(batch: Batch, limit: int | None, start: float) -> Batch:
    """Return a batch of at most ``limit`` rows whose loss and gradient are those of the batch on average.

    Args:
        batch: The batch. Of the smaller one the ``visits`` sum to 1 on average, too.
        limit: Rows to keep; None keeps all.
        start: A uniform draw in [0, 1).
    """
    if limit is None or len(batch.decisions) <= limit:
        return batch
    kept_with = chances(_sizes(batch), limit)
    ends = np.floor(np.cumsum(kept_with) + start)
    kept = np.flatnonzero(np.diff(ends, prepend=0.0))
    weights = 1.0 / kept_with[kept]
    return replace(
        batch,
        decisions=tuple(batch.decisions[i] for i in kept),
        log_weights=batch.log_weights[kept] * weights[:, None],
        prob_weights=batch.prob_weights[kept] * weights[:, None],
        visits=batch.visits[kept] * weights,
    )


def check_thinning(limit: int | None) -> None:
    """Check that nothing is to be thinned out where texts are trained on their tokens.

    Raises:
        RequestError: There is a limit.
    """
    if limit is not None:
        raise RequestError(f"max_decisions = {limit}: texts are never thinned out, leave it out")


def chances(sizes: NDArray[np.float64], limit: int) -> NDArray[np.float64]:
    """Return chances in proportion to (positive) sizes, none above 1, that sum to ``limit`` rows."""
    found = np.ones(len(sizes))
    free = np.ones(len(sizes), dtype=bool)
    while True:
        left = limit - np.count_nonzero(~free)
        found[free] = left * sizes[free] / sizes[free].sum()
        over = free & (found >= 1.0)
        if not over.any():
            return found
        found[over] = 1.0
        free &= ~over


def _sizes(batch: Batch) -> NDArray[np.float64]:
    """Return what hangs on each row: its share of all weights and its share of the visits, alike."""
    weights = np.abs(batch.log_weights).sum(axis=1) + np.abs(batch.prob_weights).sum(axis=1)
    total = weights.sum()
    return np.asarray(batch.visits + (weights / total if total > 0.0 else 0.0))
