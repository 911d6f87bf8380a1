"""Every setting changes something that can be seen, and a setting that cannot be is refused."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from equipoise.errors import EquipoiseError, RequestError
from equipoise.policies.local.scoring import ActionScorer
from equipoise.training import library
from equipoise.training.config import LoraSettings, SepoConfig, SftConfig
from equipoise.training.optimiser import Optimiser
from equipoise.training.pipeline import run_recipe
from equipoise.training.table import SoftmaxTable, TabularLearner
from equipoise.training.teachers import RECIPES
from tests.training.settings import (
    metrics,
    overrides,
    sepo,
    warm,
    write_recipe,
)

# --- SEPO ------------------------------------------------------------------------------------------------


EXACT, SAMPLED = {"gradient": "exact"}, {"gradient": "sampled"}
LIMITED = {"multipliers": "lagrangian", "limits.e": 0.01}
LEAGUE = {**EXACT, "steps": 5}

MOVES: list[tuple[str, dict[str, Any], Any, Any]] = [
    # The field, what else is set, a value and another one: training must go elsewhere.
    ("gradient", {}, "exact", "sampled"),
    ("gradient", {}, "all_actions", "sampled"),
    ("branches", {"gradient": "all_actions"}, 1, 2),
    ("deals", SAMPLED, 2, 3),
    ("rollouts", SAMPLED, 2, 4),
    ("max_decisions", SAMPLED, 3, 6),
    ("lr", EXACT, 1.0, 2.0),
    ("lr_decay", EXACT, 0.0, 0.5),
    ("kl", EXACT, 0.0, 0.5),
    ("entropy", EXACT, 0.0, 0.5),
    ("scale", SAMPLED, "rms", "none"),
    ("gates", SAMPLED, "exact", "running"),
    ("credit", SAMPLED, "per_pool", "per_rollout"),
    ("credit", SAMPLED, "per_rollout", "shared"),
    ("penalised", EXACT, "opponent_advantage", "regret"),
    ("penalised", EXACT, "opponent_advantage", "best_response"),
    ("penalised", SAMPLED, "opponent_advantage", "regret"),
    ("dual_lr", {**EXACT, **LIMITED}, 0.1, 5.0),
    ("lambda_max", {**EXACT, **LIMITED}, 20.0, 0.5),
    ("limits.e", {**EXACT, "multipliers": "lagrangian", "dual_lr": 5.0}, 0.01, 0.4),
    ("exploiters", EXACT, "pool", "none"),
    ("exploiters", SAMPLED, "pool", "pool+library_response"),
    ("exploiters", {**EXACT, "steps": 5, "lr": 30.0}, "pool+best_response", "pool+best_response+league"),
    ("league_size", {**EXACT, "exploiters": "pool+best_response+league", "steps": 6, "lr": 30.0}, 1, 4),
    ("exploiters", EXACT, "pool", "pool+best_response"),
    ("respond_every", {**EXACT, "exploiters": "pool+best_response", "steps": 5, "lr": 30.0}, 1, 5),
    ("max_grad_norm", EXACT, 0.01, 1.0),
    ("max_step_kl", {**EXACT, "model": "tiny-random", "steps": 1, "lr": 5e-3}, 1.0, 1e-4),
    ("seed", SAMPLED, 0, 1),
    ("pools", EXACT, {}, {"train": ["self", "nash"]}),
    ("pools", SAMPLED, {}, {"exploiter": ["always_bet"]}),
    ("curriculum", EXACT, [], [{"until": 2, "train": ["nash"]}]),
    ("curriculum", EXACT, [{"until": 2, "train": ["nash"]}], [{"until": 1, "train": ["nash"]}]),
    ("curriculum", EXACT, [{"until": 2, "exploiter": []}], [{"until": 2, "exploiter": ["nash"]}]),
    ("league", LEAGUE, {"every": 1}, {"every": 2}),
    ("league", LEAGUE, {"every": 1, "keep": 2}, {"every": 1, "keep": 1}),
    ("league", LEAGUE, {"every": 1, "pool": "train"}, {"every": 1, "pool": "exploiter"}),
    ("league", LEAGUE, {"every": 1, "weight": 1}, {"every": 1, "weight": 2}),
]


@pytest.mark.parametrize(
    ("field", "base", "value", "other"), [pytest.param(*case, id=f"{case[0]}={case[3]}") for case in MOVES]
)
def test_sepo_settings_that_change_where_training_goes(
    tmp_path: Path, field: str, base: dict[str, Any], value: Any, other: Any
) -> None:
    first = sepo(tmp_path, **base, **{field: value})
    assert not first.moved_like(sepo(tmp_path, **base, **{field: other}))


def test_sepo_multipliers_are_fixed_unless_there_are_limits(tmp_path: Path) -> None:
    fixed = sepo(tmp_path, **EXACT, multipliers="penalty")
    moving = sepo(tmp_path, **EXACT, **LIMITED)
    assert not fixed.moved_like(moving)
    assert fixed.moved_like(sepo(tmp_path, **EXACT))
    assert not fixed.column("lambda_e")
    assert moving.column("lambda_e")[0] == 1.5
    assert len(set(moving.column("lambda_e"))) == 3


def test_sepo_compares_scripted_strategies_on_as_many_deals_as_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SoftmaxTable, "exact_states", 0)
    asked: list[int] = []
    real = library.Library._requests

    def watch(self: Any, *given: Any) -> Any:
        asked.append(len(real(self, *given)))
        return real(self, *given)

    monkeypatch.setattr(library.Library, "_requests", watch)
    for deals in (2, 3):
        sepo(tmp_path, **SAMPLED, exploiters="pool+library_response", respond_deals=deals, steps=1)
    # Kuhn has five strategies that are not held out, met from two seats.
    assert set(asked[: len(asked) // 2]) == {2 * 5 * 2}
    assert set(asked[len(asked) // 2 :]) == {3 * 5 * 2}


@pytest.mark.parametrize("base", [EXACT, SAMPLED], ids=["exact", "sampled"])
def test_equal_settings_go_to_the_same_place(tmp_path: Path, base: dict[str, Any]) -> None:
    first, again = sepo(tmp_path, **base), sepo(tmp_path, **base)
    assert first.moved_like(again)
    assert first.rows == again.rows


def test_sepo_settings_do_what_their_names_say(tmp_path: Path) -> None:
    exact, sampled = sepo(tmp_path, **EXACT, steps=4, lr_decay=0.5, lr=2.0), sepo(tmp_path, **SAMPLED)
    assert len(exact.rows) == 4
    assert exact.column("lr") == pytest.approx([2.0, 2.0 / 1.5, 1.0, 2.0 / 2.5])
    assert len(exact.column("safety")) == 4
    assert not exact.column("episodes")
    # Three train and three exploiter opponents, two deals, three rollouts.
    assert sampled.column("episodes") == [6 * 2 * 3] * 3
    assert sepo(tmp_path, **SAMPLED, deals=1, rollouts=5).column("episodes") == [6 * 1 * 5] * 3
    thinned = sepo(tmp_path, **SAMPLED, max_decisions=5)
    assert (thinned.column("kept"), sampled.column("kept")) == ([5] * 3, sampled.column("prompts"))
    assert sepo(tmp_path, **SAMPLED, scale="none").column("advantage_scale") == [1.0] * 3
    assert set(sampled.column("advantage_scale")) & {1.0} == set()
    assert sepo(tmp_path, **EXACT, exploiters="none").rows[0]["exploitability"] is None


def test_sepo_evaluates_answers_and_saves_as_often_as_asked(tmp_path: Path) -> None:
    def evaluated(**settings: Any) -> list[int]:
        rows = sepo(tmp_path, **EXACT, steps=6, **settings).rows
        return [row["step"] for row in rows if "select_score" in row]

    assert evaluated(select_every=2) == [2, 4, 6]
    assert evaluated(select_every=4) == [4, 6]
    assert evaluated(select_every=1) == [1, 2, 3, 4, 5, 6]
    saves = {
        every: sepo(tmp_path, **EXACT, steps=6, checkpoint_every=every).calls["save"] for every in (1, 2, 4)
    }
    assert saves == {1: 6, 2: 3, 4: 2}
    settings = {**EXACT, "exploiters": "pool+best_response", "steps": 6, "select_every": 6}
    answers = {
        every: sepo(tmp_path, **settings, respond_every=every).calls["respond"] for every in (1, 2, 3, 6)
    }
    # One before the first evaluation, then as often as asked.
    assert answers == {1: 1 + 6, 2: 1 + 3, 3: 1 + 2, 6: 1 + 1}


def test_sepo_gates_are_what_is_cheap_unless_said_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    auto = sepo(tmp_path, **SAMPLED, gates="auto")
    assert auto.moved_like(sepo(tmp_path, **SAMPLED, gates="exact"))
    monkeypatch.setattr(SoftmaxTable, "exact_states", 0)
    dear = sepo(tmp_path, **SAMPLED, gates="auto")
    assert dear.moved_like(sepo(tmp_path, **SAMPLED, gates="running"))
    assert not dear.moved_like(auto)
    with pytest.raises(RequestError, match="gates = 'exact': kuhn is too large"):
        sepo(tmp_path, **SAMPLED, gates="exact")


def test_sepo_selects_on_as_many_deals_as_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SoftmaxTable, "exact_states", 0)
    few, many = (sepo(tmp_path, **SAMPLED, select_episodes=n) for n in (2, 5))
    assert few.moved_like(many)
    assert few.column("select_score") != many.column("select_score")


def test_evaluating_does_not_change_where_training_goes(tmp_path: Path) -> None:
    settings = {**EXACT, "exploiters": "pool+best_response", "steps": 6, "respond_every": 6, "lr": 30.0}
    seldom = sepo(tmp_path, **settings, select_every=6)
    assert seldom.moved_like(sepo(tmp_path, **settings, select_every=1))


def test_evaluating_a_fixed_pool_does_not_change_where_training_goes(tmp_path: Path) -> None:
    for base in (EXACT, SAMPLED):
        assert sepo(tmp_path, **base, select_every=1).moved_like(sepo(tmp_path, **base, select_every=3))


def test_sepo_rows_bound_a_pass_of_a_model(tmp_path: Path) -> None:
    sizes: dict[int, list[int]] = {}
    for rows in (2, 5):
        with pytest.MonkeyPatch.context() as patched:
            found = sizes[rows] = []
            real = ActionScorer.log_probabilities

            def watch(self: Any, asked: Any, real: Any = real, found: Any = found, **named: Any) -> Any:
                if torch.is_grad_enabled():
                    found.append(len(asked))
                return real(self, asked, **named)

            patched.setattr(ActionScorer, "log_probabilities", watch)
            sepo(tmp_path, model="tiny-random", **EXACT, steps=1, lr=1e-3, rows=rows)
    assert sizes == {2: [2] * 6, 5: [5, 5, 2]}


def test_a_language_model_is_credited_like_a_table(tmp_path: Path) -> None:
    settings = {**SAMPLED, "model": "tiny-random", "steps": 1, "lr": 5e-3, "max_step_kl": 1.0}
    first, second, third = (
        sepo(tmp_path, **settings, credit=credit) for credit in ("per_pool", "per_rollout", "shared")
    )
    assert not first.moved_like(second)
    assert not second.moved_like(third)
    # What is played does not depend on who is credited.
    assert first.column("episodes") == second.column("episodes") == third.column("episodes")


def test_sepo_pass_tokens_bound_a_pass_over_text(tmp_path: Path) -> None:
    passes: dict[int, int] = {}
    for tokens in (1, 100_000):
        with pytest.MonkeyPatch.context() as patched:
            found: list[int] = []
            real = ActionScorer.logits

            def watch(self: Any, rows: Any, real: Any = real, found: Any = found, **named: Any) -> Any:
                if torch.is_grad_enabled():
                    found.append(len(rows))
                return real(self, rows, **named)

            patched.setattr(ActionScorer, "logits", watch)
            settings = {**SAMPLED, "model": "tiny-random", "steps": 1, "lr": 1e-3, "deals": 1, "rollouts": 2}
            sepo(tmp_path, top={"mode": "think", "thought_tokens": 2}, **settings, pass_tokens=tokens)
        passes[tokens] = len(found)
        assert tokens > 1 or set(found) == {1}
    assert passes[1] > passes[100_000] == 1


def newest(folder: Path) -> Path:
    run = max(folder.glob("run*"), key=lambda run: run.stat().st_mtime_ns)
    return run / "kuhn" / "sepo" / "train"


def test_sepo_limits_stop_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gradient that is not finite makes no step; enough of them, or a wrong sampler, end the run.

    What was done before is kept: the step that broke the limit on skipped ones is in the checkpoint, the one
    whose sampler was wrong is not.
    """
    settings = {**EXACT, "model": "tiny-random", "steps": 3, "lr": 1e-3}
    with pytest.raises(EquipoiseError, match="max_sampler_gap = 1e-12"):
        sepo(tmp_path, **settings, max_sampler_gap=1e-12)
    place = newest(tmp_path)
    assert [row["step"] for row in metrics(place)] == [1]
    assert not (place / "checkpoint").exists()
    monkeypatch.setattr(Optimiser, "step", lambda self, lr: None)
    for limit, made in ((0, 1), (1, 2)):
        with pytest.raises(EquipoiseError, match=f"{made} steps were skipped .max_skipped = {limit}"):
            sepo(tmp_path, **settings, max_skipped=limit)
        place = newest(tmp_path)
        state = json.loads((place / "checkpoint" / "state.json").read_text(encoding="utf-8"))
        assert state["step"] == made
    assert sepo(tmp_path, **settings, max_skipped=3).column("skipped") == [1.0] * 3


