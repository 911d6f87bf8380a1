"""Settings of audits, games and the recipe itself, and what cannot be."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from equipoise.errors import RequestError
from equipoise.policies.local.policy import LocalPolicy
from equipoise.rollout.requests import InvalidRule
from equipoise.rollout.running import RunningEpisode
from equipoise.training.config import Limits, LoraSettings, SepoConfig, SftConfig, Strict
from equipoise.training.pipeline import run_recipe
from equipoise.training.recipe import AuditSettings, GameRecipe, Recipe
from tests.training.settings import (
    Seen,
    overrides,
    warm,
    write_recipe,
)

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
    # A table is valued exactly unless told otherwise.
    kinds = [
        audited(tmp_path, model="table", game="kuhn", **given)["metrics"]["utility"]["kind"]
        for given in ({}, {"audit.exact": False}, {"audit.exact": True})
    ]
    assert kinds == ["exact", "sample", "exact"]
    assert set(AuditSettings.model_fields) == {"episodes", "seed", "level", "exact"}


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
    key = {"games.ipd.options.rounds": 2, "games.ipd.abstraction": "recent"}
    fingerprint = audited(tmp_path, model="table", **key)["settings"]["fingerprint"]
    assert fingerprint == "table/recent/0" != options["settings"]["fingerprint"]
    more = audited(tmp_path, **{"games.ipd.audit_episodes": 3, "audit.episodes": 2})
    assert more["settings"]["episodes"] == 3
    assert set(GameRecipe.model_fields) == {
        *("options", "pools", "weights", "abstraction", "audit_episodes", "sft", "train"),
    }


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


def test_how_the_model_decides(tmp_path: Path) -> None:
    """In audits as in training: the fingerprint says with which settings it was asked."""
    small = {"games.ipd.options.rounds": 1, "audit.episodes": 1}

    def asked(**settings: Any) -> str:
        return str(audited(tmp_path, **small, **settings)["settings"]["fingerprint"])

    assert asked().endswith("/choose/1")
    assert asked(temperature=0.5).endswith("/choose/0.5")
    assert asked(mode="think", thought_tokens=2).endswith("/think/1/2")
    assert asked(mode="free", max_new_tokens=3, temperature=0.5).endswith("/free/0.5/3")
    assert asked(mode="free", max_new_tokens=3, history="chat").endswith("/free/1/3/chat")


def test_invalid_answers_meet_the_same_rule_in_training_and_audits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are never asked again, since only the last answer would be on record."""
    seen: list[InvalidRule] = []
    real = RunningEpisode.__init__

    def watch(self: Any, request: Any, rule: InvalidRule) -> None:
        seen.append(rule)
        real(self, request, rule)

    monkeypatch.setattr(RunningEpisode, "__init__", watch)
    for then in ("fallback", "forfeit"):
        out = tmp_path / then
        top = {"invalid": then, "mode": "free", "max_new_tokens": 2, "audit.episodes": 1, "lora.rank": 2}
        train = {"steps": 1, "deals": 1, "rollouts": 2, "select_episodes": 1, "lr": 1e-4}
        warm_start = {"episodes": 4, "steps": 1, "batch": 4, "select_episodes": 1}
        given = overrides("", {"games.ipd.options.rounds": 1, **top})
        given += overrides("games.ipd.train.sepo.", train) + overrides("games.ipd.sft.", warm_start)
        run_recipe(write_recipe(tmp_path, "tiny-random", "ipd"), [f"out={out}", *given])
        # Teachers play the data of the warm start; they make no mistakes.
        rules = [rule for rule in seen if rule != InvalidRule()]
        assert len(rules) > 50
        assert set(rules) == {InvalidRule(retries=0, then=then)}  # type: ignore[arg-type]
        assert sum(rule == InvalidRule() for rule in seen) <= 4
        seen.clear()


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
    tested = {"name", "model", "dtype", "device", "threads", "seed", "out", "lora", "audit", "games", "joint"}
    # tests/training/epo/test_pipeline.py
    tested |= {"method"}
    tested |= {"mode", "temperature", "thought_tokens", "max_new_tokens", "history", "invalid"}
    # tests/training/trl/test_recipe.py
    tested |= {"backend", "trl"}
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
        (SepoConfig, "max_sampler_gap", 0.0),
        (SepoConfig, "max_skipped", -1),
        (SepoConfig, "pass_tokens", 0),
        (SepoConfig, "rollouts", 1),
        (SepoConfig, "gradient", "approximate"),
        (SepoConfig, "credit", "per_token"),
        (SepoConfig, "scale", "std"),
        (SepoConfig, "penalised", "nash_conv"),
        (SepoConfig, "gates", "none"),
        (SepoConfig, "exploiters", "pools"),
        *((SepoConfig, "exploiters", f"pool{rest}") for rest in ("+league", "+best", "+pool", "+")),
        *((SepoConfig, "exploiters", kind) for kind in ("best_response", "none+league", "")),
        (SepoConfig, "exploiters", "pool+best_response+best_response"),
        *((SepoConfig, name, 0) for name in ("league_size", "respond_deals", "branches")),
        *((SepoConfig, name, 0.0) for name in ("dual_lr", "lambda_max")),
        (SepoConfig, "multipliers", "lagrangian"),
        (SepoConfig, "limits", {"e": 0.1}),
        *((Limits, name, -0.1) for name in ("e", "c", "x")),
        (Limits, "u", 1.0),
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
        ("games.kuhn.train.sepo.limits.f=0.1", "unknown key 'games.kuhn.train.sepo.limits.f'"),
        (
            "games.kuhn.train.sepo.exploiters=pool+libary",
            "no exploiters are called 'libary': choose none, or",
        ),
        (
            "games.kuhn.train.sepo.exploiters=pool+league",
            "a league keeps past responders: add +best_response",
        ),
        ("games.kuhn.train.sepo.multipliers=lagrangian", "needs a limit on at least one of e, c, x"),
        ("games.kuhn.train.sepo.limits.e=0.1", "limits go with multipliers = 'lagrangian'"),
        ("lora.rang=3", "unknown key 'lora.rang': did you mean 'rank'"),
        ("audit.episode=3", "unknown key 'audit.episode': did you mean 'episodes'"),
        ("mode=think", "mode = 'think': a table writes no text, use mode = 'choose'"),
        ("mode=chose", "did you mean 'choose'"),
        ("history=chat", "history = 'chat': mode 'choose' writes nothing"),
        ("invalid=retry", "invalid = 'retry'"),
        *((f"{key}=0", f"{key} = 0") for key in ("temperature", "thought_tokens", "max_new_tokens")),
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
