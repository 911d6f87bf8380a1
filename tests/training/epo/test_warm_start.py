"""A recipe with a warm start: what starts from it, what it is compared with, and in which order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from safetensors.torch import load_file

from equipoise.errors import RequestError
from equipoise.training.epo.recipe import load_epo
from equipoise.training.pipeline import run_recipe
from equipoise.training.summary import Run

RECIPE = """
method = "epo"
name = "warm"
model = "tiny-random"
prompt = "brief"
threads = 1
max_new_tokens = 4
lora = {rank = 4}
audit = {episodes = 2}

[tasks.ipd]
options = {rounds = 2}
actor = "coached:random"
pools = {train = ["tit_for_tat"], exploiter = [], collusive = [], shift = []}
sft = {steps = 3, starts = 2, batch = 2, texts = 2, lr = 1e-2, select_every = 1}

[tasks.ipd.train.epo]
rounds = 1
steps = 1
starts = 2
rollouts = 3
judge = "none"
lr = 1e-2
select_starts = 2
"""


@pytest.fixture(autouse=True, scope="module")
def no_tensorboard() -> object:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)
        yield patched


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("recipe") / "warm.toml"
    file.write_text(RECIPE, encoding="utf-8")
    return str(file)


@pytest.fixture(scope="module")
def run(recipe: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_recipe(recipe, [f"out={tmp_path_factory.mktemp('warm')}"])


def test_the_strategist_is_judged_as_it_comes_warm_and_trained(run: Run) -> None:
    assert [r.policy for r in run.result.results] == ["actor", "base", "sft", "epo"]
    pairs = {(d.a, d.b) for d in run.result.differences if d.metric == "utility"}
    assert {("epo", "sft"), ("epo", "base"), ("sft", "actor")} <= pairs
    (line,) = run.verdicts("ipd")
    assert "sft by" in line


def test_training_goes_on_from_the_warm_start_and_stays_near_it(run: Run) -> None:
    place = run.folder / "ipd"
    rows = (place / "epo" / "train" / "metrics.jsonl").read_text("utf-8").splitlines()
    # At the first step the strategist is its reference, which is the warm start and not the bare model.
    assert json.loads(rows[0])["kl"] == pytest.approx(0.0, abs=1e-6)
    warm, trained = (
        load_file(str(place / name / "train" / "best" / "adapter_model.safetensors"))
        for name in ("sft", "epo")
    )
    assert warm.keys() == trained.keys()
    # A fresh adapter has zeros for its second factors: these were moved by the warm start already.
    assert all(bool(value.abs().sum() > 0) for name, value in trained.items() if "lora_B" in name)


def test_stages_can_be_done_one_after_the_other(recipe: str, tmp_path: Path, run: Run) -> None:
    out = [f"out={tmp_path / 'run'}"]
    with pytest.raises(RequestError, match="warm start is not done, do the stage sft first"):
        run_recipe(recipe, out, ["sepo"])
    run_recipe(recipe, out, ["sft"])
    assert (tmp_path / "run" / "ipd" / "sft" / "train" / "done").exists()
    assert not (tmp_path / "run" / "ipd" / "epo").exists()
    only = run_recipe(recipe, out, ["audit"])
    assert [r.policy for r in only.result.results] == ["actor", "base", "sft"]
    # The same weights as when everything is done at once, and so the same result.
    assert only.result.results[2].metrics["utility"] == run.result.results[2].metrics["utility"]


def test_what_the_strategist_reads_is_a_setting(recipe: str, run: Run, tmp_path: Path) -> None:
    request = json.loads((run.folder / "ipd" / "base" / "audit" / "request.json").read_text("utf-8"))
    assert "/brief" in json.dumps(request)
    full = run_recipe(recipe, [f"out={tmp_path / 'full'}", "prompt=full"], ["sft"])
    ids = [
        json.loads((folder / "ipd" / "sft" / "train" / "request.json").read_text("utf-8"))["origin"]
        for folder in (run.folder, full.folder)
    ]
    assert ids[0] != ids[1]


def test_a_run_cannot_take_the_warm_starts_name(recipe: str) -> None:
    with pytest.raises(RequestError, match="cannot be called 'sft'"):
        load_epo(recipe, ["tasks.ipd.train.sft.rounds=1"])


def test_wrong_settings_are_named(recipe: str) -> None:
    with pytest.raises(RequestError, match="did you mean 'texts'"):
        load_epo(recipe, ["tasks.ipd.sft.text=1"])
    with pytest.raises(RequestError, match="'full' or 'brief'"):
        load_epo(recipe, ["prompt=long"])