@pytest.mark.parametrize("steps", [2, 3], ids=["at its last step", "before"])
def test_a_run_that_skipped_too_often_fails_again_when_called_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    recipe = write_recipe(tmp_path, "table", "kuhn")
    given = overrides("games.kuhn.train.sepo.", {**EXACT, "steps": steps, "max_skipped": 1})
    monkeypatch.setattr(TabularLearner, "update", lambda *_: {"skipped": 1.0})
    for _ in range(2):
        with pytest.raises(EquipoiseError, match=r"step 2: .* 2 steps were skipped .max_skipped = 1"):
            run_recipe(recipe, [f"out={tmp_path / 'run'}", *given], stages=("sepo",))
        assert not (tmp_path / "run" / "kuhn" / "sepo" / "train" / "done").exists()


def test_sepo_patience_and_min_delta(tmp_path: Path) -> None:
    settings = {**EXACT, "steps": 8, "select_every": 1, "lr": 1.0}
    whole = sepo(tmp_path, **settings)
    assert len(whole.rows) == 8
    scores = whole.column("select_score")
    gains = [after - before for before, after in pairwise(scores)]
    assert min(gains) > 0.0
    # Nothing gains more than all of it together, so the first to wait for it is the last.
    hasty = sepo(tmp_path, **settings, patience=1, min_delta=100.0)
    assert len(hasty.rows) == 1
    assert hasty.rows[-1]["stopped"]
    patient = sepo(tmp_path, **settings, patience=3, min_delta=100.0)
    assert [row["waited"] for row in patient.rows] == [1, 2, 3]
    assert len(sepo(tmp_path, **settings, patience=1).rows) == 8


