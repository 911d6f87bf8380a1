"""Every setting changes something that can be seen, and a setting that cannot be is refused.

Settings go in at the top, as overrides of a recipe, and what they change is looked for at the bottom: in the
metrics, the weights and the audits of the run.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import torch
from pydantic import ValidationError
from safetensors import safe_open

import equipoise.training.checkpoints as checkpoints
import equipoise.training.exploiters as exploiters
import equipoise.training.sft as sft
from equipoise.errors import RequestError
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.local.scoring import ActionScorer
from equipoise.training.config import LoraSettings, SepoConfig, SftConfig, Strict
from equipoise.training.pipeline import run_recipe
from equipoise.training.recipe import AuditSettings, GameRecipe, Recipe
from equipoise.training.table import SoftmaxTable
from equipoise.training.teachers import RECIPES

BARE = 'name = "test"\nmodel = "{model}"\nthreads = 1\n[games.{game}]\n'


def write_recipe(folder: Path, model: str, game: str) -> str:
    file = folder / f"{model}-{game}.toml"
    file.write_text(BARE.format(model=model, game=game), encoding="utf-8")
    return str(file)


def overrides(prefix: str, settings: dict[str, Any]) -> list[str]:
    return [f"{prefix}{key}={_toml(value)}" for key, value in settings.items()]


def _toml(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str | list) else str(value)


def metrics(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]


def adapter(folder: Path) -> dict[str, Any]:
    with safe_open(str(folder / "adapter_model.safetensors"), "np") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


@dataclass
class Seen:
    """What a training run left behind."""

    rows: list[dict[str, Any]]
    weights: Any
    calls: Counter[str]

    def column(self, name: str) -> list[Any]:
        return [row[name] for row in self.rows if name in row]

    def moved_like(self, other: Seen) -> bool:
        return all(np.array_equal(self.weights[k], other.weights[k]) for k in self.weights)


# --- SEPO ------------------------------------------------------------------------------------------------


def sepo(folder: Path, game: str = "kuhn", model: str = "table", **settings: Any) -> Seen:
    """Train a table on the recipe's way and look at it."""
    out = folder / f"run{len(list(folder.iterdir()))}"
    start = {
        "steps": 3,
        "lr": 5.0,
        "deals": 2,
        "rollouts": 3,
        "select_every": 2,
        "select_episodes": 2,
        "kl": 0.0,
    }
    given = overrides(f"games.{game}.train.sepo.", {**start, **settings})
    calls: Counter[str] = Counter()
    with pytest.MonkeyPatch.context() as patched:
        _count(patched, calls, checkpoints.TrainerFolder, "save")
        _count(patched, calls, exploiters.Exploiters, "respond")
        run_recipe(write_recipe(folder, model, game), [f"out={out}", *given], stages=("sepo",))
    place = out / game / "sepo" / "train"
    if model == "table":
        weights = json.loads((place / "checkpoint" / "logits.json").read_text(encoding="utf-8"))
    else:
        weights = adapter(place / "checkpoint")
    return Seen(metrics(place), weights, calls)


def _count(patched: pytest.MonkeyPatch, calls: Counter[str], owner: Any, name: str) -> None:
    real = getattr(owner, name)

    def call(*arguments: Any, **named: Any) -> Any:
        calls[name] += 1
        return real(*arguments, **named)

    patched.setattr(owner, name, call)


EXACT, SAMPLED = {"gradient": "exact"}, {"gradient": "sampled"}

MOVES: list[tuple[str, dict[str, Any], Any, Any]] = [
    # The field, what else is set, a value and another one: training must go elsewhere.
    ("gradient", {}, "exact", "sampled"),
    ("deals", SAMPLED, 2, 3),
    ("rollouts", SAMPLED, 2, 4),
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
    ("exploiters", EXACT, "pool", "none"),
    ("exploiters", EXACT, "pool", "pool+best_response"),
    ("respond_every", {**EXACT, "exploiters": "pool+best_response", "steps": 5, "lr": 30.0}, 1, 5),
    ("max_grad_norm", EXACT, 0.01, 1.0),
    ("max_step_kl", {**EXACT, "model": "tiny-random", "steps": 1, "lr": 5e-3}, 1.0, 1e-4),
    ("seed", SAMPLED, 0, 1),
]


@pytest.mark.parametrize(
    ("field", "base", "value", "other"), [pytest.param(*case, id=f"{case[0]}={case[3]}") for case in MOVES]
)
def test_sepo_settings_that_change_where_training_goes(
    tmp_path: Path, field: str, base: dict[str, Any], value: Any, other: Any
) -> None:
    first = sepo(tmp_path, **base, **{field: value})
    assert not first.moved_like(sepo(tmp_path, **base, **{field: other}))


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


