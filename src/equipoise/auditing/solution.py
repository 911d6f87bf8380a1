"""What is known of a game apart from any policy: J*, and the best reply to each exploiter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from equipoise.auditing.behaviour import LIMIT
from equipoise.auditing.exact.compile import TooLargeError
from equipoise.auditing.exact.optimum import Optimum, objective_trees, optimum
from equipoise.auditing.exact.reply import best_reply
from equipoise.auditing.exact.tree import Tree
from equipoise.games.base import Game
from equipoise.objective.features import OWN
from equipoise.objective.safety import Objective
from equipoise.opponents.base import Strategy

__all__ = ["Solution", "solution_of"]


class Solution:
    """Exact quantities of a game under an objective; computed when first asked for.

    Attributes:
        game: The stage game.
        objective: The objective.
    """

    def __init__(self, game: Game, objective: Objective, strategies: Mapping[str, Strategy]) -> None:
        """Take the game, the objective and its opponents in finite-memory form."""
        self.game = game.stage()
        self.objective = objective
        self._strategies = strategies

    @cached_property
    def trees(self) -> tuple[Tree, ...] | None:
        """The tables of all seats, or None where they are too large."""
        if self.game.info_record.solution != "exact":
            return None
        try:
            return objective_trees(self.game, self.objective, self._strategies, LIMIT)
        except TooLargeError:
            return None

    @cached_property
    def optimum(self) -> Optimum | None:
        """J* and an optimal policy, or None where the game is too large."""
        return None if self.trees is None else optimum(self.trees, self.objective)

    @cached_property
    def replies(self) -> dict[str, float] | None:
        """The best reply's payoff per round against each exploiter, or None."""
        if self.trees is None:
            return None
        return {
            name: float(
                np.mean(
                    [
                        best_reply(tree, tree.payoff[:, tree.opponents.index(name), OWN])[0]
                        for tree in self.trees
                    ]
                )
            )
            for name in self.objective.pools.exploiter
        }


_CACHE: dict[object, Solution] = {}


def solution_of(game: Game, objective: Objective, strategies: Mapping[str, Strategy]) -> Solution:
    """Return the solution, shared between calls about the same game, objective and opponents."""
    used = {name: strategies[name] for _, name in objective.streams}
    key = (game.info_record.key, repr(game.options), objective, tuple(id(s) for s in used.values()))
    found = _CACHE.get(key)
    if found is None:
        found = _CACHE[key] = Solution(game, objective, used)
    return found