def test_every_sepo_setting_is_tested_here() -> None:
    shown = {case[0].partition(".")[0] for case in MOVES}
    counted = {
        "multipliers",
        "respond_deals",
        "steps",
        "select_every",
        "select_episodes",
        "patience",
        "min_delta",
        "checkpoint_every",
        "rows",
    }
    counted |= {"pass_tokens", "max_sampler_gap", "max_skipped"}
    counted |= {"record_episodes", "report_to"}  # test_credited.py, test_boards.py
    fields = {name: field.annotation for name, field in SepoConfig.model_fields.items()}
    assert not [n for n, one in fields.items() if get_origin(one) is Literal and len(get_args(one)) == 1]
    assert shown | counted == set(fields)


# --- SFT and LoRA ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "other"),
    [
        ("recipe", "paper", "balanced"),
        ("episodes", 16, 20),
        ("validation", 0.25, 0.6),
        ("steps", 3, 4),
        ("batch", 8, 9),
        ("lr", 5e-3, 6e-3),
        ("warmup", 0, 2),
        ("max_grad_norm", 0.01, 100.0),
        ("seed", 0, 1),
    ],
)
def test_sft_settings_that_change_where_training_goes(
    tmp_path: Path, field: str, value: Any, other: Any
) -> None:
    first = warm(tmp_path, **{field: value})
    assert not first.moved_like(warm(tmp_path, **{field: other}))


