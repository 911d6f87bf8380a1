"""Two processes make the training of one, through the command line."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from equipoise.errors import RequestError
from equipoise.training.pipeline import run_recipe

RECIPE = """
name = "ranks"
model = "{model}"
threads = 1
backend = "trl"
mode = "free"
max_new_tokens = 6
trl.tuning = "{tuning}"
{adapter}
[games.ipd]
options = {{ rounds = 2 }}
pools = {{ train = ["tit_for_tat"], exploiter = ["always_defect"], collusive = ["always_cooperate"] }}
[games.ipd.sft]
episodes = 20
validation = 0.3
steps = 2
batch = 4
select_episodes = 1
[games.ipd.train.sepo]
steps = 2
deals = 1
rollouts = 2
select_every = 2
select_episodes = 1
entropy = 0.01
kl = 0.1
lr = 1e-3
"""


def recipe(folder: Path, tuning: str) -> str:
    from equipoise.policies.local.tiny import tiny_model, tiny_tokenizer

    model = folder / "model"
    tokenizer = tiny_tokenizer()
    tiny_model(tokenizer).save_pretrained(model)
    tokenizer.save_pretrained(model)
    path = folder / "recipe.toml"
    adapter = "lora.rank = 2" if tuning == "lora" else ""
    path.write_text(RECIPE.format(model=f"hf:{model}", tuning=tuning, adapter=adapter), encoding="utf-8")
    return str(path)


ROOT = Path(__file__).parents[3]


def launch(processes: int, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Start processes as ``accelerate launch`` does, on CPUs, and wait for them."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    launcher = ["-m", "torch.distributed.run", f"--nproc_per_node={processes}", f"--master_port={port}"]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [sys.executable, *launcher, "-m", module, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=env,
        timeout=300,
    )


def metrics(folder: Path) -> list[dict[str, float]]:
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]


@pytest.mark.slow
@pytest.mark.parametrize("tuning", ["lora", "full"])
def test_two_processes_make_the_updates_of_one(tuning: str, tmp_path: Path) -> None:
    path = recipe(tmp_path, tuning)
    run_recipe(path, [f"out={tmp_path / 'one'}"], ("sft", "sepo"))
    done = launch(2, "equipoise", "train", path, f"out={tmp_path / 'two'}", "--quiet")
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("run folder") == 1
    for stage in ("sft/train", "sepo/train"):
        one, two = (tmp_path / name / "ipd" / stage for name in ("one", "two"))
        for ours, theirs in zip(metrics(one), metrics(two), strict=True):
            assert set(ours) == set(theirs)
            for name, value in ours.items():
                if not isinstance(value, int | float):
                    assert theirs[name] == value, (stage, name)
                elif "gap" not in name:
                    assert theirs[name] == pytest.approx(value, rel=1e-3, abs=1e-4), (stage, name)
        file = "adapter_model.safetensors" if tuning == "lora" else "model.safetensors"
        weights = [load_file(folder / "checkpoint" / file) for folder in (one, two)]
        assert set(weights[0]) == set(weights[1])
        for name, tensor in weights[0].items():
            # Adam divides by the size of a gradient: rounding of one near zero comes out as a whole step.
            close = np.isclose(tensor, weights[1][name], atol=2e-5)
            assert close.mean() > 0.99, (stage, name)


@pytest.mark.slow
def test_a_model_spread_over_processes_plays_trains_and_is_kept(tmp_path: Path) -> None:
    done = launch(2, "tests.training.trl.sharded", str(tmp_path))
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("OK") == 2


@pytest.mark.parametrize(
    ("backend", "stages", "message"),
    [("local", ("sft", "sepo"), "backend = 'local'"), ("trl", ("audit", "sft"), "audits run in one")],
)
def test_what_several_processes_cannot_do_is_refused_before_any_work(
    backend: str, stages: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    path = tmp_path / "recipe.toml"
    path.write_text(
        f'name = "x"\nmodel = "tiny-random"\nbackend = "{backend}"\n[games.ipd]\n', encoding="utf-8"
    )
    with pytest.raises(RequestError, match=message):
        run_recipe(str(path), [f"out={tmp_path / 'out'}"], stages)
    assert not (tmp_path / "out").exists()
