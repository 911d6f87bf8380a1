"""Figures read from episodes, one number an episode each, as estimates that cluster by deal.

Memory does not grow with the number of episodes: of every figure the sum and the count within each deal (or
block of deals) are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.panel import BLOCKS, block_of
from equipoise.auditing.statistics.intervals import Interval, Range, mean_estimate, t_interval
from equipoise.auditing.transcripts.leaks import leaks
from equipoise.auditing.transcripts.outcomes import dimensions, outcomes
from equipoise.auditing.transcripts.wording import LENGTHS, wording
from equipoise.games.rules import Rules
from equipoise.tasks.social.dimensions import RANGES
from equipoise.types import Episode, Estimate

__all__ = ["READERS", "Reader", "Readings"]

Reader = Callable[[Rules, Episode], Mapping[str, float | None]]
"""From an episode to figures about the seat under study; None where one does not apply."""

READERS: Mapping[str, Reader] = {
    "outcomes": outcomes,
    "dimensions": dimensions,
    "strategies": wording,
    "leaks": leaks,
}
"""All readers by the name of their group."""

SCORES = ("dimensions", "rated")
"""Groups of the dimensions of dialogues: by rule, and by an evaluator that reads."""

_SHARE = Range(0.0, 1.0)


class Readings:
    """Takes in episodes in any order."""

    def __init__(self, rules: Rules, deals: int, blocks: int = BLOCKS) -> None:
        """Take what is played, how many deals there will be and how many observations to keep."""
        self.rules, self.deals, self.blocks = rules, deals, min(deals, blocks)
        self._sums: dict[tuple[str, str], NDArray[np.float64]] = {}

    def add(self, episode: Episode) -> None:
        """Read an episode."""
        for group, reader in READERS.items():
            self.put(group, reader(self.rules, episode), episode)

    def put(self, group: str, figures: Mapping[str, float | None], episode: Episode) -> None:
        """Take in figures of an episode under the name of their group."""
        block = block_of(episode.deal, self.deals, self.blocks)
        for name, value in figures.items():
            if value is not None:
                rows = self._sums.setdefault((group, name), np.zeros((2, self.blocks)))
                rows[:, block] += (value, 1.0)

    def estimates(self, level: float, interval: Interval = t_interval) -> dict[str, dict[str, Estimate]]:
        """Return the figures by group; a figure that no episode has is left out."""
        found: dict[str, dict[str, Estimate]] = {}
        for (group, name), (totals, counts) in self._sums.items():
            seen = counts > 0.0
            found.setdefault(group, {})[name] = mean_estimate(
                totals[seen] / counts[seen],
                _range(group, name),
                level,
                int(counts.sum()),
                int(seen.sum()) if self.blocks == self.deals else self.deals,
                interval,
            )
        return found


def _range(group: str, name: str) -> Range:
    if group in SCORES and name in RANGES:
        return Range(*RANGES[name])
    if name in LENGTHS:
        return Range(0.0, np.inf)
    return Range(-10.0, 10.0) if name == "overall" else _SHARE