def test_equal_warm_starts_go_to_the_same_place(tmp_path: Path) -> None:
    first, again = warm(tmp_path), warm(tmp_path)
    assert first.moved_like(again)
    assert first.rows == again.rows


def test_sft_settings_do_what_their_names_say(tmp_path: Path) -> None:
    found = warm(tmp_path, steps=5, warmup=1, lr=1e-3, select_every=2)
    assert len(found.rows) == 5
    assert [row["step"] for row in found.rows if "select_score" in row] == [2, 4, 5]
    assert found.column("lr")[0] == pytest.approx(0.5e-3)
    assert found.column("lr")[-1] == pytest.approx(1e-4)
    every = warm(tmp_path, steps=5, warmup=1, lr=1e-3, select_every=1)
    assert [row["step"] for row in every.rows if "select_score" in row] == [1, 2, 3, 4, 5]
    assert every.moved_like(found)


def test_sft_selects_on_as_many_deals_as_asked(tmp_path: Path) -> None:
    # Four rounds are too many to be valued exactly by a language model unasked.
    few, many = (warm(tmp_path, rounds=4, steps=1, select_every=1, select_episodes=n) for n in (1, 3))
    assert few.moved_like(many)
    assert few.column("select_score") != many.column("select_score")


def test_sft_patience(tmp_path: Path) -> None:
    # A rate so large that nothing gets better for long.
    hasty, patient = (warm(tmp_path, steps=12, select_every=1, lr=0.1, patience=n) for n in (1, 12))
    assert len(hasty.rows) < len(patient.rows) == 12
    assert len(warm(tmp_path, steps=12, select_every=1, lr=1e-6, patience=2, min_delta=9.0).rows) == 3


