"""Recipes whose dialogues an evaluator rates, and a judge behind an endpoint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.training.epo.recipe import load_epo
from equipoise.training.pipeline import run_recipe
from equipoise.training.plan.plan import plan_recipe
from tests.judges.test_rating import said
from tests.policies.endpoint.server import chat, serve
from tests.training.recipes import write

RECIPE = """
method = "epo"
name = "rated"
model = "phrases"
evaluator = "openai:m@{url}/v1"
audit = {{episodes = 2}}
[tasks.social]
options = {{families = ["price"], turns = 4}}
actor = "scripted:weak"
pools = {{train = ["sensible"], exploiter = [], collusive = [], shift = []}}
[tasks.social.train.epo]
rounds = 1
steps = 1
starts = 1
rollouts = 2
select_starts = 1
judge = "llm"
judge_model = "openai:judge@{url}/v1"
"""


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_audits_of_a_recipe_are_rated_and_turns_judged_by_an_endpoint(tmp_path: Path) -> None:
    def answer(asked: dict[str, str]) -> object:
        return chat('{"indexes": [1]}' if asked["model"] == "judge" else said(goal=4))

    with serve(usual=answer) as server:  # type: ignore[arg-type]
        recipe = write(tmp_path, RECIPE.format(url=server.url))
        run = run_recipe(recipe, [f"out={tmp_path / 'run'}"])
        total = len(server.asked)
        again = run_recipe(recipe, [f"out={tmp_path / 'run'}"])
        assert len(server.asked) == total
    for name in ("actor", "base", "epo"):
        result = next(one for one in run.result.results if one.policy == name)
        assert result.readings["rated"]["goal"].value == 4.0
        assert result.settings["evaluator"]["failed"] == 0
    assert again.result.to_json() == run.result.to_json()
    verdicts = (run.folder / "social" / "epo" / "train" / "judge" / "verdicts.jsonl").read_text()
    assert [json.loads(row)["decisive"] for row in verdicts.splitlines()] == [[0]] * verdicts.count("\n")
    assert verdicts


def test_an_evaluator_without_dialogues_is_refused(tmp_path: Path) -> None:
    games = RECIPE.format(url="http://127.0.0.1:9").replace("tasks.social", "tasks.split")
    with pytest.raises(RequestError, match="rates dialogues: the recipe has no task 'social'"):
        load_epo(write(tmp_path, games))


def test_a_recipe_without_one_is_the_recipe_it_was(tmp_path: Path) -> None:
    with_one = RECIPE.format(url="http://127.0.0.1:9")
    without = "\n".join(line for line in with_one.splitlines() if not line.startswith("evaluator"))
    # Folders made before there were evaluators do not name one, and still go on.
    assert "evaluator" not in load_epo(write(tmp_path, without)).resolved()
    assert load_epo(write(tmp_path, with_one)).resolved()["evaluator"].startswith("openai:")


def test_a_plan_counts_what_it_is_asked(tmp_path: Path) -> None:
    plan = plan_recipe(write(tmp_path, RECIPE.format(url="http://127.0.0.1:9")))
    found = {one.stage: one.figures for one in plan.stages}
    # Two deals, one partner of the train pool, both seats.
    assert found["audit base"]["evaluator_calls"].value == 4
    assert "evaluator_calls" not in found["epo"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('evaluator="scripted:weak"', "evaluator: 'scripted:weak' writes no texts"),
        ('tasks.social.train.epo.judge_model="human"', "tasks.social.train.epo: 'human' writes no texts"),
    ],
)
def test_who_cannot_write_is_named_before_any_work(change: str, message: str, tmp_path: Path) -> None:
    recipe = write(tmp_path, RECIPE.format(url="http://127.0.0.1:9"))
    with pytest.raises(RequestError, match=message):
        run_recipe(recipe, [f"out={tmp_path / 'run'}", change])
    assert not (tmp_path / "run" / "social").exists()
