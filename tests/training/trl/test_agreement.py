"""The two backends make the same step of the same episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from equipoise.training.samples import DecisionSample, decision_samples
from equipoise.training.tokens import TokenLearner
from equipoise.training.trl.run import TrlSepo
from tests.training.trl.runs import arena_of, config_of, policy_of, run_of


def played(mode: str, config: Any) -> list[DecisionSample]:
    """Return the samples of the first step, played by a policy of its own."""
    policy = policy_of(mode)
    return decision_samples(arena_of(policy, config).sample(policy, 0, {}))


def trained(policy: Any) -> dict[str, torch.Tensor]:
    """Return the weights that are trained, without the copies that backends keep as a reference."""
    found = policy.loaded.model.named_parameters()
    return {name: p.detach().clone() for name, p in found if p.requires_grad and ".default." in name}


def gradients_of(learner: TokenLearner, batch: list[DecisionSample], config: Any) -> dict[str, torch.Tensor]:
    found: dict[str, torch.Tensor] = {}
    step = learner.optimiser.step

    def watch(lr: float) -> float | None:
        named = learner.policy.loaded.model.named_parameters()
        found.update({n: p.grad.clone() for n, p in named if p.grad is not None})
        return step(lr)

    learner.optimiser.step = watch  # type: ignore[method-assign]
    learner.update(batch, config.lr, config.kl, config.entropy)
    return found


def gradients_in(run: TrlSepo) -> dict[str, torch.Tensor]:
    found: dict[str, torch.Tensor] = {}
    before = run.before_update

    def watch() -> None:
        named = run.policy.loaded.model.named_parameters()
        found.update({n: p.grad.clone() for n, p in named if p.grad is not None})
        before()

    run.before_update = watch  # type: ignore[method-assign]
    run.run()
    return found


@pytest.mark.parametrize("mode", ["think", "free", "choose"])
def test_gradient_and_update_are_those_of_the_token_learner(mode: str, tmp_path: Path) -> None:
    # Gradients are large in a random model; with this norm neither side scales them down.
    config = config_of(steps=1, kl=0.2, entropy=0.1, max_grad_norm=1e6, max_step_kl=1e3)
    policy = policy_of(mode)
    learner = TokenLearner(policy, config.max_grad_norm, max_step_kl=config.max_step_kl)
    wanted = gradients_of(learner, played(mode, config), config)
    run = run_of(tmp_path / "run", mode, **config.model_dump())
    found = gradients_in(run)
    assert set(found) == set(wanted)
    largest = max(float(g.abs().max()) for g in wanted.values())
    for name, gradient in wanted.items():
        assert torch.allclose(found[name], gradient, rtol=1e-3, atol=1e-5 * largest), name
    ours = trained(run.policy)
    for name, parameter in trained(policy).items():
        # Adam's first step is the sign of a gradient: where that is rounding, so is the step.
        sure = wanted[name].abs() > 1e-4 * largest
        assert torch.allclose(ours[name][sure], parameter[sure], atol=1e-6), name


def test_a_thought_and_its_action_are_one_decision_in_two_rows(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", "think", steps=1)
    run.run()
    row = run.history[0]
    assert row["rows"] == 2 * row["trained"] == 2 * row["decisions"]
    assert row["sampler_gap_max"] < 1e-4
    assert row["invalid_rate"] == 0.0


@pytest.mark.parametrize("limit", [1e-4, 1e3])
def test_a_step_that_goes_too_far_is_halved_as_the_token_learner_does(limit: float, tmp_path: Path) -> None:
    config = config_of(steps=1, lr=0.02, max_step_kl=limit)
    learner = TokenLearner(policy_of("think"), config.max_grad_norm, max_step_kl=limit)
    stats = learner.update(played("think", config), config.lr, config.kl, config.entropy)
    run = run_of(tmp_path / "run", "think", **config.model_dump())
    run.run()
    row = run.history[0]
    assert row["step_taken"] == stats["step_taken"]
    assert row["step_kl"] == pytest.approx(stats["step_kl"], rel=1e-2)
    assert (row["step_taken"] < 1.0) == (limit < 1.0)
    assert row["token_entropy"] == pytest.approx(stats["token_entropy"], rel=1e-4)


def test_an_update_that_is_not_finite_is_skipped_and_counted(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", "free", steps=2, max_skipped=1)
    before = trained(run.policy)
    first, play = [True], run.play

    def spoiled(step: int) -> Any:
        found = play(step)
        if first.pop(0) if first else False:
            from dataclasses import replace

            rows = [replace(row, weights=(float("inf"),) * len(row.weights)) for row in found.rows]
            return replace(found, rows=rows)
        return found

    run.trainer.play = spoiled
    checked: list[dict[str, torch.Tensor]] = []
    after = run.end_step

    def watch(logs: Any) -> None:
        after(logs)
        checked.append(trained(run.policy))

    run.end_step = watch  # type: ignore[method-assign]
    run.run()
    assert [row["skipped"] for row in run.history] == [1.0, 0.0]
    assert run.updates == 1
    assert all(torch.equal(checked[0][name], before[name]) for name in before)
    assert any(not torch.equal(checked[1][name], before[name]) for name in before)
    assert "loss" not in run.history[0]