def test_sft_rows_bound_a_pass(tmp_path: Path) -> None:
    few, many = (warm(tmp_path, steps=1, select_every=1, rows=n) for n in (2, 100))
    # One pass for the step and one for validation, or several.
    assert many.calls["answer_log_probabilities"] == 2
    assert few.calls["answer_log_probabilities"] > 3
    for name, weight in few.weights.items():
        np.testing.assert_allclose(weight, many.weights[name], atol=2e-3)


def test_every_sft_setting_is_tested_here() -> None:
    shown = {"recipe", "episodes", "validation", "steps", "batch", "lr", "warmup", "max_grad_norm", "seed"}
    counted = {"select_every", "select_episodes", "patience", "min_delta", "rows"}
    assert shown | counted == set(SftConfig.model_fields)
    assert get_args(SftConfig.model_fields["recipe"].annotation) == RECIPES


def test_lora_settings_shape_the_adapter(tmp_path: Path) -> None:
    first = warm(tmp_path)
    assert {min(weight.shape) for weight in first.weights.values()} == {4}
    assert {min(w.shape) for w in warm(tmp_path, top={"lora.rank": 2}).weights.values()} == {2}
    assert not first.moved_like(warm(tmp_path, top={"lora.alpha": 8}))
    few = warm(tmp_path, top={"lora.targets": ["q_proj", "v_proj"]})
    assert len(few.weights) == len(first.weights) * 2 // 7
    assert set(LoraSettings.model_fields) == {"rank", "alpha", "targets"}


@pytest.mark.parametrize(
    "changes",
    [
        {"exploiters": "none", "league": {"every": 1, "pool": "exploiter"}},
        {"exploiters": "none", "curriculum": [{"until": 1, "exploiter": ["nash"]}]},
        {"exploiters": "none", "pools": {"exploiter": ["nash"]}},
    ],
    ids=["league", "curriculum", "pools"],
)
def test_who_is_met_by_nobody_cannot_be_named(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="use exploiters = 'pool'"):
        SepoConfig(**changes)


def test_a_limit_on_exploiters_needs_some() -> None:
    limited = {"multipliers": "lagrangian", "limits": {"e": 0.1}, "pools": {"exploiter": []}}
    with pytest.raises(ValidationError, match="needs exploiters that are met"):
        SepoConfig(**limited)  # type: ignore[arg-type]
    SepoConfig(**{**limited, "exploiters": "pool+best_response"})  # type: ignore[arg-type]
