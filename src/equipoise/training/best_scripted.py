"""The best scripted strategy of a game under the objective, as a yardstick."""

from __future__ import annotations

from dataclasses import replace

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.result import GameResult
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.solution import solution_of
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.opponents.registry import strategies
from equipoise.policies.scripted import StrategyPolicy

__all__ = ["best_scripted"]


def best_scripted(game: Game, config: AuditConfig, opponents: Opponents | None = None) -> GameResult:
    """Return the audit of the scripted strategy with the largest safety.

    Where an opponent has no finite-memory form the first train opponent stands in, sampled.

    Args:
        game: The game.
        config: How to audit.
        opponents: The opponents of the pools, where they are loaded already.
    """
    pools = config.pools or default_pools(game.name)
    objective = Objective.of(game.info_record, pools, config.weights)
    met = opponents or Opponents.named(pools, game, None)
    known = strategies(game.name)
    best = None if met.strategies is None else solution_of(game, objective, met.strategies).best_scripted
    name = next((one for one in pools.train if one in known), "random") if best is None else best[0]
    policy = StrategyPolicy(known[name])
    alone = replace(config, out=None)
    return audit_game(game, policy, alone, name=f"best scripted: {name}", opponents=met)
