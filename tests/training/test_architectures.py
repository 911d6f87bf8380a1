"""Training on every family of the paper: adapters, and a step of each stage through the pipeline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from equipoise.policies.local.policy import LocalPolicy
from equipoise.training.config import LoraSettings
from equipoise.training.lora import adapted_policy
from equipoise.training.pipeline import run_recipe
from tests.architectures import MODELS, save
from tests.training.adapters import small_decisions, trainable

KINDS = sorted(MODELS)
RECIPE = """
name = "small"
model = "hf:{model}"
threads = 1
lora.rank = 2
audit.episodes = 1
games.ipd.options.rounds = 2
[games.ipd.sft]
episodes = 6
steps = 1
batch = 4
lr = 5e-3
select_every = 1
select_episodes = 1
[games.ipd.train.sepo]
steps = 1
deals = 1
rollouts = 2
lr = 5e-3
select_every = 1
select_episodes = 1
"""


@pytest.fixture(scope="module", params=KINDS)
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(str(request.param), tmp_path_factory.mktemp(str(request.param)))


def test_gradients_reach_every_weight_of_an_adapter_on_the_language_model_alone(checkpoint: Path) -> None:
    policy = adapted_policy(f"hf:{checkpoint}", LoraSettings(rank=2), 0, "test", quiet=True)
    for weight in trainable(policy):
        torch.nn.init.normal_(weight, std=0.1)
    questions = [policy.question(decision) for decision in small_decisions()[:4]]
    sum(row[0] for row in policy.scorer.log_probabilities(questions)).backward()  # type: ignore[attr-defined]
    adapted = {n: p for n, p in policy.loaded.model.named_parameters() if p.requires_grad}
    assert adapted
    for name, weight in adapted.items():
        assert ".layers." in name
        assert not any(tower in name for tower in ("vision", "audio", "visual"))
        assert weight.grad is not None
        assert float(weight.grad.abs().max()) > 0.0, name


@pytest.mark.parametrize("checkpoint", ["gemma4", "qwen3_5"], indirect=True)
def test_a_recipe_runs_and_its_adapter_comes_back_the_same(checkpoint: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "small.toml"
    recipe.write_text(RECIPE.format(model=checkpoint), encoding="utf-8")
    run = run_recipe(str(recipe), [f"out={tmp_path / 'run'}"])
    summary = json.loads((run.folder / "summary.json").read_text(encoding="utf-8"))
    assert {"base", "sft", "sepo"} <= {row["policy"] for row in summary["results"]}
    train = run.folder / "ipd" / "sepo" / "train"
    (row,) = [json.loads(line) for line in (train / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    assert row["sampler_gap"] < 1e-4
    assert row["grad_norm"] > 0.0
    decisions = small_decisions()[-6:]
    base = LocalPolicy.from_spec(f"hf:{checkpoint}", quiet=True).probabilities(decisions)
    found = [
        LocalPolicy.from_spec(f"hf:{checkpoint}+{train / 'checkpoint'}", quiet=True, **settings)
        for settings in ({}, {"prefix_cache": False}, {"trainable": True})
    ]
    rows = [policy.probabilities(decisions) for policy in found]
    for one, other, same, start in zip(*rows, base, strict=True):
        assert list(one.values()) == pytest.approx(list(other.values()), abs=1e-5)
        assert one == same
        assert one != start
