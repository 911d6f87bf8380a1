"""Which weights are kept and when a run stops: the rule, case by case."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.training.stopping import Best

SCORES = st.lists(st.floats(-3, 3), min_size=1, max_size=12)


def played(best: Best, scores: list[float]) -> list[int]:
    """Take scores until the run stops; return the evaluations whose weights were kept."""
    kept = []
    for number, score in enumerate(scores):
        if best.over:
            break
        if best.take(number, score):
            kept.append(number)
    return kept


@pytest.mark.parametrize(
    ("scores", "patience", "min_delta", "kept", "taken"),
    [
        ([1.0, 2.0, 3.0], 1, 0.0, [0, 1, 2], 3),
        ([3.0, 2.0, 9.0], 1, 0.0, [0], 2),
        # Equal is not better.
        ([1.0, 1.0, 1.0, 2.0], 2, 0.0, [0], 3),
        # Small gains are kept but do not count.
        ([0.0, 0.05, 0.09, 5.0], 2, 0.1, [0, 1, 2], 3),
        # They add up: the third is 0.12 above the last that counted.
        ([0.0, 0.06, 0.12, 0.13, 0.14, 9.0], 2, 0.1, [0, 1, 2, 3, 4], 5),
        ([0.0, 0.0, 0.0], None, 0.0, [0], 3),
    ],
)
def test_the_rule(
    scores: list[float], patience: int | None, min_delta: float, kept: list[int], taken: int
) -> None:
    best = Best(patience, min_delta)
    assert played(best, scores) == kept
    assert (best.step, best.score) == (kept[-1], scores[kept[-1]])
    again, number = Best(patience, min_delta), 0
    while number < len(scores) and not again.over:
        again.take(number, scores[number])
        number += 1
    assert number == taken


@given(SCORES, st.integers(1, 4), st.floats(0, 1))
def test_the_best_is_the_first_of_the_highest_that_were_seen(
    scores: list[float], patience: int, min_delta: float
) -> None:
    best = Best(patience, min_delta)
    seen = []
    for number, score in enumerate(scores):
        if best.over:
            break
        best.take(number, score)
        seen.append(score)
    assert best.score == max(seen)
    assert best.step == seen.index(max(seen))


@given(SCORES, st.integers(1, 4), st.floats(0, 1), st.integers(0, 11))
def test_a_resume_changes_nothing(scores: list[float], patience: int, min_delta: float, cut: int) -> None:
    def log(best: Best) -> dict[str, Any]:
        row: dict[str, Any] = {}
        best.log(row)
        return row

    whole, first = Best(patience, min_delta), Best(patience, min_delta)
    for number, score in enumerate(scores):
        whole.take(number, score)
    for number, score in enumerate(scores[:cut]):
        first.take(number, score)
    again = Best(patience, min_delta)
    again.load_state_dict(json.loads(json.dumps(first.state_dict())))
    for number, score in enumerate(scores[cut:], start=cut):
        again.take(number, score)
    assert log(again) == log(whole)
    assert again.state_dict() == whole.state_dict()


def test_the_rule_stands_in_the_metrics() -> None:
    row: dict[str, Any] = {}
    best = Best(2, 0.01)
    best.log(row)
    assert row == {
        "best_score": None,
        "waited": 0,
        "rule": "keeps the weights with the highest select_score; stops after 2 evaluations in a row that "
        "gain no more than 0.01",
        "stopped": False,
    }
    assert Best(None).rule == "keeps the weights with the highest select_score"
