"""What a plan counts, against runs that were made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.auditing.run import AuditConfig
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.policies.local.policy import LocalPolicy
from equipoise.training.arena import Arena
from equipoise.training.pipeline import prepare, run_recipe
from equipoise.training.plan.plan import Plan, plan_recipe
from equipoise.training.plan.recorder import Recorder
from equipoise.training.plan.work import Work, work_of
from equipoise.training.recipe import GameRecipe, load_recipe
from equipoise.training.sample_decisions import sample_decisions
from tests.training.recipes import SMALL, write
from tests.training.settings import metrics

GAMES = {"ipd": 3, "auction": 2, "split": 2, "multi_issue": 1, "commons": 2}
"""Rounds that make the games small."""

SEPO = """
name = "one"
model = "tiny-random"
threads = 1
lora.rank = 2
games.{game}.options.rounds = {rounds}
games.{game}.train.sepo = {{steps = 2, deals = 1, rollouts = 2, select_every = 2, select_episodes = 1}}
"""


def recipe_for(folder: Path, game: str) -> str:
    return write(folder, SEPO.format(game=game, rounds=GAMES.get(game, 6)))


def stage(plan: Plan, name: str) -> dict[str, Any]:
    (found,) = [one.to_json() for one in plan.stages if one.stage == name]
    return found


@pytest.mark.parametrize("game", GAMES)
def test_episodes_and_decisions_are_those_of_a_played_step(game: str, tmp_path: Path) -> None:
    recipe = load_recipe(recipe_for(tmp_path, game))
    rules, config = prepare(recipe, game)
    works = {w.stage: w for w in work_of(rules, recipe.games[game], config, 0, table=False)}
    planned = works["sepo"]
    assert config.pools is not None
    objective = Objective.of(rules.info_record, config.pools, config.weights)
    policy = LocalPolicy.from_spec("tiny-random", threads=1)
    arena = Arena(rules, objective, policy, recipe.games[game].train["sepo"])
    for step in range(2):
        row: dict[str, float] = {}
        arena.sample(policy, step, row)
        assert (planned.episodes, planned.decisions) == (row["episodes"], row["decisions"])
    assert planned.certain
    assert planned.steps == 2


def test_where_players_take_turns_decisions_are_an_estimate(tmp_path: Path) -> None:
    planned = stage(plan_recipe(recipe_for(tmp_path, "kuhn")), "sepo")
    assert not planned["decisions"]["exact"]
    assert planned["episodes"]["exact"]
    # Six hands, in each one decision or two.
    assert 6 * 12 <= planned["decisions"]["value"] <= 2 * 6 * 12


def test_a_table_of_all_states_needs_no_episodes(tmp_path: Path) -> None:
    recipe = recipe_for(tmp_path, "kuhn")
    planned = stage(plan_recipe(recipe, ["games.kuhn.train.sepo.gradient=exact"]), "sepo")
    assert (planned["episodes"]["value"], planned["prompts"]["value"]) == (0, 12)
    assert planned["prompts"]["exact"]


def test_audits_are_those_of_the_run(tmp_path: Path) -> None:
    recipe, more = write(tmp_path, SMALL), ["games.ipd.options.rounds=4"]
    small = stage(plan_recipe(recipe), "audit base")
    assert (small["episodes"]["value"], small["prompts"]["exact"]) == (0, True)
    plan = plan_recipe(recipe, more)
    run = run_recipe(recipe, [f"out={tmp_path / 'run'}", *more])
    keys = ("episodes", "decisions")
    files = (run.folder / "ipd" / "base" / "audit").rglob("*.jsonl")
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    episodes = [one for line in lines if "turns" in (one := json.loads(line))]
    own = sum(turn["seat"] == one["seat"] for one in episodes for turn in one["turns"])
    planned = stage(plan, "audit base")
    assert [planned[key]["value"] for key in keys] == [len(episodes), own]
    sepo, row = stage(plan, "sepo"), metrics(run.folder / "ipd" / "sepo" / "train")[0]
    assert [sepo[key]["value"] for key in keys] == [row[key] for key in keys]
    assert all(sepo[key]["exact"] for key in keys)
    assert not sepo["prompts"]["exact"]
    names = [one.stage for one in plan.stages]
    assert names == [
        "audit base",
        "sft",
        "sft: selection",
        "audit sft",
        "sepo",
        "sepo: selection",
        "audit sepo",
    ]
    assert stage(plan, "sft: selection")["steps"]["value"] == 2
    assert stage(plan, "sepo: selection")["steps"]["value"] == 3


def test_tables_have_work_and_nothing_else(tmp_path: Path) -> None:
    text = 'name = "t"\nmodel = "table"\n[games.kuhn.train.sepo]\ngradient = "exact"\n[games.kuhn.sft]\n'
    plan = plan_recipe(write(tmp_path, text))
    assert [one.stage for one in plan.stages] == ["audit base", "sepo", "sepo: selection", "audit sepo"]
    assert (plan.parameters, plan.memory, plan.total) == ({}, {}, {})


def test_language_models_among_the_opponents_are_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalPolicy, "from_spec", classmethod(lambda *a, **s: pytest.fail("loaded")))
    recipe = recipe_for(tmp_path, "ipd")
    plain = stage(plan_recipe(recipe, ['games.ipd.pools.train=["tit_for_tat"]']), "sepo")
    model = stage(plan_recipe(recipe, ['games.ipd.pools.train=["tiny-random"]']), "sepo")
    assert model["decisions"] == plain["decisions"]


def test_a_warm_start_counts_examples_of_its_batches() -> None:
    game = make_game("ipd")
    one = GameRecipe.model_validate({"sft": {"episodes": 40, "batch": 24, "steps": 5, "select_every": 2}})
    works = {work.stage: work for work in work_of(game, one, AuditConfig(1), 0, table=False)}
    sft: Work = works["sft"]
    assert (sft.steps, sft.decisions, sft.certain) == (5, 24, True)
    assert 1 <= len(sft.questions) <= 24
    assert works["sft: selection"].steps == 3


def test_games_trained_together_are_planned_one_by_one(tmp_path: Path) -> None:
    text = """
