"""The main job on the embedded model itself, with fewer of everything: it runs, plays legally and resumes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from equipoise.prompts.registry import get_renderer
from equipoise.rollout.transcript import read_episodes
from equipoise.types import Episode, Validity

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

FEWER = (
    "threads=1",
    "audit.episodes=2",
    "games.ipd.options.rounds=4",
    "games.ipd.sft.episodes=24",
    "games.ipd.sft.validation=0.3",
    "games.ipd.sft.steps=2",
    "games.ipd.sft.batch=16",
    "games.ipd.sft.select_every=1",
    "games.ipd.sft.select_episodes=1",
    "games.ipd.train.sepo.steps=2",
    "games.ipd.train.sepo.deals=1",
    "games.ipd.train.sepo.rollouts=2",
    "games.ipd.train.sepo.select_every=2",
    "games.ipd.train.sepo.select_episodes=1",
    "games.kuhn.sft.episodes=24",
    "games.kuhn.sft.validation=0.3",
    "games.kuhn.sft.steps=2",
    "games.kuhn.sft.batch=16",
    "games.kuhn.sft.select_every=1",
    "games.kuhn.train.sepo.steps=2",
    "games.kuhn.train.sepo.select_every=1",
    "games.kuhn.train.sepo_responders.steps=2",
    "games.kuhn.train.sepo_responders.select_every=1",
)


@dataclass
class Runs:
    """The folder of a run, and how its processes ended."""

    folder: Path
    codes: list[int]
    seconds: float
    errors: list[str]


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "equipoise", "run", "quickstart", "--quiet", f"out={folder / 'run'}", *FEWER],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """A run that is killed in its first SFT, after a step, and started again."""
    folder = tmp_path_factory.mktemp("quickstart")
    codes, errors, began = [], [], time.monotonic()
    for moment in (folder / "run/ipd/sft/train/checkpoint/state.json", None):
        process = start(folder)
        try:
            while moment is not None and process.poll() is None and not moment.exists():
                time.sleep(0.01)
            if moment is not None:
                process.kill()
            _, error = process.communicate(timeout=600)
        finally:
            process.kill()
            process.wait()
        codes.append(process.returncode)
        errors.append(error)
    return Runs(folder / "run", codes, time.monotonic() - began, errors)


@pytest.fixture(scope="module")
def summary(runs: Runs) -> Any:
    assert runs.codes == [-signal.SIGKILL, 0], runs.errors
    return json.loads((runs.folder / "summary.json").read_text(encoding="utf-8"))


def test_it_runs_from_end_to_end(runs: Runs, summary: Any) -> None:
    found: dict[str, list[str]] = {}
    for row in summary["results"]:
        found.setdefault(row["game"], []).append(row["policy"].partition(":")[0])
    assert found == {
        "ipd": ["base", "sft", "sepo", "best scripted"],
        "kuhn": ["base", "sft", "sepo", "sepo_responders", "best scripted"],
    }
    for game, name in (("ipd", "sft"), ("ipd", "sepo"), ("kuhn", "sft"), ("kuhn", "sepo_responders")):
        lines = (
            (runs.folder / game / name / "train" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        )
        assert [json.loads(line)["step"] for line in lines] == [1, 2]


def test_it_takes_minutes_not_hours(runs: Runs) -> None:
    """Four minutes on a core of one's own; twice that where it is shared."""
    assert runs.seconds < 480.0


def test_no_choice_is_invalid(runs: Runs, summary: Any) -> None:
    for row in summary["results"]:
        assert row["metrics"]["invalid_rate"] == {
            "value": 0.0,
            "low": 0.0,
            "high": 0.0,
            "level": 1.0,
            "n": 0,
            "clusters": 0,
            "kind": "exact",
        }
    renderer = get_renderer("ipd")
    for name in ("base", "sft", "sepo"):
        played: list[Episode] = list(read_episodes(runs.folder / "ipd" / name / "audit" / "transcript.jsonl"))
        # Eleven opponents, two deals, two seats.
        assert len(played) == 11 * 2 * 2
        for episode in played:
            own = [turn for turn in episode.turns if turn.seat == episode.seat]
            assert len(own) == 4
            for turn in own:
                assert turn.choice.validity is Validity.VALID
                assert turn.retries == 0
                assert turn.choice.action == turn.action
                (generation,) = turn.choice.generations
                assert renderer.parse(generation.text, ("COOPERATE", "DEFECT")) == turn.action


def test_probabilities_are_whole(runs: Runs) -> None:
    for episode in read_episodes(runs.folder / "ipd" / "base" / "audit" / "transcript.jsonl"):
        for turn in episode.turns:
            if turn.seat == episode.seat:
                assert turn.choice.probabilities is not None
                assert sum(turn.choice.probabilities.values()) == pytest.approx(1.0, abs=1e-9)


def test_the_warm_start_learns(runs: Runs) -> None:
    for game in ("ipd", "kuhn"):
        lines = (
            (runs.folder / game / "sft" / "train" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        )
        rows = [json.loads(line) for line in lines]
        assert rows[1]["validation_loss"] < rows[0]["validation_loss"]


def test_training_and_play_use_the_same_probabilities(runs: Runs) -> None:
    for file in runs.folder.glob("*/sepo*/train/metrics.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            assert json.loads(line)["sampler_gap"] < 1e-4


def test_started_again_it_is_done(runs: Runs, summary: Any) -> None:
    before = {
        file: file.stat().st_mtime_ns
        for file in runs.folder.rglob("*")
        if file.is_file() and file.name != "summary.json"
    }
    kept = (runs.folder / "summary.json").read_bytes()
    process = start(runs.folder.parent)
    _, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    assert (runs.folder / "summary.json").read_bytes() == kept
    after = {
        file: file.stat().st_mtime_ns
        for file in runs.folder.rglob("*")
        if file.is_file() and file.name != "summary.json"
    }
    assert after == before
