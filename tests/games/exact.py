"""What the golden tests of the games share: the terms of J of a strategy, computed exactly."""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.auditing.exact.product import expected_features
from equipoise.games.base import Game
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.base import Strategy
from equipoise.opponents.pools import Pools, default_pools
from equipoise.opponents.registry import strategies
from equipoise.types import Seat

Golden = tuple[float, float, float, float, float]
"""Exact (u, e, c, x, J)."""


def terms(name: str, policy: str, seat: Seat = 0) -> Golden:
    """Return (u, e, c, x, J) of a strategy over the default pools of a game."""
    return terms_of(make_game(name), default_pools(name), strategies(name), policy, seat)


def terms_of(game: Game, pools: Pools, known: Mapping[str, Strategy], policy: str, seat: Seat = 0) -> Golden:
    """Return (u, e, c, x, J) of a strategy over given pools."""
    objective = Objective.of(game.info_record, pools)
    means = {
        opponent: expected_features(game, known[policy], known[opponent], seat)
        for opponent in dict.fromkeys(opponent for _, opponent in objective.streams)
    }
    found = objective.terms({stream: means[stream[1]] for stream in objective.streams})
    assert found.exploitability is not None
    assert found.collusion is not None
    assert found.externality is not None
    return (found.utility, found.exploitability, found.collusion, found.externality, found.safety)