def test_every_sepo_setting_is_tested_here() -> None:
    shown = {case[0] for case in MOVES}
    counted = {"steps", "select_every", "select_episodes", "checkpoint_every", "rows"}
    single = {name for name, f in SepoConfig.model_fields.items() if len(get_args(f.annotation)) == 1}
    assert single == set()
    assert shown | counted | single == set(SepoConfig.model_fields)


# --- SFT and LoRA ----------------------------------------------------------------------------------------


def warm(folder: Path, rounds: int = 2, top: dict[str, Any] | None = None, **settings: Any) -> Seen:
    """Do the warm start of a tiny model on the recipe's way and look at it."""
    out = folder / f"run{len(list(folder.iterdir()))}"
    start = {
        "episodes": 16,
        "steps": 3,
        "batch": 8,
        "lr": 5e-3,
        "warmup": 0,
        "select_every": 2,
        "select_episodes": 2,
        "validation": 0.25,
        "patience": 9,
    }
    given = overrides("games.ipd.sft.", {**start, **settings})
    given += [f"games.ipd.options.rounds={rounds}", *overrides("", {"lora.rank": 4, **(top or {})})]
    calls: Counter[str] = Counter()
    with pytest.MonkeyPatch.context() as patched:
        _count(patched, calls, sft, "answer_log_probabilities")
        run_recipe(write_recipe(folder, "tiny-random", "ipd"), [f"out={out}", *given], stages=("sft",))
    place = out / "ipd" / "sft" / "train"
    return Seen(metrics(place), adapter(place / "checkpoint"), calls)


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


def test_sft_rows_bound_a_pass(tmp_path: Path) -> None:
    few, many = (warm(tmp_path, steps=1, select_every=1, rows=n) for n in (2, 100))
    # One pass for the step and one for validation, or several.
    assert many.calls["answer_log_probabilities"] == 2
    assert few.calls["answer_log_probabilities"] > 3
    for name, weight in few.weights.items():
        np.testing.assert_allclose(weight, many.weights[name], atol=2e-3)


def test_every_sft_setting_is_tested_here() -> None:
    shown = {"recipe", "episodes", "validation", "steps", "batch", "lr", "warmup", "max_grad_norm", "seed"}
    counted = {"select_every", "select_episodes", "patience", "rows"}
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


# --- Audits, games and the recipe itself -----------------------------------------------------------------


def audited(folder: Path, model: str = "tiny-random", game: str = "ipd", **settings: Any) -> dict[str, Any]:
    """Audit an untrained model on the recipe's way and return its part of the summary."""
    out = folder / f"run{len(list(folder.iterdir()))}"
    given = {"audit.episodes": 2, **({"games.ipd.options.rounds": 4} if game == "ipd" else {}), **settings}
    run_recipe(write_recipe(folder, model, game), [f"out={out}", *overrides("", given)])
    data = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    (base,) = [row for row in data["results"] if row["policy"] == "base"]
    return {**base, "recipe": data["recipe"]}


def test_audit_settings(tmp_path: Path) -> None:
    first = audited(tmp_path)
    utility = first["metrics"]["utility"]
    assert (utility["clusters"], utility["level"], first["settings"]["seed"]) == (2, 0.95, 0)
    more = audited(tmp_path, **{"audit.episodes": 3})
    assert more["metrics"]["utility"]["clusters"] == 3
    other = audited(tmp_path, **{"audit.seed": 1})
    assert other["metrics"]["utility"]["value"] != utility["value"]
    narrow = audited(tmp_path, **{"audit.level": 0.5})["metrics"]["utility"]
    assert (narrow["value"], narrow["level"]) == (utility["value"], 0.5)
    assert utility["low"] < narrow["low"] < narrow["high"] < utility["high"]
    assert set(AuditSettings.model_fields) == {"episodes", "seed", "level"}


def test_the_training_seed_leaves_the_audit_of_the_base_alone(tmp_path: Path) -> None:
    assert audited(tmp_path) == audited(tmp_path, seed=5)


def test_game_settings(tmp_path: Path) -> None:
    first = audited(tmp_path, model="table", game="kuhn")
    pools = audited(tmp_path, model="table", game="kuhn", **{"games.kuhn.pools.train": ["always_bet"]})
    assert list(pools["per_opponent"]["train"]) == ["always_bet"]
    assert pools["metrics"]["utility"] != first["metrics"]["utility"]
    assert pools["metrics"]["exploitability"] == first["metrics"]["exploitability"]
    weights = audited(tmp_path, model="table", game="kuhn", **{"games.kuhn.weights.e": 0.5})
    assert (first["weights"]["e"], weights["weights"]["e"]) == (1.5, 0.5)
    assert weights["metrics"]["safety"]["value"] > first["metrics"]["safety"]["value"]
    options = audited(tmp_path, model="table", **{"games.ipd.options.rounds": 2})
    assert options["settings"]["options"] == {"rounds": 2}
    assert set(GameRecipe.model_fields) == {"options", "pools", "weights", "sft", "train"}


