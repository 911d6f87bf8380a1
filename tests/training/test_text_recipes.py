"""Recipes whose model thinks or writes freely, from audit to training and back."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from equipoise.cli import main
from equipoise.errors import RequestError
from equipoise.rollout.transcript import read_episodes
from equipoise.training.checkpoints import TrainerFolder
from equipoise.training.pipeline import run_recipe
from tests.training.recipes import summary
from tests.training.settings import adapter, metrics, warm

FEWER = ("games.ipd.options.rounds=2", "games.ipd.train.sepo.rollouts=2", "audit.episodes=1")
FREE = (*FEWER, "mode=free", "max_new_tokens=4", "history=chat")


def trained(run: Path) -> Path:
    return run / "ipd" / "sepo" / "train"


@pytest.fixture(scope="module")
def thinking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_recipe("smoke-think", [f"out={tmp_path_factory.mktemp('think') / 'run'}", *FEWER]).folder


@pytest.fixture(scope="module")
def writing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_recipe("smoke-think", [f"out={tmp_path_factory.mktemp('free') / 'run'}", *FREE]).folder


def test_a_model_that_thinks_is_audited_and_trained_in_that_mode(thinking: Path) -> None:
    data = summary(thinking)
    rows = {row["policy"]: row for row in data["results"]}
    assert list(rows)[:2] == ["base", "sepo"]
    for name in ("base", "sepo"):
        assert "/think/1/8" in rows[name]["settings"]["fingerprint"]
        assert rows[name]["metrics"]["invalid_rate"]["value"] == 0.0
    for name in ("base", "sepo"):
        for episode in read_episodes(thinking / "ipd" / name / "audit" / "transcript.jsonl"):
            own = [turn.choice.generations for turn in episode.turns if turn.seat == episode.seat]
            assert [[made.role for made in some] for some in own] == [["thought", "action"]] * 2


def test_every_step_counts_lengths_failures_and_the_gap(thinking: Path, writing: Path) -> None:
    for row in metrics(trained(thinking)):
        assert (row["invalid_rate"], row["truncation_rate"], row["refusal_rate"]) == (0.0, 0.0, 0.0)
        assert 0.0 <= row["budget_rate"] <= 1.0
        assert 1.0 <= row["thought_tokens"] <= 8.0
        assert row["action_tokens"] >= 1.0
        assert row["sampler_gap"] < 1e-4
        assert row["skipped"] == 0.0
        # Every token of a thought, and one branch of the action.
        assert row["tokens"] == pytest.approx((row["thought_tokens"] + 1.0) * row["decisions"])
        assert {"lengths at the budget"} <= set(row["alarms"])
    for row in metrics(trained(writing)):
        assert row["invalid_rate"] > 0.9
        assert row["truncation_rate"] <= row["invalid_rate"]
        assert row["tokens"] == pytest.approx(row["action_tokens"] * row["decisions"])
        assert "invalid answers" in row["alarms"]


def test_training_moves_the_adapter(thinking: Path, writing: Path) -> None:
    for run in (thinking, writing):
        lora_b = [w for name, w in adapter(trained(run) / "checkpoint").items() if "lora_B" in name]
        assert max(abs(weight).max() for weight in lora_b) > 1e-4


@pytest.mark.parametrize("mode", ["think", "free"])
def test_an_interrupted_run_ends_with_the_same_bytes(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    whole = request.getfixturevalue({"think": "thinking", "free": "writing"}[mode])
    settings = [f"out={tmp_path / 'run'}", *(FEWER if mode == "think" else FREE)]
    real = TrainerFolder.save
    saves = 0

    def failing(self: TrainerFolder, write: Any) -> None:
        nonlocal saves
        saves += 1
        if saves == 2:
            raise KeyboardInterrupt
        real(self, write)

    with monkeypatch.context() as patched:
        patched.setattr(TrainerFolder, "save", failing)
        with pytest.raises(KeyboardInterrupt):
            run_recipe("smoke-think", settings)
    again = run_recipe("smoke-think", settings).folder
    for name in ("adapter_model.safetensors", "optimiser.safetensors"):
        file = Path("checkpoint") / name
        assert (trained(again) / file).read_bytes() == (trained(whole) / file).read_bytes()
    assert metrics(trained(again)) == metrics(trained(whole))
    assert summary(again) == summary(whole)


def test_what_needs_probabilities_is_refused(tmp_path: Path) -> None:
    for setting in ('gradient="exact"', 'gates="exact"', 'exploiters="pool+best_response"'):
        given = [f"out={tmp_path / setting[:4]}", *FEWER, f"games.ipd.train.sepo.{setting}"]
        with pytest.raises(RequestError, match="too large"):
            run_recipe("smoke-think", given, stages=("sepo",))


def test_alarms_go_to_standard_error_and_never_into_json(tmp_path: Path) -> None:
    shown, said = io.StringIO(), io.StringIO()
    given = [f"out={tmp_path / 'run'}", *FREE, "games.ipd.train.sepo.steps=1"]
    with redirect_stdout(shown), redirect_stderr(said):
        code = main(["run", "smoke-think", "--json", "-", *given])
    assert code == 0
    assert json.loads(shown.getvalue())["recipe"] == "smoke-think"
    assert "alarm" not in shown.getvalue()
    assert "alarm at step 1: invalid answers" in said.getvalue()


def test_a_warm_start_teaches_whoever_writes_freely_the_marker_too(tmp_path: Path) -> None:
    """The same examples cost more where the marker belongs to the answer, and get likelier."""
    losses = {}
    for mode in ("choose", "free"):
        top = {"mode": mode, **({"max_new_tokens": 2} if mode == "free" else {})}
        losses[mode] = warm(tmp_path, top=top, steps=24, lr=1e-2, select_every=24).column("loss")
    assert losses["free"][0] > losses["choose"][0] + 1.0
    assert losses["free"][-1] < 0.5 * losses["free"][0]
