"""What can be wrong with a recipe of EPO and needs no model to be seen: said before any work is done."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.errors import RequestError
from equipoise.games.rules import Rules
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.heldout import check_held_out
from equipoise.policies.registry import load_game, load_policy
from equipoise.policies.writers import check_writer
from equipoise.prompts.phrasings import phrasings
from equipoise.training.boards import check_boards
from equipoise.training.config import SepoConfig
from equipoise.training.epo.config import EpoConfig
from equipoise.training.epo.recipe import PHRASES, EpoRecipe, EpoTask
from equipoise.training.epo.scenarios import split_scenarios
from equipoise.training.epo.strategists import Strategists
from equipoise.training.preflight import check_settings, light, load_light, within

__all__ = ["check_epo"]


def check_epo(recipe: EpoRecipe, tasks: Sequence[str]) -> None:
    """Check every task of a recipe that is asked for, and every run of them.

    Args:
        recipe: The recipe.
        tasks: Names of the tasks.

    Raises:
        RequestError: Something cannot be done; the message names the task and the run.
    """
    if recipe.evaluator is not None:
        with within("evaluator"):
            check_writer(recipe.evaluator)
    for name in tasks:
        task = recipe.tasks[name]
        with within(f"tasks.{name}"):
            rules, pools = _check_task(recipe, name, task)
        for run, settings in task.train.items():
            with within(f"tasks.{name}.train.{run}"):
                _check_run(recipe, rules, settings)
        for run, penalised in task.penalised.items():
            with within(f"tasks.{name}.penalised.{run}"):
                _check_penalised(rules, pools, task, penalised)


def _check_task(recipe: EpoRecipe, name: str, task: EpoTask) -> tuple[Rules, Pools]:
    rules = load_game(name, task.options)
    judged = load_game(name, {**task.options, **task.held_out})
    pools = default_pools(name).replace(task.pools)
    check_held_out(pools)
    load_light(pools, judged)
    judged.info_record.weights.replace(task.weights)
    for spec in dict.fromkeys((task.actor, *task.actors.values())):
        if light(spec):
            load_policy(spec, judged)
    if recipe.model == PHRASES:
        Strategists(recipe, task).adviser(rules, None)
    _check_warm_start(recipe, name, task)
    return rules, pools


def _check_warm_start(recipe: EpoRecipe, name: str, task: EpoTask) -> None:
    if task.sft is None:
        return
    if recipe.model == PHRASES:
        raise RequestError(
            f"sft: a strategist that chooses from a list has no wording to learn: leave it out, or "
            f"use another model than {PHRASES!r}"
        )
    phrasings(name, task.sft.intents)


def _check_run(recipe: EpoRecipe, rules: Rules, settings: EpoConfig) -> None:
    split_scenarios(rules, settings.rounds, settings.seed + recipe.seed)
    check_boards(settings.report_to)
    if settings.judge == "llm":
        check_writer(settings.judge_model or recipe.model)


def _check_penalised(rules: Rules, pools: Pools, task: EpoTask, settings: SepoConfig) -> None:
    info = rules.info_record
    objective = Objective.of(info, pools, info.weights.replace({**task.weights, **task.train_weights}))
    check_settings(rules, objective, settings)
