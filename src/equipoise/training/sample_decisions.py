"""Decisions of a game as a policy meets them, reached by random play; of a task, by what its actors say."""

from __future__ import annotations

from collections.abc import Hashable

from equipoise.games.base import Game
from equipoise.games.rules import Rules
from equipoise.opponents.base import Uniform
from equipoise.policies.base import Policy
from equipoise.policies.scripted import StrategyPolicy
from equipoise.policies.texts import ActorPolicy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest
from equipoise.tasks.registry import task_actors
from equipoise.types import Decision

__all__ = ["sample_decisions"]


def sample_decisions(game: Rules, count: int, seed: int = 0) -> list[Decision]:
    """Return decisions that a player cannot confuse, from episodes of uniform play at every seat.

    Args:
        game: The game, or a task, where a scripted actor speaks at every seat.
        count: How many are wanted; fewer are returned only where hardly any new ones turn up.
        seed: Seed of deals and play.
    """
    info, player = game.info_record, _player(game)
    found: dict[Hashable, Decision] = {}
    for index in range(2 * count):
        seat = index % info.seats
        deal = Deal(seed, Split.TRAIN, info.key, index)
        request = EpisodeRequest(game, deal, "train", "random", seat, (player,) * info.seats)
        (played,) = play([request])
        for decision in played.decisions:
            found.setdefault(decision.information_state, decision)
        if len(found) >= count:
            break
    return list(found.values())[:count]


def _player(game: Rules) -> Policy:
    if isinstance(game, Game):
        return StrategyPolicy(Uniform())
    name, actor = next(iter(task_actors(game.name).items()))
    return ActorPolicy(actor, name)
