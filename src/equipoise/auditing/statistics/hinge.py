"""Hinges max(0, mean gap): what a sample settles of them, and intervals of metrics that contain them.

A gap whose sign is settled is a mean like any other, or nothing; one that is not adds the bounds of its own
interval. Signs and size share the error probability (Bonferroni), so that the interval holds whatever the
true gaps are, 0 included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.statistics.intervals import Interval, Range, simultaneous

__all__ = ["Gap", "Settled", "hinged_interval", "rivals", "settle"]

NOTHING = Range(0.0, 0.0)


@dataclass(frozen=True)
class Gap:
    """One hinge of a metric: ``weight`` · max(0, mean of ``values``).

    Attributes:
        opponent: Whose lead it is.
        values: (D,) opponent's minus own payoff, one observation a deal.
        within: Bounds of an observation.
        weight: What the hinge counts in the metric; its sign included.
    """

    opponent: str
    values: NDArray[np.float64]
    within: Range
    weight: float

    @property
    def value(self) -> float:
        """The plugged-in hinge; biased upward near a gap of 0."""
        return self.weight * max(0.0, float(np.mean(self.values)))

    def times(self, factor: float) -> Gap:
        """Return the hinge with another weight."""
        return replace(self, weight=self.weight * factor)

    def to_json(self) -> dict[str, Any]:
        """Return the gap as plain JSON data."""
        return {
            "opponent": self.opponent,
            "values": self.values.tolist(),
            "within": list(self.within),
            "weight": self.weight,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Gap:
        """Read a gap written by :meth:`to_json`."""
        return cls(data["opponent"], np.array(data["values"]), Range(*data["within"]), data["weight"])


@dataclass(frozen=True)
class Settled:
    """A metric after the signs of its gaps were looked at.

    Attributes:
        values: (D,) its linear part: gaps that are surely positive are in it.
        within: Bounds of an observation of the linear part.
        low: Least that the undecided hinges add.
        high: Most that they add.
        undecided: Opponents whose gap may be of either sign.
    """

    values: NDArray[np.float64]
    within: Range
    low: float
    high: float
    undecided: tuple[str, ...]


def settle(
    values: NDArray[np.float64],
    within: Range,
    gaps: Sequence[Gap],
    level: float,
    deals: int,
    interval: Interval,
) -> Settled:
    """Sort hinges into positive, none and undecided.

    Args:
        values: (D,) the metric without its hinges.
        within: Bounds of an observation.
        gaps: Its hinges.
        level: Level at which each sign is settled.
        deals: Deals behind the observations.
        interval: The kind of interval.
    """
    ends = {index: interval(gap.values, gap.within, level, deals) for index, gap in enumerate(gaps)}
    undecided = [index for index, (low, high) in ends.items() if low <= 0.0 < high]
    for index, gap in enumerate(gaps):
        if ends[index][0] > 0.0:
            values, within = values + gap.weight * gap.values, within.plus(gap.within, gap.weight)
    added = {index: _between(0.0, gaps[index].weight * ends[index][1]) for index in undecided}
    for first, second in rivals(gaps):
        if first in added and second in added:
            # max(0, ·) never stretches a distance: two undecided leads differ by no more than they do.
            a, b = gaps[first], gaps[second]
            apart = interval(a.values - b.values, a.within.plus(b.within, -1.0), level, deals)
            near = [_between(0.0, a.weight * end) for end in apart]
            lows, highs = zip(added.pop(first), added.pop(second), strict=True)
            bounds = (min(low for low, _ in near), max(high for _, high in near))
            added[first] = (max(sum(lows), bounds[0]), min(sum(highs), bounds[1]))
    low, high = (sum(end) for end in zip((0.0, 0.0), *added.values(), strict=True))
    return Settled(values, within, low, high, tuple(gaps[index].opponent for index in undecided))


def rivals(gaps: Sequence[Gap]) -> list[tuple[int, int]]:
    """Return the places of gaps to one opponent that two policies have, in the metric with opposite signs."""
    return [
        (i, j)
        for i, a in enumerate(gaps)
        for j, b in enumerate(gaps[i + 1 :], start=i + 1)
        if a.opponent == b.opponent and a.weight == -b.weight
    ]


def _between(a: float, b: float) -> tuple[float, float]:
    return min(a, b), max(a, b)


def hinged_interval(
    values: NDArray[np.float64],
    within: Range,
    gaps: Sequence[Gap],
    level: float,
    deals: int,
    interval: Interval,
) -> tuple[float, float]:
    """Return the interval of mean(values) + Σ weight · max(0, mean gap); see :func:`settle`.

    A metric of hinges of one sign only, as e is, has [Σ w·max(0, low), Σ w·max(0, high)] from intervals
    that hold for all opponents at once.
    """
    each = simultaneous(level, len(gaps) + len(rivals(gaps)))
    if within == NOTHING and all(gap.weight >= 0.0 for gap in gaps):
        ends = [interval(gap.values, gap.within, each, deals) for gap in gaps]
        pairs = [(gap.weight, end) for gap, end in zip(gaps, ends, strict=True)]
        return (sum(w * max(0.0, end[0]) for w, end in pairs), sum(w * max(0.0, end[1]) for w, end in pairs))
    # Half of the error probability settles the signs; what is left is for the size.
    found = settle(values, within, gaps, 1.0 - (1.0 - each) / 2.0, deals, interval)
    left = 1.0 - (1.0 - level) / 2.0 if found.undecided else level
    low, high = interval(found.values, found.within, left, deals)
    return low + found.low, high + found.high
