"""What a policy does at each information state: exact rates where known, frequencies otherwise."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from equipoise.auditing.behaviour import Placed
from equipoise.auditing.exact.compile import TooLargeError, compile_tree
from equipoise.auditing.stats import Range, mean_estimate
from equipoise.games.base import Game
from equipoise.opponents.base import Uniform
from equipoise.opponents.recall import RecallStrategy
from equipoise.types import Episode, Estimate

__all__ = ["action_rates", "exact_rates"]

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


def action_rates(episodes: Sequence[Episode], level: float) -> dict[str, dict[str, Estimate]]:
    """Return how often each action was played at each information state, if there are few of them.

    The unit of independence is the deal: a state's observation is the rate within a deal.
    """
    counts: dict[str, dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for episode in episodes:
        for turn in episode.turns:
            if turn.seat == episode.seat:
                counts[turn.label][episode.deal][str(turn.action)] += 1
        if len(counts) > FEW:
            return {}
    return {label: _rates(by_deal, level) for label, by_deal in sorted(counts.items())}


def _rates(by_deal: dict[int, Counter[str]], level: float) -> dict[str, Estimate]:
    actions = sorted({action for counter in by_deal.values() for action in counter})
    total = sum(counter.total() for counter in by_deal.values())
    return {
        action: mean_estimate(
            np.array([counter[action] / counter.total() for counter in by_deal.values()]),
            Range(0.0, 1.0),
            level,
            total,
        )
        for action in actions
    }