def test_pools_and_weights_reach_the_training(tmp_path: Path) -> None:
    """They are the objective's, not the audit's alone."""
    found = []
    for changes in ({}, {"pools.train": ["always_bet"]}, {"weights.e": 0.0}):
        out = tmp_path / f"run{len(found)}"
        given = overrides("games.kuhn.", {"train.sepo.gradient": "exact", "train.sepo.steps": 2, **changes})
        run_recipe(write_recipe(tmp_path, "table", "kuhn"), [f"out={out}", *given], stages=("sepo",))
        place = out / "kuhn" / "sepo" / "train"
        found.append(json.loads((place / "checkpoint" / "logits.json").read_text(encoding="utf-8"))["logits"])
    assert found[0] != found[1]
    assert found[0] != found[2]


def test_the_model_its_type_and_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = audited(tmp_path)
    assert audited(tmp_path, model="table")["settings"]["method"] == "exact"
    half = audited(tmp_path, dtype="bfloat16")
    assert "/bfloat16/" in half["settings"]["fingerprint"]
    assert "/float32/" in first["settings"]["fingerprint"]
    with pytest.raises(RequestError, match="device 'nowhere' cannot be used"):
        audited(tmp_path, device="nowhere")
    asked: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    audited(tmp_path, threads=3)
    assert asked == [3]


def test_name_and_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    recipe = write_recipe(tmp_path, "table", "kuhn")
    run = run_recipe(recipe, ["name=other"])
    assert run.folder == Path("runs/other")
    assert json.loads((tmp_path / "runs/other/summary.json").read_text(encoding="utf-8"))["recipe"] == "other"
    assert run_recipe(recipe, ["out=elsewhere"]).folder == Path("elsewhere")


@pytest.mark.parametrize("kind", ["sft", "sepo"])
def test_the_seed_of_the_recipe_is_added_to_those_of_the_stages(tmp_path: Path, kind: str) -> None:
    def train(seed: int, own: int) -> Seen:
        if kind == "sft":
            return warm(tmp_path, top={"seed": seed}, steps=1, seed=own)
        out = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        given = {"seed": seed, "games.kuhn.train.sepo.seed": own, "games.kuhn.train.sepo.steps": 1}
        run_recipe(
            write_recipe(tmp_path, "table", "kuhn"), [f"out={out}", *overrides("", given)], stages=("sepo",)
        )
        place = out / "kuhn" / "sepo" / "train"
        logits = json.loads((place / "checkpoint" / "logits.json").read_text(encoding="utf-8"))
        return Seen([], logits, Counter())

    first = train(0, 3)
    assert first.moved_like(train(1, 2))
    assert not first.moved_like(train(1, 3))


def test_every_setting_of_a_recipe_is_tested_here() -> None:
    tested = {"name", "model", "dtype", "device", "threads", "seed", "out", "lora", "audit", "games"}
    assert set(Recipe.model_fields) == tested


# --- What cannot be --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "field", "value"),
    [
        *((SepoConfig, name, 0) for name in ("steps", "deals", "respond_every", "select_every", "rows")),
        *((SepoConfig, name, 0) for name in ("select_episodes", "checkpoint_every", "max_grad_norm", "lr")),
        *((SepoConfig, name, -0.1) for name in ("kl", "entropy", "lr_decay", "lr", "max_grad_norm")),
        *((SepoConfig, name, float("nan")) for name in ("kl", "entropy", "lr_decay", "lr")),
        *((SepoConfig, name, float("inf")) for name in ("kl", "lr")),
        (SepoConfig, "max_step_kl", 0.0),
        (SepoConfig, "rollouts", 1),
        (SepoConfig, "gradient", "approximate"),
        (SepoConfig, "credit", "per_token"),
        (SepoConfig, "scale", "std"),
        (SepoConfig, "penalised", "nash_conv"),
        (SepoConfig, "gates", "none"),
        (SepoConfig, "exploiters", "pools"),
        *((SftConfig, name, 0) for name in ("episodes", "steps", "batch", "select_every", "patience")),
        *((SftConfig, name, 0) for name in ("select_episodes", "rows", "lr", "max_grad_norm", "validation")),
        (SftConfig, "warmup", -1),
        (SftConfig, "validation", 1.0),
        (SftConfig, "recipe", "ballanced"),
        (LoraSettings, "rank", 0),
        (LoraSettings, "alpha", 0),
        (AuditSettings, "episodes", 0),
        (AuditSettings, "level", 1.0),
        (AuditSettings, "level", 0.0),
        (SepoConfig, "steps", 1.5),
        (SepoConfig, "no_such_setting", 1),
        (SftConfig, "epochs", 3),
        (LoraSettings, "dropout", 0.1),
    ],
)
def test_what_cannot_be_is_refused(settings: type[Strict], field: str, value: Any) -> None:
    settings()
    with pytest.raises(ValidationError):
        settings(**{field: value})


