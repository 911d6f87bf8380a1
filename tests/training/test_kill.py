"""Processes that are killed at random moments leave a run that ends with the same bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.training.recipes import write

REPOSITORY = Path(__file__).parents[2]

KEPT = ("table.json", "logits.json", "state.json", "done", "credited.jsonl")

TABLES = """
name = "tables"
model = "table"

[games.ipd.options]
rounds = 2

[games.kuhn.train.sampled]
steps = 12
deals = 2
rollouts = 2
lr = 2.0
select_every = 3

[games.kuhn.train.exact]
gradient = "exact"
exploiters = "pool+best_response"
respond_every = 2
steps = 12
lr = 2.0
select_every = 2
patience = 3
min_delta = 0.01

[games.kuhn.train.league]
gradient = "exact"
steps = 12
lr = 2.0
pools = {train = ["self", "nash"]}
league = {every = 2, keep = 2}
curriculum = [{until = 5, train = ["nash"], exploiter = []}]

[joint.both]
games = {kuhn = 1.0, ipd = 2.0}
steps = 8
deals = 1
rollouts = 2
lr = 2.0
league = {every = 3, keep = 2}
"""

MODELS = """
name = "models"
model = "{model}"
threads = 1
lora.rank = 2
games.ipd.options.rounds = 2

[games.ipd.sft]
episodes = 12
steps = 4
batch = 8
lr = 5e-3
select_every = 2
select_episodes = 1

[games.ipd.train.sampled]
steps = 3
deals = 1
rollouts = 2
lr = 5e-3
select_every = 1
select_episodes = 1
pools = {{train = ["self", "tit_for_tat", "frozen:{model}"]}}
league = {{every = 1, keep = 1}}

[games.kuhn.train.exact]
gradient = "exact"
steps = 3
lr = 5e-3
select_every = 2
pools = {{train = ["nash", "self"]}}
league = {{every = 1, keep = 2, pool = "exploiter"}}

[joint.both]
games = {{ipd = 1.0, kuhn = 1.0}}
steps = 3
deals = 1
rollouts = 2
lr = 5e-3
select_every = 2
select_episodes = 1
per_game.kuhn.gradient = "exact"
league = {{every = 2, keep = 1}}

[joint.both.sft]
episodes = 10
steps = 2
batch = 8
select_every = 1
select_episodes = 1
"""


def left_behind(folder: Path) -> dict[str, Any]:
    """Return what training wrote, without times."""
    found: dict[str, Any] = {}
    for file in sorted(folder.rglob("*")):
        name = str(file.relative_to(folder))
        weights = file.parent.name == "best" and file.suffix == ".json"
        if weights or file.suffix == ".safetensors" or file.name in KEPT:
            found[name] = file.read_bytes()
        elif file.name == "metrics.jsonl":
            rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            found[name] = [{k: v for k, v in row.items() if k != "seconds"} for row in rows]
    return found


def kill(folder: Path, text: str, stages: str, seed: int, tries: int) -> tuple[int, dict[str, Any], Any]:
    """Return how often the run was killed, and what it and an uninterrupted one left behind."""
    recipe = write(folder, text)
    whole, cut = folder / "whole", folder / "cut"
    command = [sys.executable, "-m", "tests.training.killing", recipe, str(whole), str(cut), stages]
    done = subprocess.run(
        [*command, str(seed), str(tries)], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])["killed"], left_behind(whole), left_behind(cut)


def test_tables_killed_at_random_moments_end_with_the_same_bytes(tmp_path: Path) -> None:
    killed, whole, cut = kill(tmp_path, TABLES, "sepo", 1, 10)
    assert killed >= 3
    assert whole == cut
    assert {Path(name).parts[0] for name in whole} == {"kuhn", "joint"}
    assert "kuhn/league/train/past/4/table.json" in whole


def test_adapters_killed_at_random_moments_end_with_the_same_bytes(tmp_path: Path) -> None:
    killed, whole, cut = kill(tmp_path, MODELS.format(model="tiny-random"), "sft,sepo", 2, 5)
    assert killed >= 3
    assert whole == cut
    names = {
        "ipd/sft/train",
        "ipd/sampled/train",
        "kuhn/exact/train",
        "joint/both-sft/train",
        "joint/both/train",
    }
    for name in names:
        assert f"{name}/best/adapter_model.safetensors" in whole
        assert f"{name}/checkpoint/optimiser.safetensors" in whole
    assert "joint/both/train/past/2/adapter_model.safetensors" in whole


JOINT = """
name = "joint"
model = "smollm2"
threads = 1
lora.rank = 2
games.ipd.options.rounds = 1
games.ipd.pools = {train = ["tit_for_tat"], exploiter = ["always_defect"], collusive = [], shift = []}
games.kuhn.options.rounds = 1
games.kuhn.pools = {train = ["nash"], exploiter = ["max_exploiter"], shift = []}

[joint.both]
games = {ipd = 1.0, kuhn = 1.0}
steps = 2
deals = 1
rollouts = 2
lr = 1e-3
select_every = 2
select_episodes = 1
per_game.kuhn.gradient = "exact"
league = {every = 1, keep = 1}

[joint.both.sft]
episodes = 10
steps = 2
batch = 4
select_every = 2
select_episodes = 1
"""
"""Warm start, sampled and exact gradients, a league and several games, in two short runs."""


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_smollm2_killed_at_random_moments_ends_with_the_same_bytes(tmp_path: Path) -> None:
    killed, whole, cut = kill(tmp_path, JOINT, "sft,sepo", 3, 2)
    assert killed >= 1
    assert whole == cut
    assert "joint/both/train/best/adapter_model.safetensors" in whole
