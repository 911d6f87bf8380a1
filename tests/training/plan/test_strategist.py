"""What a recipe of EPO will take, counted without a model; every recipe of EPO loads and can be planned."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.training.epo.recipe import is_epo, load_epo
from equipoise.training.plan.plan import Plan, StagePlan, plan_recipe
from equipoise.training.recipe_file import recipe_names

SMALL = """
method = "epo"
name = "mine"
model = "tiny-random"
max_new_tokens = 5

[audit]
episodes = 3

[tasks.split]
options = {rounds = 2}
actor = "coached:random"
train.epo = {rounds = 2, steps = 3, starts = 4, rollouts = 2, select_starts = 1, self_play = true}
penalised.sepo = {steps = 4, deals = 1, rollouts = 2, select_every = 2, select_episodes = 1}

[tasks.split.train.paper]
rounds = 1
steps = 2
starts = 5
rollouts = 1
advantage = "maxabs"
offline = true
epochs = 3
judge = "llm"
select_starts = 1
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    file = tmp_path_factory.mktemp("plan") / "mine.toml"
    file.write_text(SMALL, encoding="utf-8")
    return plan_recipe(str(file))


def stage(plan: Plan, name: str) -> StagePlan:
    return next(one for one in plan.stages if one.stage == name)


def values(one: StagePlan, *names: str) -> list[float | None]:
    return [one.figures[name].value for name in names]


def test_a_step_is_counted_by_playing_it(plan: Plan) -> None:
    # Two rounds a game; the fifth start would be against itself, with both sides trained.
    epo = stage(plan, "epo")
    assert values(epo, "steps", "episodes", "decisions", "trajectories", "actor_calls") == [6, 8, 16, 8, 16]
    assert "judge_calls" not in epo.figures
    # Of five starts with four partners all are one trajectory each, and each is judged once.
    paper = stage(plan, "paper")
    assert values(paper, "steps", "episodes", "trajectories", "judge_calls") == [2, 5, 5, 5]
    # Four trained with, two exploiters, one collusive partner.
    sepo = stage(plan, "sepo")
    assert values(sepo, "steps", "episodes", "decisions") == [4, 14, 28]


def test_further_passes_and_selections_are_stages(plan: Plan) -> None:
    again = stage(plan, "paper: further passes")
    assert values(again, "steps", "episodes", "decisions") == [4, 0, 10]
    assert not again.figures["prompts"].exact
    assert values(stage(plan, "epo: selection"), "steps", "decisions") == [3, 1 * 2 * 4 * 2]
    assert values(stage(plan, "sepo: selection"), "steps", "decisions") == [3, 1 * 2 * 7 * 2 - 2 * 2 * 2]
    assert [one.stage for one in plan.stages if one.stage.startswith("audit")] == [
        "audit base", "audit epo", "audit paper", "audit sepo",
    ]  # fmt: skip


def test_strategies_are_counted_at_their_budget_and_memory_with_them(plan: Plan) -> None:
    figures = stage(plan, "epo").figures
    assert figures["answer_tokens"].value == 16 * 5
    assert figures["prompt_tokens"].value is not None
    assert figures["prompt_tokens"].value > 100
    assert plan.memory["total"].value == sum(p.value or 0.0 for n, p in plan.memory.items() if n != "total")
    assert plan.memory["activations"].value is not None
    assert plan.memory["activations"].value > 0.0


def test_tasks_can_be_chosen(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="unknown task of the recipe"):
        plan_recipe("epo-smoke", games=["idp"])
    assert {one.game for one in plan_recipe("epo-smoke", games=["ipd"]).stages} == {"ipd"}


EPO = [name for name in recipe_names() if is_epo(name)]
# As the model cards say.
SIZES = {"epo-llama3-8b": 8.03e9, "epo-qwen2.5-7b": 7.62e9}


def test_recipes_of_epo_ship() -> None:
    assert set(EPO) >= {
        "epo-smoke", "epo-social", "epo-shop", "epo-household", "epo-games", "epo-phrases",
        "epo-phrases-social", "epo-llama3-8b", "epo-qwen2.5-7b",
    }  # fmt: skip


@pytest.mark.parametrize("name", EPO)
def test_every_recipe_loads_and_can_be_planned(name: str) -> None:
    recipe = load_epo(name)
    few = ["audit.episodes=1"]
    for task, one in recipe.tasks.items():
        for run in one.train:
            few += [f"tasks.{task}.train.{run}.starts=1", f"tasks.{task}.train.{run}.select_starts=1"]
        for run in one.penalised:
            few += [f"tasks.{task}.penalised.{run}.select_episodes=1"]
    found = plan_recipe(name, few)
    assert {row.game for row in found.stages} == set(recipe.tasks)
    assert {row.stage for row in found.stages} >= {run for one in recipe.tasks.values() for run in one.runs}
    if recipe.model != "phrases":
        size = found.parameters["model"].value
        assert size is not None
        assert size == pytest.approx(SIZES.get(name, size), rel=2e-3)
