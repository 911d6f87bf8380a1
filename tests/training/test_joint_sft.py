"""A warm start on several games: its loss, its gradient, and what each game gives of a batch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.policies.local.policy import LocalPolicy
from equipoise.training.config import LoraSettings, SftConfig
from equipoise.training.joint_sft import JointSft, share_out
from equipoise.training.lora import adapted_policy
from equipoise.training.sft import Sft
from tests.training.warmstarts import catch_gradients, stir

SHARES = {"kuhn": 0.25, "ipd": 0.75}
SMALL: dict[str, Any] = {"episodes": 16, "validation": 0.25, "steps": 2, "batch": 8, "warmup": 0, "lr": 5e-3}
LAST = {"select_every": 2, "select_episodes": 1}
GAMES = {"kuhn": make_game("kuhn"), "ipd": make_game("ipd", rounds=2)}


def fresh() -> LocalPolicy:
    policy = adapted_policy("tiny-random", LoraSettings(rank=2), 0, "sft", quiet=True)
    stir(policy)
    return policy


def alone(name: str, policy: LocalPolicy) -> Sft:
    game = GAMES[name]
    objective = Objective.of(game.info_record, default_pools(name))
    batch = share_out(SMALL["batch"], SHARES)[name]
    return Sft(game, objective, policy, SftConfig(**{**SMALL, **LAST, "batch": batch}))


def joint(policy: LocalPolicy) -> JointSft:
    parts = {name: alone(name, policy) for name in GAMES}
    return JointSft(parts, SHARES, policy, SftConfig(**SMALL, **LAST))


def step(one: Any) -> tuple[float, torch.Tensor]:
    found = catch_gradients(one)
    one.prepare()
    row = one._step(0)
    return row["loss"], found[0]


def test_loss_and_gradient_are_weighted_sums_of_the_games_own() -> None:
    policy = fresh()
    loss, gradient = step(joint(policy))
    parts = {name: step(alone(name, policy)) for name in GAMES}
    assert loss == pytest.approx(sum(SHARES[name] * part for name, (part, _) in parts.items()))
    wanted = sum((SHARES[name] * g for name, (_, g) in parts.items()), torch.zeros_like(gradient))
    assert float((gradient - wanted).norm()) <= 1e-5 * float(wanted.norm())
    assert float((parts["kuhn"][1] - parts["ipd"][1]).norm()) > 1e-2 * float(wanted.norm())


def test_the_score_and_the_losses_are_weighted_means() -> None:
    row = joint(fresh()).run().history[-1]
    for key in ("select_score", "validation_loss", "legal_mass"):
        mean = sum(SHARES[name] * row[f"{name}/{key}"] for name in SHARES)
        assert row[key] == pytest.approx(mean)


@given(st.integers(1, 300), st.lists(st.floats(0.01, 1), min_size=1, max_size=5))
def test_every_game_gives_its_share_of_a_batch(batch: int, weights: list[float]) -> None:
    shares = {str(i): w / sum(weights) for i, w in enumerate(weights)}
    counts = share_out(batch, shares)
    assert all(count >= 1 for count in counts.values())
    assert all(abs(counts[name] - batch * share) <= 1.0 for name, share in shares.items())
