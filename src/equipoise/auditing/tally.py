"""What a policy does at each information state: exact rates where known, frequencies otherwise."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.behaviour import Placed
from equipoise.auditing.exact.compile import TooLargeError, compile_tree
from equipoise.auditing.panel import BLOCKS, block_of
from equipoise.auditing.statistics.intervals import Interval, Range, mean_estimate, t_interval
from equipoise.games.base import Game
from equipoise.opponents.base import Uniform
from equipoise.opponents.recall import RecallStrategy
from equipoise.types import Episode, Estimate

__all__ = ["Tally", "exact_rates"]

FEW = 64
"""Information states up to which a game's behaviour is listed state by state."""


def exact_rates(stage: Game, placed: Sequence[Placed]) -> dict[str, dict[str, Estimate]]:
    """Return the policy's probabilities at every information state of a small game, else nothing.

    Strategies with a memory of their own are left out: their action is no function of what a seat knows.
    """
    rows: dict[str, list[dict[str, float]]] = defaultdict(list)
    for strategy, seat in placed:
        try:
            tree = compile_tree(stage, {"random": Uniform()}, seat, FEW)
        except TooLargeError:
            return {}
        recalls = isinstance(strategy, RecallStrategy)
        if len(strategy.start()) > 1 or (not recalls and any(history for _, history in tree.keys)):
            return {}
        for (observation, history), legal in zip(tree.keys, tree.legal, strict=True):
            memory = history if recalls else strategy.start()[0][0]
            row = strategy.probabilities(memory, observation, legal)
            found = {str(action): float(row.get(action, 0.0)) for action in legal}
            rows[stage.label(observation, history)].append(found)
    # Where a policy acts on its seat, a state shows the mean over the seats that meet it.
    return {
        label: {action: Estimate.exact(sum(row[action] for row in found) / len(found)) for action in found[0]}
        for label, found in rows.items()
    }


class Tally:
    """Counts how often each action was played at each information state, while there are few of them.

    The unit of independence is the deal: a state's observation is the rate within a deal, or within a block
    of deals, in which it was met.
    """

    def __init__(self, deals: int, blocks: int = BLOCKS) -> None:
        """Take how many deals there will be and how many observations to keep."""
        self.deals, self.blocks = deals, blocks
        self._counts: dict[str, dict[str, NDArray[np.int64]]] = {}
        self._last: dict[str, int] = {}
        self._met: Counter[str] = Counter()

    def add(self, episode: Episode) -> None:
        """Count the own decisions of an episode; episodes come in the order of their deals."""
        if len(self._counts) > FEW:
            return
        block = block_of(episode.deal, self.deals, self.blocks)
        for turn in episode.turns:
            if turn.seat == episode.seat:
                rows = self._counts.setdefault(turn.label, {})
                action = str(turn.action)
                if action not in rows:
                    rows[action] = np.zeros(min(self.deals, self.blocks), dtype=np.int64)
                rows[action][block] += 1
                if self._last.get(turn.label) != episode.deal:
                    self._last[turn.label] = episode.deal
                    self._met[turn.label] += 1

    def rates(self, level: float, interval: Interval = t_interval) -> dict[str, dict[str, Estimate]]:
        """Return the rates by information state; none if there are too many states."""
        if len(self._counts) > FEW:
            return {}
        return {label: self._rates(label, level, interval) for label in sorted(self._counts)}

    def _rates(self, label: str, level: float, interval: Interval) -> dict[str, Estimate]:
        rows, deals = self._counts[label], self._met[label]
        totals = np.sum(list(rows.values()), axis=0)
        seen = totals > 0
        return {
            action: mean_estimate(
                counts[seen] / totals[seen], Range(0.0, 1.0), level, int(totals.sum()), deals, interval
            )
            for action, counts in sorted(rows.items())
        }
