"""Trains a strategist on SEPO's objective: what it is charged for is what its side does to others.

    J = s·u − λe·s·e − λc·c − λx·x

is a function of how strategist and actor play together, and the actor stays as it is, so SEPO's own arena and
loop train the strategist: each stream's strategies on that stream's reward-to-go, leave-one-out within groups
of one deal (docs/credit.md). EPO's process judge has no part in it: rounds have payoffs of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.auditing.opponents import Opponents
from equipoise.games.rules import Rules
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools
from equipoise.progress import Reporter
from equipoise.rollout.requests import InvalidRule
from equipoise.training.arena import Arena
from equipoise.training.cast import everyone
from equipoise.training.config import SepoConfig
from equipoise.training.learner import Learner
from equipoise.training.sepo import Sepo

__all__ = ["train_penalised"]


def train_penalised(
    rules: Rules,
    pools: Pools,
    weights: Mapping[str, float],
    learner: Learner,
    config: SepoConfig,
    settings: Mapping[str, Any],
    identity: Mapping[str, Any],
    folder: Path,
    reporter: Reporter,
    name: str,
) -> None:
    """Train a strategist, from its last checkpoint if there is one.

    Args:
        rules: What is played.
        pools: Whom it meets, by pool.
        weights: Penalty weights ``e``, ``c``, ``x`` that differ from those of the game.
        learner: What is trained.
        config: Settings of the run; the gradient is sampled.
        settings: How language models among the opponents are loaded.
        identity: What identifies the run besides.
        folder: Where checkpoints, metrics and the best weights go.
        reporter: Shows progress.
        name: What progress calls the run.

    Raises:
        RequestError: The settings ask for what the game or task cannot give.
    """
    info = rules.info_record
    objective = Objective.of(info, pools, info.weights.replace(weights))
    models = settings.get("models")
    others = {key: value for key, value in settings.items() if key != "models"}
    met = Opponents.named(everyone(pools, config), rules, None, models, others)
    arena = Arena(rules, objective, learner.policy, config, met, InvalidRule(retries=0))
    Sepo(arena, learner, folder, reporter, identity, title=name).run()
