"""The warm start learns answers and nothing else, stops when it should and keeps its best."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import equipoise.training.sft as sft
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import EquipoiseError, RequestError
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.policies.local.policy import LocalPolicy
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.deals import Split
from equipoise.training.config import LoraSettings, SftConfig
from equipoise.training.lora import adapted_policy, save_adapter
from equipoise.training.sft import Sft
from tests.training.warmstarts import (
    IPD,
    KUHN,
    SMALL,
    catch_gradients,
    mean_loss,
    new_sft,
    scripted,
    stir,
    training,
    validation,
    weights,
)


@pytest.mark.parametrize("game", [IPD, KUHN], ids=["ipd", "kuhn"])
def test_the_loss_is_the_mean_of_the_answers(game: Game) -> None:
    size = len(training(new_sft(game)))
    one = new_sft(game, steps=1, batch=size)
    stir(one.policy)
    examples = training(one)
    with torch.no_grad():
        expected = float(mean_loss(one.policy, examples))
    row = one.run().history[0]
    assert row["loss"] == pytest.approx(expected, rel=1e-5)
    assert 0 < size < len(one.examples)
    # Many are equal: each counts.
    distinct = {(e.decision.information_state, e.action): e for e in examples}
    assert len(distinct) < size / 2
    with torch.no_grad():
        once = float(mean_loss(new_sft(game).policy, list(distinct.values())))
    assert abs(once - expected) > 0.01 * expected


def test_only_answers_are_trained() -> None:
    """The gradient is that of the word and the end of the turn; the prompt's own likelihood has no part."""
    size = len(training(new_sft()))
    one = new_sft(steps=1, batch=size)
    stir(one.policy)
    owned = [p for p in one.policy.loaded.model.parameters() if p.requires_grad]
    mean_loss(one.policy, training(one)).backward()
    expected = torch.cat([p.grad.flatten() for p in owned if p.grad is not None])
    for p in owned:
        p.grad = None
    found = catch_gradients(one)
    one.run()
    assert float((found[0] - expected).norm()) < 1e-4 * float(expected.norm())

    tokenizer = one.policy.loaded.tokenizer
    example = training(one)[0]
    prompt = get_renderer("ipd").prompt(example.decision)
    asked = f"<|start|>user\n{prompt.rules}{prompt.situation}<|end|>\n<|start|>assistant\n"
    text = f"{asked}Action: {example.action}<|end|>"
    ids = torch.tensor([tokenizer(text, add_special_tokens=False)["input_ids"]])
    one.policy.loaded.model(ids, labels=ids).loss.backward()
    everything = torch.cat([p.grad.flatten() for p in owned if p.grad is not None])
    assert float((everything - expected).norm()) > 0.1 * float(expected.norm())


def test_equal_examples_are_scored_once() -> None:
    size = len(training(new_sft()))
    one = new_sft(steps=1, batch=size)
    scored: list[int] = []
    real = one.policy.scorer.logits

    def count(rows: Any, **settings: Any) -> Any:
        if torch.is_grad_enabled():
            scored.append(len(rows))
        return real(rows, **settings)

    one.policy.scorer.logits = count  # type: ignore[method-assign]
    one.run()
    assert scored == [len({(e.decision.information_state, e.action) for e in training(one)})]


@pytest.mark.parametrize("rows", [1, 3])
def test_chunks_change_passes_but_not_the_step(rows: int) -> None:
    found, passes = [], []
    for limit in (100, rows):
        one = new_sft(steps=1, rows=limit)
        stir(one.policy)
        gradients = catch_gradients(one)
        real, calls = one.policy.scorer.logits, []

        def count(asked: Any, real: Any = real, calls: Any = calls, **settings: Any) -> Any:
            if torch.is_grad_enabled():
                calls.append(len(asked))
            return real(asked, **settings)

        one.policy.scorer.logits = count  # type: ignore[method-assign]
        loss = one.run().history[0]["loss"]
        found.append((gradients[0], loss))
        passes.append(calls)
    (whole,), pieces = passes
    assert pieces == [rows] * (whole // rows) + ([whole % rows] if whole % rows else [])
    assert float((found[0][0] - found[1][0]).norm()) < 1e-5 * float(found[0][0].norm())
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-6)


