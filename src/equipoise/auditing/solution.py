"""What is known of a game apart from the policy: J*, best replies to exploiters, the best script."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from equipoise.auditing.behaviour import LIMIT, placements
from equipoise.auditing.exact.compile import TooLargeError
from equipoise.auditing.exact.optimum import Optimum, objective_trees, optimum
from equipoise.auditing.exact.product import placed_features
from equipoise.auditing.exact.reply import reply_value
from equipoise.auditing.exact.tree import Tree
from equipoise.games.base import Game
from equipoise.objective.safety import Objective, Terms
from equipoise.opponents.base import Strategy
from equipoise.opponents.registry import strategies

__all__ = ["Solution", "solution_of"]


STEPS = 2_000_000
"""Steps that the best reply to one opponent may take."""

QUICK = 60_000
"""Steps that a scripted strategy's value against one opponent may take, to be a yardstick."""


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
        """J* and an optimal policy, or None where the game is too large or J* is not applicable."""
        if self.trees is None or self.objective.penalised == "best_response":
            return None
        return optimum(self.trees, self.objective)

    @cached_property
    def replies(self) -> dict[str, float] | None:
        """The best reply's payoff per round against each exploiter, or None where that takes too long."""
        if self.game.info_record.solution == "none":
            return None
        try:
            return {
                name: reply_value(self.game, self._strategies[name], STEPS)
                for name in self.objective.pools.exploiter
            }
        except TooLargeError:
            return None

    @cached_property
    def best_scripted(self) -> tuple[str, float] | None:
        """The scripted strategy with the largest safety, and its safety; those that take long are left out.

        None if all of them are.
        """
        found: dict[str, float] = {}
        if self.game.info_record.solution == "none":
            return None
        for name, strategy in strategies(self.game.name).items():
            try:
                found[name] = self.terms(strategy, QUICK).safety
            except TooLargeError:
                continue
        return max(found.items(), key=lambda item: item[1], default=None)

    def terms(self, strategy: Strategy, limit: int | None = None) -> Terms:
        """Return the exact terms of J of a strategy.

        Raises:
            TooLargeError: A value against one opponent takes more than ``limit`` steps.
        """
        placed = placements([strategy], self.game)
        streams = self.objective.streams
        opponents = {name: self._strategies[name] for _, name in streams}
        means = {name: placed_features(self.game, placed, other, limit) for name, other in opponents.items()}
        return self.objective.terms({stream: means[stream[1]] for stream in streams})


_CACHE: dict[object, Solution] = {}


def solution_of(game: Game, objective: Objective, strategies: Mapping[str, Strategy]) -> Solution:
    """Return the solution, shared between calls about the same game, objective and opponents."""
    used = {name: strategies[name] for _, name in objective.streams}
    key = (game.info_record.key, repr(game.options), objective, tuple(id(s) for s in used.values()))
    found = _CACHE.get(key)
    if found is None:
        found = _CACHE[key] = Solution(game, objective, used)
    return found
