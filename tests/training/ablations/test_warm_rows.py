"""Rows of EPO about its warm start, and about rounds of self-play from none on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from equipoise.training.ablations.run import ablate
from equipoise.training.ablations.strategist_rows import task_of
from equipoise.training.epo.config import WordingConfig
from equipoise.training.epo.pipeline import Course
from equipoise.training.epo.recipe import EpoTask
from tests.training.recipes import write

RECIPE = """
method = "epo"
name = "warm"
model = "tiny-random"
threads = 1
max_new_tokens = 3
lora.rank = 2
audit = {episodes = 2}
[tasks.ipd]
options = {rounds = 2}
actor = "coached:random"
pools = {train = ["tit_for_tat"], exploiter = [], collusive = [], shift = []}
sft = {starts = 1, steps = 2, batch = 2, texts = 2, select_every = 1}
train.epo = {rounds = 1, steps = 1, starts = 1, rollouts = 2, lr = 5e-3, select_starts = 1}
"""


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


def task(**given: Any) -> EpoTask:
    return EpoTask(**{"actor": "coached:random", "train": {"epo": {"rounds": 4, "steps": 5}}, **given})


def row(name: str, given: EpoTask) -> EpoTask:
    found = task_of(name, given, 2)
    assert isinstance(found, EpoTask)
    return found


def test_a_warm_start_is_added_taken_away_or_judged_alone() -> None:
    cold, warm = task(), task(sft={"steps": 7})
    first = row("sft_first", cold)
    assert (first.sft, first.train) == (WordingConfig(), {"sft_first": cold.train["epo"]})
    without = row("no_sft", warm)
    assert (without.sft, without.train) == (None, {"no_sft": warm.train["epo"]})
    assert (row("sft_only", cold).sft, row("sft_only", cold).runs) == (WordingConfig(), {})
    assert row("sft_only", warm).sft == WordingConfig(steps=7)
    assert task_of("sft_first", warm, 2) == task_of("no_sft", cold, 2) == "it is what the full method does"
    for name in ("sft_only", "sft_first", "no_sft"):
        assert "no wording to teach" in str(task_of(name, warm, 2, writes=False))


def test_no_round_of_self_play_is_one_round_of_all_steps_without_it() -> None:
    full = task(train={"epo": {"rounds": 4, "steps": 5, "self_play": True}})
    one = row("self_play_0", full).train["self_play_0"]
    assert (one.self_play, one.rounds, one.steps) == (False, 1, 20)
    assert task_of("self_play_0", full, 1) == "one seat: there is nobody to be"


def test_rows_of_a_seed_share_its_warm_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, trained = Course._train, []

    def train(self: Course, name: str, config: Any) -> None:
        trained.append((name, self.task.sft is not None))
        real(self, name, config)

    monkeypatch.setattr(Course, "_train", train)
    out = f"out={tmp_path / 'run'}"
    rows = ["sft_only", "sft_first", "no_sft"]
    found = ablate(write(tmp_path, RECIPE), [out], rows=rows, seeds=1)
    assert trained == [("full", True), ("no_sft", False)]
    assert found["ipd", "sft_first"].reason == "it is what the full method does"
    for name in ("sft_only", "no_sft"):
        assert found["ipd", name].metrics["utility"] is not None
    # All of them from one folder, and what is judged is another strategist than the trained one.
    place = tmp_path / "run" / "seed0" / "ipd"
    assert (place / "sft" / "train" / "done").is_file()
    assert sorted(one.name for one in place.iterdir()) == ["full", "no_sft", "sft"]
    table = (tmp_path / "run" / "ablation.md").read_text(encoding="utf-8")
    assert "| `sft_only` | the warm start alone, not trained further |" in table
    assert ablate(write(tmp_path, RECIPE), [out], rows=rows, seeds=1).to_json() == found.to_json()
    assert len(trained) == 2


def test_a_task_without_texts_says_so(tmp_path: Path) -> None:
    recipe = RECIPE.replace("[tasks.ipd]", "[tasks.kuhn]").replace('"tit_for_tat"', '"nash"')
    recipe = "\n".join(line for line in recipe.splitlines() if not line.startswith("sft"))
    found = ablate(write(tmp_path, recipe), [f"out={tmp_path / 'k'}"], rows=["sft_first"], seeds=1)
    assert "no texts" in (found["kuhn", "sft_first"].reason or "")