@pytest.mark.parametrize("settings", [SepoConfig, SftConfig, LoraSettings, AuditSettings])
def test_settings_do_not_change(settings: type[Strict]) -> None:
    one = settings()
    name = next(iter(type(one).model_fields))
    with pytest.raises(ValidationError):
        setattr(one, name, getattr(one, name))


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (
            "games.kuhn.train.sepo.stepps=3",
            "unknown key 'games.kuhn.train.sepo.stepps': did you mean 'steps'",
        ),
        ("games.kuhn.sft.epochs=3", "unknown key 'games.kuhn.sft.epochs'"),
        ("games.kuhn.weight.e=3", "unknown key 'games.kuhn.weight': did you mean"),
        ("lora.rang=3", "unknown key 'lora.rang': did you mean 'rank'"),
        ("audit.episode=3", "unknown key 'audit.episode': did you mean 'episodes'"),
        ("modell=table", "unknown key 'modell': did you mean 'model'"),
        ("games.kuhn.train.sepo.rollouts=1", "games.kuhn.train.sepo.rollouts = 1: "),
        ("games.kuhn.train.sepo.lr=fast", "games.kuhn.train.sepo.lr = 'fast': "),
        ("games.kuhn.options.round=3", "round"),
        ("games.kuhn.pools.exploiters=[]", "unknown pool 'exploiters': did you mean 'exploiter'"),
        ("games.kuhm.weights.e=1.0", "kuhm"),
    ],
)
def test_a_wrong_recipe_is_refused_before_any_work(tmp_path: Path, override: str, message: str) -> None:
    recipe = write_recipe(tmp_path, "table", "kuhn")
    with pytest.raises(RequestError) as caught:
        run_recipe(recipe, [f"out={tmp_path / 'run'}", override])
    assert message in str(caught.value)
    assert not (tmp_path / "run" / "summary.json").exists()


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("games.kuhn.weights.f=1.0", "unknown weight 'f': choose among e, c, x"),
        ("games.kuhn.weights.e=-1.0", "weight e = -1.0: penalty weights are finite and not negative"),
        ("games.kuhn.weights.x=inf", "x = inf"),
        ("games.kuhn.train.sepo.seed=-1", "games.kuhn.train.sepo.seed = -1: "),
        ("games.kuhn.sft.seed=-1", "games.kuhn.sft.seed = -1: "),
        ("audit.seed=-1", "audit.seed = -1: "),
        ("seed=-1", "seed = -1: "),
    ],
)
def test_wrong_weights_and_seeds_are_refused(tmp_path: Path, override: str, message: str) -> None:
    recipe = write_recipe(tmp_path, "table", "kuhn")
    with pytest.raises(RequestError) as caught:
        run_recipe(recipe, [f"out={tmp_path / 'run'}", override])
    assert message in str(caught.value)


def test_settings_of_a_model_are_those_of_the_recipe(tmp_path: Path) -> None:
    """What is loaded for an audit after training is what was trained: type and device included."""
    asked: list[dict[str, Any]] = []
    real = LocalPolicy.from_spec.__func__  # type: ignore[attr-defined]

    def watch(cls: Any, spec: str, **settings: Any) -> Any:
        asked.append({**settings, "trained": "+" in spec})
        return real(cls, spec, **settings)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LocalPolicy, "from_spec", classmethod(watch))
        out = tmp_path / "run"
        given = overrides("", {"dtype": "bfloat16", "games.ipd.options.rounds": 2, "lora.rank": 2})
        given += overrides("games.ipd.sft.", {"episodes": 4, "steps": 1, "batch": 4, "select_episodes": 1})
        run_recipe(write_recipe(tmp_path, "tiny-random", "ipd"), [f"out={out}", *given])
    assert [(row["trained"], row["dtype"], row["device"]) for row in asked] == [
        (False, "bfloat16", "cpu"),
        (True, "bfloat16", "cpu"),
    ]
