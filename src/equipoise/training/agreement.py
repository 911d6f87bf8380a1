"""How well sampled gradients agree with the exact one: estimates over independent batches.

A batch is the unit of independence; everything below is a function of the mean over batches, (B, P) sampled
gradients against a (P,) exact one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri

from equipoise.auditing.statistics.intervals import Range, mean_estimate, simultaneous, spread_of, t_interval
from equipoise.types import Estimate, Kind

__all__ = ["cosine", "projection", "variance_ratio"]

Array = NDArray[np.float64]
FREE = Range(-math.inf, math.inf)


def projection(batches: Array, exact: Array, level: float, episodes: int) -> Estimate | None:
    """Return ⟨ĝ, g⟩ / ‖g‖², 1 in expectation for an unbiased estimator.

    None where it is not defined, since the exact gradient is 0, or where the batches show no spread from
    which an interval could come.

    Args:
        batches: (B, P) one gradient a batch.
        exact: (P,) the exact gradient.
        level: Confidence level.
        episodes: Episodes behind the batches.
    """
    size = float(exact @ exact)
    if size == 0.0:
        return None
    shares = batches @ exact / size
    return mean_estimate(shares, FREE, level, episodes) if spread_of(shares) > 0.0 else None


def cosine(batches: Array, exact: Array, level: float, episodes: int) -> Estimate | None:
    """Return the cosine between the mean gradient and the exact one.

    What noise is left in the mean turns it away from any direction, so the value plugged in errs towards 0
    and its distribution is lopsided near 1. The interval therefore comes from two that hold together: of the
    mean's length along the exact gradient (Student's), and of its distance from that line, which lies within
    a ball around the one observed. The ball's radius takes the squared error of the mean as a multiple of an
    F variable with matched first two moments (Satterthwaite, Biometrics Bulletin 2, 1946). It errs on the
    wide side.

    Args:
        batches: (B, P) one gradient a batch.
        exact: (P,) the exact gradient.
        level: Confidence level.
        episodes: Episodes behind the batches.

    Returns:
        The estimate; None where the exact gradient is 0 or the batches show no spread.
    """
    length = float(np.linalg.norm(exact))
    if length == 0.0:
        return None
    along = batches @ exact / length
    if spread_of(along) == 0.0:
        return None
    across = batches - np.outer(along, exact / length)
    each = simultaneous(level, 2)
    mean, distance = float(along.mean()), float(np.linalg.norm(across.mean(axis=0)))
    low, high = t_interval(along, FREE, each)
    radius = _radius(across, each)
    near, far = max(0.0, distance - radius), distance + radius
    ends = (_cosine(low, far if low > 0.0 else near), _cosine(high, near if high > 0.0 else far))
    return Estimate(_cosine(mean, distance), *ends, level, episodes, len(batches), Kind.SAMPLE)


def variance_ratio(
    batches: Array, reference: Array, level: float, episodes: int, cost: float = 1.0
) -> Estimate | None:
    """Return the variance of a batch's gradient over that of a reference on the same batches.

    Variances are summed over parameters. The interval is Student's on the linearised ratio. Variance falls
    as the number of batches grows, so where a batch costs more than the reference's, the ratio at equal cost
    is that many times larger.

    Args:
        batches: (B, P) one gradient a batch.
        reference: (B, P) the reference's.
        level: Confidence level.
        episodes: Episodes behind the batches.
        cost: What a batch costs over what one of the reference does.

    Returns:
        The estimate; None where the reference does not vary, or the ratio shows no spread.
    """
    own, base = (((rows - rows.mean(axis=0)) ** 2).sum(axis=1) for rows in (batches, reference))
    if base.mean() == 0.0:
        return None
    own = own * cost
    ratio = float(own.mean() / base.mean())
    if np.array_equal(batches, reference):
        return Estimate.exact(ratio)
    linear = ratio + (own - ratio * base) / float(base.mean())
    if spread_of(linear) == 0.0:
        return None
    low, high = t_interval(linear, Range(0.0, math.inf), level)
    return Estimate(ratio, low, high, level, episodes, len(batches), Kind.SAMPLE)


def _radius(rows: Array, level: float) -> float:
    """Return how far the mean of rows may be from its expectation."""
    count = len(rows)
    centred = rows - rows.mean(axis=0)
    products = centred @ centred.T / (count - 1)
    total, squares = float(np.trace(products)), float((products**2).sum())
    if squares == 0.0:
        return 0.0
    return math.sqrt(total / count * float(fdtri(total**2 / squares, count - 1, level)))


def _cosine(along: float, across: float) -> float:
    """Return the cosine of the angle between a line and a point given by its two coordinates."""
    size = math.hypot(along, across)
    return along / size if size > 0.0 else 0.0
