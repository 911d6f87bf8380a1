"""Ablations of EPO: which rows apply, what they change, and what is not done twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.training.ablations.run import ablate
from equipoise.training.ablations.strategist_rows import ROWS, choose, full_run, task_of
from equipoise.training.epo.pipeline import Course
from equipoise.training.epo.recipe import EpoTask

RECIPE = """
method = "epo"
name = "mine"
model = "phrases"

[audit]
episodes = 2

[tasks.split]
options = {rounds = 2}
actor = "coached:random"
train.epo = {rounds = 1, steps = 1, starts = 2, rollouts = 2, lr = 5.0, select_starts = 1}
penalised.sepo = {steps = 1, deals = 1, rollouts = 2, lr = 1.0, select_every = 1, select_episodes = 1}
"""


def task(**given: Any) -> EpoTask:
    return EpoTask(**{"actor": "coached:random", "train": {"epo": {"rounds": 4, "steps": 5}}, **given})


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


def test_the_method_is_the_run_that_says_so() -> None:
    assert full_run(task()) == "epo"
    assert full_run(task(train={"full": {}, "epo": {}})) == "full"
    assert full_run(task(train={"mine": {}})) == "mine"
    with pytest.raises(RequestError, match="runs of the recipe: a, b"):
        full_run(task(train={"a": {}, "b": {}}))


def test_rows_change_one_thing() -> None:
    for name, settings in (
        ("no_process_reward", {"judge": "none"}),
        ("maxabs", {"advantage": "maxabs"}),
        ("paper_credit", {"advantage": "maxabs", "token_reduction": "mean"}),
        ("offline", {"offline": True, "epochs": 3}),
    ):
        found = task_of(name, task(), 2)
        assert isinstance(found, EpoTask)
        assert list(found.runs) == [name]
        before, after = task().train["epo"].model_dump(), found.train[name].model_dump()
        assert {key: value for key, value in after.items() if before[key] != value} == settings


def test_rounds_of_self_play_share_out_the_same_steps() -> None:
    for count in range(1, 6):
        found = task_of(f"self_play_{count}", task(), 2)
        assert isinstance(found, EpoTask)
        one = found.train[f"self_play_{count}"]
        assert (one.rounds, one.self_play) == (count, True)
        assert one.rounds * one.steps == 20 - 20 % count
    assert task_of("self_play_2", task(), 1) == "one seat: there is nobody to be"


def test_rows_that_do_not_apply_say_why() -> None:
    assert task_of("no_self_play", task(), 2) == "it is what the full method does"
    assert task_of("no_penalties", task(), 2) == "the recipe has no run on SEPO's objective here"
    assert task_of("other", task(), 2) == "the recipe has no such run here"
    few = task(train={"epo": {"advantage": "maxabs", "rollouts": 1}})
    assert "use rollouts = 2 or more" in str(task_of("loo", few, 2))


def test_penalties_are_left_out_in_training_only() -> None:
    given = task(penalised={"sepo": {}}, weights={"e": 2.0})
    found = task_of("no_exploit", given, 2)
    assert isinstance(found, EpoTask)
    assert (list(found.runs), found.train_weights, found.weights) == (["no_exploit"], {"e": 0.0}, {"e": 2.0})


def test_names_of_rows() -> None:
    tasks = {"split": task(penalised={"sepo": {}})}
    assert choose([], tasks) == ["full", *ROWS, "sepo"]
    assert choose(["base"], tasks) == ["full", "base"]
    with pytest.raises(RequestError, match="did you mean 'maxabs'"):
        choose(["maxab"], tasks)


def test_rows_and_seeds_are_done_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(RECIPE, encoding="utf-8")
    real, trained = Course._train, []

    def train(self: Course, name: str, config: Any) -> None:
        trained.append((name, self.runner.recipe.seed))
        real(self, name, config)

    monkeypatch.setattr(Course, "_train", train)
    out = f"out={tmp_path / 'run'}"
    rows = ["base", "sepo", "no_penalties"]
    found = ablate(str(file), [out], rows=rows, seeds=2)
    assert [row.row for row in found.rows] == ["full", *rows]
    assert trained == [(row, seed) for row in ("full", "sepo", "no_penalties") for seed in (0, 1)]
    base = found["split", "base"]
    assert base.seeds == (0, 1)
    assert base.metrics["utility"] is not None
    # One audit for all seeds, with its own interval.
    assert base.metrics["utility"].clusters == 2
    assert found["split", "sepo"].differences["safety"] is not None
    assert "| `no_penalties` | SEPO's objective, all λ are 0 in training |" in (
        tmp_path / "run" / "ablation.md"
    ).read_text(encoding="utf-8")
    before = found.to_json()
    again = ablate(str(file), [out], rows=rows, seeds=2)
    assert again.to_json() == before
    assert len(trained) == 6
    with pytest.raises(RequestError, match="unknown task of the recipe 'splt'"):
        ablate(str(file), [out], games=["splt"])
