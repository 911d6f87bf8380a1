"""A recipe of EPO from the command line to the table, on a tiny model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.training.epo.recipe import is_epo, load_epo
from equipoise.training.pipeline import run_recipe
from equipoise.training.recipe import load_recipe
from equipoise.training.recipe_file import recipe_names
from equipoise.training.summary import Run


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_recipe("epo-smoke", [f"out={tmp_path_factory.mktemp('epo')}"])


def test_every_policy_is_judged_on_the_same_deals(smoke: Run) -> None:
    names = [(r.game, r.policy) for r in smoke.result.results]
    assert names == [
        ("ipd", "actor"), ("ipd", "base"), ("ipd", "epo"),
        ("social", "actor"), ("social", "base"), ("social", "epo"), ("social", "paper"),
    ]  # fmt: skip
    found = {(d.game, d.a, d.b) for d in smoke.result.differences if d.metric == "utility"}
    assert ("ipd", "epo", "actor") in found
    assert ("social", "paper", "base") in found
    for result in smoke.result.results:
        assert result.metrics["utility"] is not None
    (social,) = [r for r in smoke.result.results if (r.game, r.policy) == ("social", "epo")]
    assert social.settings["options"] == {"families": ["price"], "split": "held_out"}


def test_it_says_what_training_did(smoke: Run) -> None:
    (line,) = smoke.verdicts("ipd")
    assert line.startswith("ipd: utility of epo, paired on the same deals: ")
    assert "actor by" in line
    assert "base by" in line


def test_everything_is_in_its_folder(smoke: Run) -> None:
    for place in ("ipd/epo", "social/epo", "social/paper"):
        assert (smoke.folder / place / "train" / "best" / "adapter_model.safetensors").exists()
        assert (smoke.folder / place / "result.json").exists()
    assert (smoke.folder / "ipd" / "epo" / "train" / "rounds" / "round1").is_dir()
    verdicts = (smoke.folder / "social" / "paper" / "train" / "judge" / "verdicts.jsonl").read_text("utf-8")
    assert all(json.loads(line)["failed"] for line in verdicts.splitlines())
    summary = json.loads((smoke.folder / "summary.json").read_text(encoding="utf-8"))
    assert summary["recipe"] == "epo-smoke"


def test_again_it_does_nothing_and_returns_the_same(smoke: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("nothing is left to do")

    monkeypatch.setattr("equipoise.training.epo.run.Epo.run", never)
    monkeypatch.setattr("equipoise.auditing.sampling.Sampling.run", never)
    again = run_recipe("epo-smoke", [f"out={smoke.folder}"])
    assert again.to_json() == smoke.to_json()


def test_tasks_can_be_chosen(smoke: Run) -> None:
    one = run_recipe("epo-smoke", [f"out={smoke.folder}"], games=["ipd"])
    assert {r.game for r in one.result.results} == {"ipd"}
    with pytest.raises(RequestError, match="unknown task of the recipe 'idp': did you mean 'ipd'"):
        run_recipe("epo-smoke", [f"out={smoke.folder}"], games=["idp"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("model=table", "a strategist writes text"),
        ("model=smollm2+x", "name the model without"),
        ("tasks.ipd.train.epo.lrr=1", "did you mean 'lr'"),
        ("tasks.ipd.train.base.rounds=1", "cannot be called 'base'"),
        ("tasks.ipd.train.epo.rollouts=1", "use rollouts = 2 or more"),
    ],
)
def test_wrong_recipes_are_refused(change: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=message):
        run_recipe("epo-smoke", [f"out={tmp_path}", change])


def test_another_recipe_does_not_take_the_folder_over(smoke: Run) -> None:
    with pytest.raises(RequestError, match="choose another out=DIR"):
        run_recipe("epo-smoke", [f"out={smoke.folder}", "tasks.ipd.train.epo.lr=0.1"])


def test_there_is_no_warm_start(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="has no warm start"):
        run_recipe("epo-smoke", [f"out={tmp_path}"], stages=["sft"])


def test_both_kinds_of_recipe_ship_and_are_told_apart() -> None:
    kinds = {name: is_epo(name) for name in recipe_names()}
    assert kinds["epo-smoke"]
    assert not kinds["quickstart"]
    for name, epo in kinds.items():
        (load_epo if epo else load_recipe)(name)
    with pytest.raises(RequestError, match="method"):
        load_recipe("epo-smoke")