name = "both"
model = "tiny-random"
threads = 1
lora.rank = 2
audit.episodes = 1
games.ipd.options.rounds = 3
games.split.options.rounds = 2
[joint.all]
games = {ipd = 3, split = 1}
steps = 2
deals = 1
rollouts = 2
select_every = 2
select_episodes = 1
sft = {episodes = 8, steps = 1, batch = 8, select_every = 1, select_episodes = 1}
"""
    recipe = write(tmp_path, text)
    plan = plan_recipe(recipe)
    found = {(one.game, one.stage): one.figures for one in plan.stages}
    assert [stage for game, stage in found if game == "split"] == [
        "audit base",
        "all-sft",
        "all-sft: selection",
        "audit all-sft",
        "all",
        "all: selection",
        "audit all",
    ]
    assert [found[game, "all-sft"]["decisions"].value for game in ("ipd", "split")] == [6, 2]
    run = run_recipe(recipe, [f"out={tmp_path / 'run'}"], stages=("sft", "sepo"))
    (*_, row) = metrics(run.folder / "joint" / "all" / "train")
    for game in ("ipd", "split"):
        for key in ("episodes", "decisions"):
            assert found[game, "all"][key].value == row[f"{game}/{key}"]


def test_opponents_of_a_run_of_its_own_are_met(tmp_path: Path) -> None:
    recipe = recipe_for(tmp_path, "ipd")
    base = stage(plan_recipe(recipe), "sepo")
    alone = stage(plan_recipe(recipe, ['games.ipd.train.sepo.pools.train=["self"]']), "sepo")
    assert alone["episodes"]["value"] < base["episodes"]["value"]
    assert alone["decisions"]["exact"]


def test_trials_of_all_actions_are_questions_too(tmp_path: Path) -> None:
    recipe = recipe_for(tmp_path, "ipd")
    plain = stage(plan_recipe(recipe), "sepo")
    tried = stage(plan_recipe(recipe, ["games.ipd.train.sepo.gradient=all_actions"]), "sepo")
    assert tried["decisions"]["value"] > plain["decisions"]["value"]
    assert not tried["decisions"]["exact"]


def test_a_league_is_planned_without_its_copies(tmp_path: Path) -> None:
    recipe = recipe_for(tmp_path, "ipd")
    plain = stage(plan_recipe(recipe), "sepo")
    league = stage(plan_recipe(recipe, ["games.ipd.train.sepo.league={every=1}"]), "sepo")
    assert league["decisions"] == plain["decisions"]


def test_runs_that_may_stop_have_steps_at_most(tmp_path: Path) -> None:
    planned = stage(plan_recipe(recipe_for(tmp_path, "kuhn"), ["games.kuhn.train.sepo.patience=1"]), "sepo")
    assert not planned["steps"]["exact"]
    assert "at most" in planned["steps"]["how"]


def test_the_recorder_keeps_what_it_was_asked() -> None:
    decisions = sample_decisions(make_game("kuhn"), 5)
    recorder = Recorder(3)
    for choice, decision in zip(recorder.act(decisions), decisions, strict=True):
        assert choice.action in (decision.legal or ())
    assert recorder.take() == decisions
    assert recorder.take() == []
    assert recorder.exact_states == 3
