"""What is wrong with a recipe of EPO is said before any work, with the task and the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.training.epo.preflight import check_epo
from equipoise.training.epo.recipe import load_epo
from equipoise.training.pipeline import run_recipe
from equipoise.training.recipe_file import recipe_data, recipe_names
from tests.training.recipes import never, write

HEAD = 'method = "epo"\nname = "a"\nmodel = "{model}"\nthreads = 1\n'
GOOD = '[tasks.ipd]\nactor = "coached:random"\n[tasks.ipd.train.epo]\nsteps = 1\n'
KUHN = '[tasks.kuhn]\nactor = "coached:random"\nphrases = {advice = ["Bet.", "Pass."]}\n'
ALL = ("tiny-random", "phrases")


@pytest.mark.parametrize("model", ALL)
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('[tasks.nim]\nactor = "random"\n', "tasks.nim: unknown game"),
        ('[tasks.kuhn]\nactor = "gnash"\n', "tasks.kuhn: .*gnash"),
        (KUHN + 'actors = {other = "coached:gnash"}\n', "tasks.kuhn: .*gnash"),
        (KUHN + "options = {hands = 0}\n", "tasks.kuhn: .*hands"),
        (KUHN + "held_out = {hands = 0}\n", "tasks.kuhn: .*hands"),
        (KUHN + 'pools = {train = ["gnash"]}\n', "tasks.kuhn: .*gnash"),
        (KUHN + "weights = {y = 1.0}\n", "tasks.kuhn: .*'y'"),
        (
            KUHN + '[tasks.kuhn.penalised.safe]\npools = {train = ["gnash"]}\n',
            "tasks.kuhn.penalised.safe: .*gnash",
        ),
        (
            KUHN + "[tasks.kuhn.penalised.safe]\nmultipliers = 'lagrangian'\nlimits = {c = 0.1}\n",
            "tasks.kuhn.penalised.safe: limits.c = 0.1: c is not applicable",
        ),
        (
            KUHN + "[tasks.kuhn.penalised.safe]\npenalised = 'regret'\nexploiters = 'none'\n",
            "tasks.kuhn.penalised.safe: penalised = 'regret'",
        ),
        (
            '[tasks.social]\nactor = "scripted:sensible"\noptions = {families = ["price"], split = "hard"}\n'
            "[tasks.social.train.long]\nrounds = 90\n",
            "tasks.social.train.long: social: .* scenarios are too few for 90 rounds",
        ),
    ],
)
def test_wrong_requests_are_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, more: str, message: str
) -> None:
    monkeypatch.setattr("equipoise.training.epo.pipeline.Course.run", never)
    name = write(tmp_path, HEAD.format(model=model) + GOOD + more)
    with pytest.raises(RequestError, match=message):
        run_recipe(name, [f"out={tmp_path / 'run'}"])


@pytest.mark.parametrize(
    ("model", "task", "message"),
    [
        ("phrases", "ipd", "has no wording to learn: leave it out"),
        ("tiny-random", "commons", "no texts of advice for 'commons'"),
    ],
)
def test_a_warm_start_without_texts_is_refused(tmp_path: Path, model: str, task: str, message: str) -> None:
    text = (
        HEAD.format(model=model)
        + f'[tasks.{task}]\nactor = "scripted:random"\n[tasks.{task}.sft]\nsteps = 2\n'
    )
    recipe = load_epo(write(tmp_path, text), [])
    with pytest.raises(RequestError, match=f"tasks.{task}: .*{message}"):
        check_epo(recipe, [task])


def test_other_tasks_than_those_asked_for_are_not_looked_at(tmp_path: Path) -> None:
    recipe = load_epo(write(tmp_path, HEAD.format(model="phrases") + GOOD + '[tasks.nim]\nactor = "x"\n'), [])
    check_epo(recipe, ["ipd"])


@pytest.mark.parametrize(
    "name", [one for one in recipe_names() if recipe_data(one, []).get("method") == "epo"]
)
def test_the_recipes_that_ship_pass(name: str) -> None:
    recipe = load_epo(name, [])
    check_epo(recipe, list(recipe.tasks))
