"""The metrics, from exact mean features or from a sampled panel.

A sampled metric is kept as a :class:`Measure`: one linear observation a deal, plus the bounds that
undecided hinges add. That form gives the metric's interval, and paired differences between two policies on
the same deals, by the same arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.stats import Range, simultaneous, t_interval
from equipoise.objective.features import OPPONENT, OWN
from equipoise.types import Estimate, Kind

__all__ = ["METRICS", "Measure", "difference", "hinge"]

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
    """A metric of one policy in the form that intervals and paired differences need.

    Attributes:
        values: (D,) one observation a deal; or a single exact value.
        within: Bounds of an observation.
        extra: (low, value, high) added by hinges whose sign the sample does not decide.
        episodes: Episodes behind it; 0 if exact.
        doubt: Share of the error probability that ``extra`` has already spent.
        interval: The interval, where the metric has one of its own.
    """

    values: NDArray[np.float64]
    within: Range
    extra: tuple[float, float, float] = (0.0, 0.0, 0.0)
    episodes: int = 0
    doubt: float = 0.0
    interval: tuple[float, float] | None = None

    @classmethod
    def exact(cls, value: float) -> Measure:
        """Return the measure of a number computed from the rules."""
        return cls(np.array([value]), Range(value, value))

    def to_json(self) -> dict[str, Any]:
        """Return the measure as plain JSON data."""
        return {**asdict(self), "values": self.values.tolist()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Measure:
        """Read a measure written by :meth:`to_json`."""
        interval = data["interval"]
        return cls(
            np.array(data["values"]),
            Range(*data["within"]),
            tuple(data["extra"]),
            data["episodes"],
            data["doubt"],
            None if interval is None else tuple(interval),
        )

    @property
    def is_exact(self) -> bool:
        """Whether it is computed rather than sampled."""
        return self.episodes == 0

    @property
    def value(self) -> float:
        """The point value."""
        return float(np.mean(self.values)) + self.extra[1]

    def estimate(self, level: float) -> Estimate:
        """Return the estimate at a confidence level."""
        if self.is_exact:
            return Estimate.exact(self.value)
        low, high = t_interval(self.values, self.within, _left(level, self.doubt))
        low, high = self.interval or (low + self.extra[0], high + self.extra[2])
        return Estimate(self.value, low, high, level, self.episodes, len(self.values), Kind.SAMPLE)


def difference(a: Measure, b: Measure, level: float) -> Estimate:
    """Return a − b, paired by deal where both were sampled on the same deals."""
    if a.is_exact and b.is_exact:
        return Estimate.exact(a.value - b.value)
    doubt = min(0.9, a.doubt + b.doubt)
    values = a.values - b.values
    within = Range(a.within.low - b.within.high, a.within.high - b.within.low)
    low, high = t_interval(values, within, _left(level, doubt))
    return Estimate(
        a.value - b.value,
        low + a.extra[0] - b.extra[2],
        high + a.extra[2] - b.extra[0],
        level,
        max(a.episodes, b.episodes),
        len(values),
        Kind.SAMPLE,
    )


@dataclass(frozen=True)
class Hinge:
    """The hinge e split by what the sample decides.

    Attributes:
        values: (D,) mean over the pool of the gaps of opponents whose gap is clearly positive.
        extra: Bounds and value of what the undecided opponents add.
        interval: The interval of e from simultaneous per-opponent intervals.
        value: The plugged-in e.
        doubt: Share of the error probability spent on the undecided opponents.
    """

    values: NDArray[np.float64]
    extra: tuple[float, float, float]
    interval: tuple[float, float]
    value: float
    doubt: float


def hinge(
    rows: Mapping[str, NDArray[np.float64]], names: tuple[str, ...], within: Range, level: float
) -> Hinge:
    """Return mean_o max(0, gap_o) from (D, F) features by opponent.

    Args:
        rows: Features by opponent.
        names: The exploiter pool (a multiset).
        within: Bounds of a payoff.
        level: Confidence level.
    """
    spread = Range(within.low - within.high, within.high - within.low)
    count = len(names)
    leads = {name: rows[name][:, OPPONENT] - rows[name][:, OWN] for name in names}
    each = simultaneous(level, len(leads))
    bounds = {name: t_interval(lead, spread, each) for name, lead in leads.items()}
    # The sign of a gap is settled with half of the error probability; the rest is left for its size.
    signs = {name: t_interval(lead, spread, 1 - (1 - each) / 2) for name, lead in leads.items()}
    clear = [name for name in names if signs[name][0] > 0.0]
    unclear = [name for name in names if signs[name][0] <= 0.0 < signs[name][1]]
    zeros = np.zeros(len(next(iter(leads.values()))))
    values = sum((leads[name] for name in clear), zeros) / count
    plug = {name: max(0.0, float(lead.mean())) for name, lead in leads.items()}
    extra = (
        0.0,
        sum(plug[name] for name in unclear) / count,
        sum(signs[name][1] for name in unclear) / count,
    )
    interval = tuple(sum(max(0.0, bounds[name][end]) for name in names) / count for end in (0, 1))
    return Hinge(
        np.asarray(values),
        extra,
        (interval[0], interval[1]),
        sum(plug[name] for name in names) / count,
        0.5 if unclear else 0.0,
    )


def _left(level: float, doubt: float) -> float:
    return 1.0 - (1.0 - level) * (1.0 - doubt)