def test_the_validation_loss_is_that_of_the_other_episodes() -> None:
    one = new_sft(KUHN)
    before = weights(one.policy)
    row = one.run().history[-1]
    with torch.no_grad():
        assert row["validation_loss"] == pytest.approx(
            float(mean_loss(one.policy, validation(one))), rel=1e-4
        )
    assert any(not torch.equal(a, b) for a, b in zip(before, weights(one.policy), strict=True))
    assert not {e.episode for e in training(one)} & {e.episode for e in validation(one)}
    questions = list(dict.fromkeys(one.policy.question(e.decision) for e in validation(one)[:64]))
    masses = one.policy.scorer.legal_mass(questions)
    assert row["legal_mass"] == pytest.approx(sum(masses) / len(masses), rel=1e-5)
    assert 0.0 < row["legal_mass"] < 1.0


@pytest.mark.parametrize("game", [IPD, KUHN], ids=["ipd", "kuhn"])
def test_the_loss_falls(game: Game) -> None:
    one = new_sft(game, steps=12, episodes=60, batch=64, select_every=6)
    rows = one.run().history
    assert rows[-1]["loss"] < 0.5 * rows[0]["loss"]
    checked = [row["validation_loss"] for row in rows if "validation_loss" in row]
    assert checked[-1] < checked[0]
    masses = [row["legal_mass"] for row in rows if "legal_mass" in row]
    assert masses[-1] > masses[0]


def test_only_the_adapter_is_trained() -> None:
    one = new_sft()
    frozen = {
        n: p.detach().clone() for n, p in one.policy.loaded.model.named_parameters() if "lora_" not in n
    }
    one.run()
    assert frozen
    for name, p in one.policy.loaded.model.named_parameters():
        if "lora_" not in name:
            assert torch.equal(p, frozen[name])


def test_the_selection_score_is_the_objective_without_the_held_out() -> None:
    pools = default_pools("kuhn")
    policy = adapted_policy("tiny-random", LoraSettings(rank=4), 0, "sft", quiet=True)
    objective = Objective.of(KUHN.info_record, pools, replace(KUHN.info_record.weights, e=0.25))
    one = Sft(KUHN, objective, policy, SftConfig(**SMALL))
    row = one.run().history[-1]
    config = AuditConfig(pools=pools, weights=objective.weights, exact=True)
    found = audit_game(KUHN, policy, config).metrics["safety"]
    assert found is not None
    assert row["select_score"] == pytest.approx(found.value, abs=1e-6)
    assert one.pools.shift == ()


def test_selection_plays_on_deals_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[AuditConfig] = []
    real = sft.audit_game

    def watch(game: Game, policy: Any, config: AuditConfig, **given: Any) -> Any:
        seen.append(config)
        return real(game, policy, config, **given)

    monkeypatch.setattr(sft, "audit_game", watch)
    new_sft(select_episodes=3, seed=5).run()
    assert [(c.split, c.episodes, c.seed) for c in seen] == [(Split.SELECT, 3, 5)] * 2


@pytest.mark.parametrize(
    ("scores", "patience", "steps"),
    [
        ([1, 0, 0, 0, 0, 0], 2, 3),
        ([1, 0, 0, 0, 0, 0], 1, 2),
        ([1, 0, 0, 0, 0, 0], 3, 4),
        ([1, 2, 3, 4, 5, 6], 1, 6),
        ([1, 0, 2, 0, 3, 0], 2, 6),
        ([1, 0, 2, 0, 0, 9], 2, 5),
        # Equal is not better, nor is better than last time but worse than ever.
        ([1, 0, 0.5, 0.7, 0.9, 1], 2, 3),
        ([1, 1, 1, 1, 1, 1], 3, 4),
    ],
)
@pytest.mark.parametrize("checks", [[5, 5, 5, 5, 5, 5], [5, 4, 3, 2, 1, 0], [math.nan] * 6])
def test_it_stops_when_the_score_gets_no_better(
    monkeypatch: pytest.MonkeyPatch,
    scores: list[float],
    checks: list[float],
    patience: int,
    steps: int,
) -> None:
    """Whatever the loss on held-out episodes does."""
    scripted(monkeypatch, scores, checks)
    done = new_sft(steps=6, select_every=1, patience=patience).run()
    assert len(done.history) == steps
    assert [row["step"] for row in done.history] == list(range(1, steps + 1))


