"""One cell of cross-play: what two policies earn against each other, and its three estimates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.statistics.intervals import Range, mean_estimate, t_interval
from equipoise.games.base import GameInfo
from equipoise.types import Estimate, Kind

__all__ = ["Cell"]


@dataclass(frozen=True)
class Cell:
    """Payoffs per round of a row policy and of the column policy it met.

    Attributes:
        own: (D,) the row's, one value a deal, averaged over both seats; a single value if exact.
        other: (D,) the column's.
        episodes: Episodes behind them; 0 if exact.
        both: (D,) share of the episodes in which both sides earned more than the least there is; None where
            nobody counted.
    """

    own: NDArray[np.float64]
    other: NDArray[np.float64]
    episodes: int
    both: NDArray[np.float64] | None = None

    @classmethod
    def exact(cls, own: float, other: float) -> Cell:
        """Return the cell of payoffs computed from the rules."""
        return cls(np.array([own]), np.array([other]), 0)

    @property
    def is_exact(self) -> bool:
        """Whether it is computed rather than sampled."""
        return self.episodes == 0

    def turned(self) -> Cell:
        """Return the cell with row and column exchanged."""
        return Cell(self.other, self.own, self.episodes, self.both)

    def payoff(self, info: GameInfo, level: float) -> Estimate:
        """Return the row's payoff."""
        return self._mean(self.own, Range(*info.payoff_bounds), level)

    def welfare(self, info: GameInfo, level: float) -> Estimate:
        """Return the payoff of both together."""
        low, high = info.payoff_bounds
        within = Range(0.0, 0.0) if info.zero_sum else Range(2.0 * low, 2.0 * high)
        return self._mean(self.own + self.other, within, level)

    def lead(self, info: GameInfo, level: float, itself: bool) -> Estimate:
        """Return max(0, column's minus row's payoff), the hinge taken on the mean and on its interval.

        Args:
            info: The game's declaration.
            level: Confidence level.
            itself: Whether a policy meets itself; averaged over seats neither side then leads.
        """
        if itself:
            return Estimate.exact(0.0)
        gap = self.other - self.own
        value = max(0.0, float(gap.mean()))
        if self.is_exact:
            return Estimate.exact(value)
        low, high = info.payoff_bounds
        ends = t_interval(gap, Range(low - high, high - low), level)
        floor, ceiling = (max(0.0, end) for end in ends)
        return Estimate(value, floor, ceiling, level, self.episodes, len(gap), Kind.SAMPLE)

    def mutual(self, level: float) -> Estimate:
        """Return the share of episodes from which both sides gain."""
        assert self.both is not None
        return self._mean(self.both, Range(0.0, 1.0), level)

    def _mean(self, values: NDArray[np.float64], within: Range, level: float) -> Estimate:
        if self.is_exact:
            return Estimate.exact(float(values[0]))
        return mean_estimate(values, within, level, self.episodes)
