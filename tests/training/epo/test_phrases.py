"""Training a list of advice: its gradient against finite differences, its steps, its state, whole recipes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.games.registry import make_game
from equipoise.policies.base import Policy
from equipoise.policies.phrases.adviser import PhraseAdviser, encoded
from equipoise.policies.phrases.keys import state_key
from equipoise.policies.phrases.policy import PhraseStrategist
from equipoise.policies.registry import load_policy
from equipoise.training.epo.phrases import PhraseLearner
from equipoise.training.samples import DecisionSample

SPLIT = make_game("split", rounds=2)
ADVICE = ("Split it evenly.", "Play hardball.", "Be modest.")


def learner(logits: dict[str, list[float]] | None = None, **settings: Any) -> PhraseLearner:
    actor = load_policy("coached:random", SPLIT)
    assert isinstance(actor, Policy)
    adviser = PhraseAdviser(SPLIT, state_key("turn", SPLIT), ADVICE, logits)
    return PhraseLearner(PhraseStrategist(adviser, actor, "mine"), **{"max_grad_norm": np.inf, **settings})


def sample(row: str, piece: int, advantage: float, episodes: int = 4) -> DecisionSample:
    return DecisionSample(
        encoded(row),
        (piece,),
        (0.0,),
        (1,),
        (None,),
        advantage,
        ("train", "fair"),
        episodes,
        "e",
        0,
        "strategist",
    )


BATCH = [
    sample("turn 0", 0, 1.0),
    sample("turn 0", 1, -0.5),
    sample("turn 1", 2, 2.0, 3),
    sample("turn 0", 0, 0.3),
]
START = {"turn 0": [0.2, -0.4, 0.1], "turn 1": [1.0, 0.0, -1.0]}


def objective(at: PhraseLearner, kl: float, entropy: float) -> float:
    total = 0.0
    for one in BATCH:
        p = at.adviser.probabilities(bytes(one.prompt_ids).decode())
        q = at._reference(bytes(one.prompt_ids).decode())
        total += one.weight * np.log(p[one.completion_ids[0]])
        total -= kl * float(p @ np.log(p / q)) / len(BATCH)
        total -= entropy * float(p @ np.log(p)) / len(BATCH)
    return float(total)


def test_the_gradient_is_that_of_the_objective() -> None:
    one = learner(START)
    one.reference = {"turn 1": np.array([0.0, 0.5, 0.5])}
    ascent, visits, _ = one.gradient(BATCH, kl=0.7, entropy=0.3)
    assert visits == {"turn 0": 0.75, "turn 1": 0.25}
    for row, logits in one.adviser.logits.items():
        for k in range(3):
            kept, ends = logits[k], []
            for step in (1e-6, -1e-6):
                logits[k] = kept + step
                ends.append(objective(one, 0.7, 0.3))
            logits[k] = kept
            assert ascent[row][k] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-7)


def test_a_step_goes_along_it_no_further_than_it_may() -> None:
    one = learner(START)
    ascent, _, _ = one.gradient(BATCH)
    stats = one.update(BATCH, 0.1, 0.0, 0.0)
    assert one.adviser.logits["turn 1"] == pytest.approx(np.array(START["turn 1"]) + 0.1 * ascent["turn 1"])
    assert (stats["step_taken"], stats["skipped"], one.adviser.version) == (1.0, 0.0, 1)
    short = learner(START, max_step_kl=1e-4)
    assert short.update(BATCH, 10.0, 0.0, 0.0)["step_kl"] <= 1e-4
    clipped = learner(START, max_grad_norm=1e-3)
    clipped.update(BATCH, 1.0, 0.0, 0.0)
    moved = np.concatenate([clipped.adviser.logits[row] - START[row] for row in START])
    assert np.linalg.norm(moved) == pytest.approx(1e-3)


def test_a_gradient_that_is_not_finite_makes_no_step() -> None:
    one = learner(START)
    assert one.update([sample("turn 0", 0, np.inf)], 1.0, 0.0, 0.0)["skipped"] == 1.0
    assert one.adviser.dump() == learner(START).adviser.dump()


def test_nothing_to_learn_moves_nothing() -> None:
    one = learner(START)
    one.update([replace(each, advantage=0.0) for each in BATCH], 1.0, 0.0, 0.0)
    assert one.adviser.dump() == learner(START).adviser.dump()


def test_state_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    one = learner(START)
    one.update(BATCH, 0.1, 0.2, 0.0)
    one.save_weights(tmp_path)
    state = one.save_state(tmp_path)
    again = learner()
    again.load(tmp_path, json.loads(json.dumps(state)))
    for each in (one, again):
        each.update(BATCH, 0.1, 0.2, 0.0)
    assert again.adviser.dump() == one.adviser.dump()
    assert again.adviser.version == one.adviser.version == 2
    frozen = one.frozen(tmp_path, "round1")
    assert isinstance(frozen, PhraseStrategist)
    assert frozen.name == "round1"
    assert frozen.adviser.logits["turn 1"] == pytest.approx(learner(START).adviser.logits["turn 1"], abs=0.1)
    assert not frozen.adviser.trainable