def test_waiting_goes_by_evaluations_not_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(monkeypatch, [1, 0, 0, 0], [5, 5, 5, 5])
    done = new_sft(steps=20, select_every=3, patience=2).run()
    assert len(done.history) == 9


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ([1.0, 3.0, 2.0, 0.0], 2),
        ([4.0, 3.0, 2.0, 1.0], 1),
        ([1.0, 2.0, 3.0, 4.0], 4),
        ([1.0, 2.0, 2.0, 1.0], 2),
    ],
)
def test_the_weights_with_the_best_score_are_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scores: list[float], best: int
) -> None:
    seen: list[Path] = []

    def watch(policy: LocalPolicy) -> None:
        seen.append(tmp_path / str(len(seen)))
        save_adapter(policy.loaded.model, seen[-1])

    scripted(monkeypatch, scores, [5.0] * 4, watch)
    done = new_sft(folder=tmp_path / "run", steps=4, select_every=1).run()
    assert (done.step, done.score) == (best, scores[best - 1])
    name = "adapter_model.safetensors"
    contents = [(folder / name).read_bytes() for folder in seen]
    assert (tmp_path / "run" / "best" / name).read_bytes() == contents[best - 1]
    assert len(set(contents)) == 4
    assert (tmp_path / "run" / "checkpoint" / name).read_bytes() == contents[3]


def test_the_last_step_is_evaluated_too() -> None:
    done = new_sft(steps=5, select_every=4).run()
    assert [row["step"] for row in done.history if "select_score" in row] == [4, 5]


def test_the_rate_rises_and_falls_on_a_cosine_to_a_tenth() -> None:
    steps, lr = 9, 2e-3
    flat = [row["lr"] for row in new_sft(steps=steps, lr=lr, warmup=0).run().history]
    assert flat[0] == pytest.approx(lr)
    assert flat[steps // 2] == pytest.approx(0.55 * lr)
    assert flat[-1] == pytest.approx(0.1 * lr)
    assert flat == sorted(flat, reverse=True)
    warm = [row["lr"] for row in new_sft(steps=steps, lr=lr, warmup=3).run().history]
    assert [a / b for a, b in zip(warm, flat, strict=True)] == pytest.approx([0.25, 0.5, 0.75, *[1.0] * 6])


@pytest.mark.parametrize(("size", "batch"), [(12, 4), (10, 4), (7, 7), (10, 3), (5, 1)])
def test_every_epoch_shows_every_example_once(size: int, batch: int) -> None:
    picked = [sft.batch_of(step, size, batch, 0) for step in range(3 * size)]
    assert {len(one) for one in picked} == {batch}
    order = [i for one in picked for i in one]
    epochs = [order[start : start + size] for start in range(0, len(order) - size + 1, size)]
    assert all(sorted(epoch) == list(range(size)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs[:4]}) > 1
    assert order != [i for step in range(3 * size) for i in sft.batch_of(step, size, batch, 1)]


def test_a_batch_larger_than_the_data_is_all_of_it_every_time() -> None:
    for step in range(8):
        assert sorted(sft.batch_of(step, 10, 16, 0)) == list(range(10))


def test_no_example_to_train_on_is_an_error() -> None:
    one = new_sft(episodes=1, validation=0.999)
    assert not training(one)
    with pytest.raises(EquipoiseError, match="raise episodes or lower validation"):
        one.run()


def test_a_gradient_that_is_not_finite_is_an_error(tmp_path: Path) -> None:
    one = new_sft(folder=tmp_path / "run")
    with torch.no_grad():
        for name, p in one.policy.loaded.model.named_parameters():
            if "lora_B" in name:
                p[0, 0] = math.inf
    with pytest.raises(EquipoiseError, match="not finite: lower the learning rate"):
        one.run()
    assert not (tmp_path / "run" / "checkpoint").exists()


def test_a_folder_of_other_settings_is_refused(tmp_path: Path) -> None:
    new_sft(folder=tmp_path / "run", steps=1).run()
    with pytest.raises(RequestError, match=r"another config.lr \(0.005, now 0.004\)"):
        new_sft(folder=tmp_path / "run", steps=1, lr=4e-3)
