"""A setting that changes nothing is an error at load time; what a change makes moot is dropped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from equipoise.errors import RequestError
from equipoise.training.config import SepoConfig
from equipoise.training.epo.recipe import is_epo, load_epo
from equipoise.training.joint import JointRecipe
from equipoise.training.moot import without_moot
from equipoise.training.recipe import load_recipe
from equipoise.training.recipe_file import recipe_names
from tests.training.recipes import write

RUN = 'name = "a"\nmodel = "table"\n[games.kuhn.train.a]\nsteps = 4\n'
MODEL = 'name = "a"\nmodel = "tiny-random"\n[games.kuhn.train.a]\nsteps = 4\n'

# Settings of a run that change nothing, with the way out, and what else makes them matter.
MOOT: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"gradient": "exact", "gates": "exact"}, "use gradient = 'sampled'", {"gradient": "sampled"}),
    ({"gradient": "exact", "gates": "running"}, "use gradient = 'sampled'", {"gradient": "all_actions"}),
    ({"gradient": "exact", "scale": "none"}, "neither gates to estimate nor", {"gradient": "sampled"}),
    ({"branches": 3}, "only gradient = 'all_actions' branches off", {"gradient": "all_actions"}),
    ({"min_delta": 0.1}, "leave it out, or set patience", {"patience": 2}),
    ({"dual_lr": 0.2}, "use multipliers = 'lagrangian'", {"multipliers": "lagrangian", "limits": {"e": 0.1}}),
    ({"lambda_max": 5.0}, "fixed weights are", {"multipliers": "lagrangian", "limits": {"e": 0.1}}),
    ({"league": {"every": 4}, "steps": 4}, "league.every = 4 changes nothing in 4 steps", {"steps": 5}),
    (
        {"curriculum": [{"until": 3}, {"until": 5}], "steps": 4},
        "until = 5 lies beyond steps = 4",
        {"steps": 5},
    ),
    ({"league_size": 2}, "add +league to exploiters", {"exploiters": "pool+best_response+league"}),
    ({"respond_every": 2}, "nobody answers the policy", {"penalised": "best_response"}),
    ({"respond_every": 2}, "nobody answers the policy", {"exploiters": "pool+library_response"}),
    ({"respond_deals": 2}, "add +library_response", {"exploiters": "pool+library_response"}),
]


@pytest.mark.parametrize(("settings", "message", "more"), MOOT)
def test_settings_of_a_run_without_effect_are_refused(
    settings: dict[str, Any], message: str, more: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError) as caught:
        SepoConfig(**settings)
    assert message in str(caught.value)
    SepoConfig(**{**settings, **more})


def test_defaults_written_out_are_no_errors() -> None:
    written = {**SepoConfig().model_dump(), "gradient": "exact"}
    assert SepoConfig.model_validate(written) == SepoConfig(gradient="exact")


@pytest.mark.parametrize(
    ("recipe", "override", "message"),
    [
        (
            RUN,
            "games.kuhn.train.a.branches=3",
            "games.kuhn.train.a: branches = 3 changes nothing: only gradient",
        ),
        (RUN, "lora.rank=4", "lora changes nothing: a table has no adapter, leave it out"),
        (RUN, "thought_tokens=8", "thought_tokens = 8 changes nothing: a table does not think, leave it out"),
        (RUN, "max_new_tokens=8", "max_new_tokens = 8 changes nothing: a table writes no answer"),
        (MODEL, "thought_tokens=8", "mode 'choose' does not think, leave it out or use mode = 'think'"),
        (MODEL, "max_new_tokens=8", "mode 'choose' writes no answer, leave it out or use mode = 'free'"),
        (MODEL + '[trl]\ntuning = "full"\n', "lora.rank=4", "trl.tuning = 'full' trains no adapter"),
        (MODEL, "trl.vllm_mode=server", "trl: vllm_mode = 'server' changes nothing: transformers play"),
        (MODEL, "trl.vllm_enable_sleep_mode=true", "leave it out or set use_vllm = true"),
        (MODEL, "trl.vllm_max_model_length=512", "vllm_max_model_length = 512 changes nothing"),
        (
            MODEL + '[trl]\nuse_vllm = true\nvllm_mode = "server"\n',
            "trl.vllm_gpu_memory_utilization=0.5",
            "a server has settings of its own",
        ),
    ],
)
def test_they_are_named_when_a_recipe_is_loaded(
    tmp_path: Path, recipe: str, override: str, message: str
) -> None:
    given = [override, *(['backend="trl"', "mode=free"] if "[trl]" in recipe or "trl." in override else [])]
    load_recipe(write(tmp_path, recipe), given[1:])
    with pytest.raises(RequestError) as caught:
        load_recipe(write(tmp_path, recipe), given)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "{" not in str(caught.value)


def test_a_game_of_a_joint_run_drops_what_it_has_no_use_for() -> None:
    given: dict[str, Any] = {"games": {"ipd": 1, "kuhn": 1}, "gates": "running", "max_decisions": 9}
    run = JointRecipe(**given, per_game={"kuhn": {"gradient": "exact"}})
    assert (run.settings("ipd").gates, run.settings("ipd").max_decisions) == ("running", 9)
    assert (run.settings("kuhn").gates, run.settings("kuhn").max_decisions) == ("auto", None)
    with pytest.raises(ValidationError, match=r"per_game.kuhn.*gates = 'running' changes nothing"):
        JointRecipe(**given, per_game={"kuhn": {"gradient": "exact", "gates": "running"}})


def test_another_mode_leaves_the_budget_of_the_recipes_own_behind() -> None:
    assert load_recipe("gemma4-e4b").max_new_tokens == 512
    chosen = load_recipe("gemma4-e4b", ["mode=choose", "temperature=1"])
    assert (chosen.mode, chosen.max_new_tokens) == ("choose", 32)
    assert load_recipe("smoke-think", ["mode=free", "max_new_tokens=4"]).thought_tokens == 64
    assert load_recipe("smoke", ["model=table"]).lora.rank == 16
    for given in (["mode=choose", "max_new_tokens=6"], ["model=table", "mode=choose", "lora.rank=2"]):
        with pytest.raises(RequestError, match="changes nothing"):
            load_recipe("gemma4-e4b", [*given, "temperature=1"])


def test_what_was_asked_for_is_never_dropped() -> None:
    defaults = SepoConfig().model_dump()
    values = {**defaults, "gradient": "exact", "gates": "running", "branches": 4, "lr": 3.0}
    found = without_moot(values, {"branches"}, defaults)
    assert {name for name in found if found[name] != values[name]} == {"gates"}
    assert (found["gates"], found["branches"], found["lr"]) == ("auto", 4, 3.0)


@pytest.mark.parametrize("name", recipe_names())
def test_recipes_that_ship_hold_nothing_moot(name: str) -> None:
    assert (load_epo if is_epo(name) else load_recipe)(name).name == name
