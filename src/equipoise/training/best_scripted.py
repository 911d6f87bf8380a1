"""The best scripted strategy of a game under the objective, as a yardstick."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.auditing.behaviour import placements
from equipoise.auditing.exact.product import expected_features
from equipoise.auditing.opponents import Opponents
from equipoise.auditing.result import GameResult
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.opponents.registry import strategies
from equipoise.policies.scripted import StrategyPolicy

__all__ = ["best_scripted"]


def best_scripted(game: Game, config: AuditConfig) -> GameResult:
    """Return the audit of the scripted strategy with the largest safety.

    Where an opponent has no finite-memory form, or exact values take long, the first train opponent stands
    in, sampled.
    """
    pools = config.pools or default_pools(game.name)
    objective = Objective.of(game.info_record, pools, config.weights)
    opponents = Opponents.named(pools, game, None).strategies
    known = strategies(game.name)
    if opponents is None:
        name = next((one for one in pools.train if one in known), "random")
    else:
        stage = game.stage()

        def safety(candidate: str) -> float:
            places = placements([known[candidate]], stage)
            means = {
                stream: np.mean(
                    [expected_features(stage, s, opponents[stream[1]], seat) for s, seat in places], axis=0
                )
                for stream in objective.streams
            }
            return objective.terms(means).safety

        name = max(known, key=safety)
    policy = StrategyPolicy(known[name])
    return audit_game(game, policy, replace(config, out=None), name=f"best scripted: {name}")
