"""A step of each stage on TRL for every family of the paper, as their checkpoints come."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equipoise.training.pipeline import run_recipe
from tests.architectures import MODELS, save

RECIPE = """
name = "small"
model = "hf:{model}"
threads = 1
backend = "trl"
mode = "{mode}"
thought_tokens = 4
lora.rank = 2
[games.ipd]
options = {{ rounds = 2 }}
pools = {{ train = ["tit_for_tat"], exploiter = ["always_defect"], collusive = ["always_cooperate"] }}
[games.ipd.sft]
episodes = 6
steps = 1
batch = 4
select_episodes = 1
[games.ipd.train.sepo]
steps = 1
deals = 1
rollouts = 2
entropy = 0.1
select_episodes = 1
"""


KINDS = [kind if kind == "gemma3" else pytest.param(kind, marks=pytest.mark.slow) for kind in sorted(MODELS)]
"""Gemma 3 demands most: it does not train without being told which tokens are text."""


@pytest.mark.parametrize("kind", KINDS)
def test_sampler_and_trainer_agree_on_every_family(kind: str, tmp_path: Path) -> None:
    model = save(kind, tmp_path / "model")
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE.format(model=model, mode="think"), encoding="utf-8")
    run_recipe(str(path), [f"out={tmp_path / 'out'}"], ("sft", "sepo"))
    (line,) = (tmp_path / "out/ipd/sepo/train/metrics.jsonl").read_text(encoding="utf-8").splitlines()
    row = json.loads(line)
    assert row["sampler_gap_max"] < 1e-3
    assert row["grad_norm"] > 0.0
