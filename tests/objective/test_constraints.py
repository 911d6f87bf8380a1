"""Dual ascent on the multipliers of limited terms, and the estimates it takes."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import RequestError
from equipoise.games.base import Weights
from equipoise.games.registry import make_game
from equipoise.objective.constraints import TERMS, DualAscent, constrained, mean_features
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from tests.objective.build import group, rollout

START = Weights(1.0, 2.0, 3.0)
values = st.floats(0.0, 5.0)


def objective(game: str = "ipd") -> Objective:
    return Objective.of(make_game(game).info_record, replace(default_pools(game), shift=()))


def test_a_broken_limit_raises_its_multiplier_and_a_slack_one_lowers_it() -> None:
    dual = DualAscent(START, {"e": 0.5, "c": 0.5}, lr=0.1, top=20.0)
    dual.update({"e": 2.5, "c": 0.25, "x": 9.0})
    # 1 + 0.1 · (2.5 − 0.5), 2 + 0.1 · (0.25 − 0.5); x has no limit.
    assert dual.weights == Weights(pytest.approx(1.2), pytest.approx(1.975), 3.0)


def test_what_nobody_measures_moves_nothing() -> None:
    ascent = DualAscent(Weights(1.0, 2.0, 3.0), {"e": 0.1, "c": 0.1}, lr=0.5, top=9.0)
    ascent.update({"e": None, "c": 0.3})
    assert ascent.weights.e == 1.0
    assert ascent.weights.c == pytest.approx(2.1)


def test_multipliers_stay_between_zero_and_the_largest() -> None:
    dual = DualAscent(START, {"e": 1.0, "x": 0.0}, lr=10.0, top=2.5)
    assert dual.weights == Weights(1.0, 2.0, 2.5)
    dual.update({"e": 0.0, "x": 1.0})
    assert dual.weights == Weights(0.0, 2.0, 2.5)


@given(st.lists(st.tuples(values, values, values), min_size=1, max_size=8), values, st.floats(0.01, 3.0))
def test_a_resumed_ascent_goes_on_alike(found: list[tuple[float, ...]], limit: float, lr: float) -> None:
    limits = dict.fromkeys(TERMS, limit)
    whole, first = DualAscent(START, limits, lr, 4.0), DualAscent(START, limits, lr, 4.0)
    half = len(found) // 2
    for row in found:
        whole.update(dict(zip(TERMS, row, strict=True)))
        assert all(0.0 <= getattr(whole.weights, name) <= 4.0 for name in TERMS)
    for row in found[:half]:
        first.update(dict(zip(TERMS, row, strict=True)))
    second = DualAscent(Weights(9.0, 9.0, 9.0), limits, lr, 4.0)
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    for row in found[half:]:
        second.update(dict(zip(TERMS, row, strict=True)))
    assert second.weights == whole.weights


def test_the_excess_counts_what_is_outside_in_the_units_of_j() -> None:
    dual = DualAscent(START, {"e": 0.5, "c": 0.25}, 0.1, 9.0)
    assert dual.excess({"e": 0.5, "c": 0.25, "x": 7.0}, scale=3.0) == 0.0
    assert dual.excess({"e": 1.0, "c": 0.75, "x": 7.0}, scale=3.0) == pytest.approx(3.0 * 0.5 + 0.5)
    # What one limit leaves over makes up for nothing.
    assert dual.excess({"e": 0.0, "c": 0.75, "x": 7.0}, scale=3.0) == pytest.approx(0.5)


@pytest.mark.parametrize("term", ["c", "x"])
def test_a_term_that_does_not_apply_has_no_limit(term: str) -> None:
    with pytest.raises(
        RequestError, match=rf"limits\.{term} = 0\.1: {term} is not applicable to kuhn .*\(e\)"
    ):
        constrained(objective("kuhn"), {term: 0.1}, "kuhn")
    assert constrained(objective("ipd"), {term: 0.1}, "ipd") == {term: 0.1}


def test_without_exploiters_e_has_no_limit() -> None:
    bare = objective("ipd")
    bare = replace(bare, pools=replace(bare.pools, exploiter=()))
    with pytest.raises(RequestError, match=r"limits\.e = 1: e is not applicable to ipd .*\(c, x\)"):
        constrained(bare, {"e": 1.0}, "ipd")


def test_means_are_over_rollouts_then_seats_and_the_hinge_is_of_the_mean() -> None:
    def one(gap: float, seat: int) -> object:
        return group(("exploiter", "d"), [rollout(np.array([[0.0, gap, 0.0, 0.5]]))], seat)

    # Seat 0 was played twice, seat 1 once; the seats weigh the same.
    groups = [one(3.0, 0), one(-1.0, 0), one(-5.0, 1)]
    means = mean_features(groups)  # type: ignore[arg-type]
    assert means["exploiter", "d"] == pytest.approx([0.0, -2.0, 0.0, 0.5])
    pools = replace(default_pools("ipd"), train=("d",), exploiter=("d",), collusive=("d",), shift=())
    whole = replace(objective(), pools=pools)
    row = means["exploiter", "d"]
    found = whole.limited({("train", "d"): row, ("exploiter", "d"): row, ("collusive", "d"): row})
    # The hinge of episodes would have been (3 / 2 + 0) / 2.
    assert found == {"e": 0.0, "c": 0.0, "x": pytest.approx(0.5)}
