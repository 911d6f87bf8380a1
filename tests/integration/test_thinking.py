"""The embedded model thinks, chooses and is trained on both, for a step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equipoise.rollout.transcript import read_episodes
from equipoise.training.pipeline import run_recipe

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

RECIPE = """
name = "thinking"
model = "smollm2"
threads = 1
mode = "think"
thought_tokens = 8
audit.episodes = 1
[games.ipd]
options.rounds = 2
pools = {train = ["tit_for_tat"], exploiter = ["always_defect"], collusive = ["always_cooperate"], shift = []}
train.sepo = {steps = 2, deals = 1, rollouts = 4, select_every = 2, select_episodes = 1, max_step_kl = 0.5}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("thinking")
    (folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    return run_recipe(str(folder / "recipe.toml"), [f"out={folder / 'run'}"]).folder


def test_its_thoughts_are_language_and_its_actions_legal(run: Path) -> None:
    thoughts = []
    for episode in read_episodes(run / "ipd" / "base" / "audit" / "transcript.jsonl"):
        for turn in episode.turns:
            if turn.seat == episode.seat:
                thought, action = turn.choice.generations
                thoughts.append(thought.text)
                assert action.text in ("COOPERATE", "DEFECT")
                assert len(thought.ids) <= 8
    words = " ".join(thoughts).split()
    assert sum(word.isascii() and any(c.isalpha() for c in word) for word in words) > 0.8 * len(words)


def test_what_is_trained_is_what_was_sampled_and_it_moves(run: Path) -> None:
    lines = (run / "ipd" / "sepo" / "train" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["step"] for row in rows] == [1, 2]
    for row in rows:
        assert row["sampler_gap"] < 1e-3
        assert (row["invalid_rate"], row["skipped"]) == (0.0, 0.0)
        # Where all rollouts of all groups earn the same there is nothing to learn.
        moves = row["dead_keys"] < 1.0
        assert (row["grad_norm"] > 0.0, row["step_kl"] > 0.0) == (moves, moves), row
        assert row["step_kl"] <= 0.5
    assert any(row["dead_keys"] < 1.0 for row in rows)
    # A fresh adapter is the reference itself.
    assert rows[0]["kl"] < 1e-6
