"""SEPO's loop trains a language model as a strategist: its tokens, on every pool's episodes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.policies.base import Policy
from equipoise.policies.local.adviser import LocalAdviser
from equipoise.policies.local.strategist import LocalStrategist
from equipoise.policies.registry import load_policy
from equipoise.training.arena import Arena
from equipoise.training.config import LoraSettings, SepoConfig
from equipoise.training.lora import adapted_policy
from equipoise.training.sepo import Sepo
from equipoise.training.tokens import TokenLearner

SPLIT = make_game("split", rounds=2)


def test_a_language_model_is_trained_on_its_strategies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)
    actor = load_policy("coached:random", SPLIT)
    assert isinstance(actor, Policy)
    loaded = adapted_policy("tiny-random", LoraSettings(rank=4), 0, "sepo", quiet=True).loaded
    learner = TokenLearner(LocalStrategist(LocalAdviser(loaded, max_new_tokens=3), actor, "sepo"))
    before = [p.detach().clone() for p in learner.model.parameters() if p.requires_grad]
    config = SepoConfig(
        steps=2, deals=1, rollouts=2, lr=1e-2, kl=0.0, select_every=2, select_episodes=1,
        league={"every": 1, "keep": 1},  # type: ignore[arg-type]
    )  # fmt: skip
    info = SPLIT.info_record
    arena = Arena(SPLIT, Objective.of(info, default_pools("split")), learner.policy, config)
    trained = Sepo(arena, learner, tmp_path).run()
    after = [p for p in learner.model.parameters() if p.requires_grad]
    assert any(not torch.equal(a, b) for a, b in zip(before, after, strict=True))
    # Every strategy has at most three tokens, and what the actor does is not trained.
    assert all(0.0 < row["strategist_tokens"] <= 3.0 for row in trained.history)
    assert all(row["skipped"] == 0.0 for row in trained.history)
