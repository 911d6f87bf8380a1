"""The sequence form: realisation plans, values and action values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.auditing.exact.compile import compile_tree
from equipoise.auditing.exact.tree import Tree
from equipoise.games.registry import make_game
from equipoise.opponents.registry import get_strategy

seeds = st.integers(0, 2**20)


def ipd(name: str = "generous_tit_for_tat") -> Tree:
    return compile_tree(make_game("ipd", rounds=3), {name: get_strategy("ipd", name)}, 0)


def random_plan(tree: Tree, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    weights = np.where(tree.mask, np.random.default_rng(seed).gamma(1.0, size=tree.sequences.shape), 0.0)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@settings(max_examples=20, derandomize=True, deadline=None)
@given(seed=seeds)
def test_a_realisation_plan_flows(seed: int) -> None:
    tree = ipd()
    y = tree.realisation(random_plan(tree, seed))
    assert y[0] == 1.0
    for row in range(len(tree.keys)):
        assert y[tree.sequences[row]].sum() == pytest.approx(y[tree.parents[row]], abs=1e-14)


@settings(max_examples=20, derandomize=True, deadline=None)
@given(seed=seeds)
def test_action_values_are_the_derivatives_of_the_value(seed: int) -> None:
    tree = ipd()
    plan = random_plan(tree, seed)
    rewards = tree.payoff[:, 0, 0] - 0.5 * tree.payoff[:, 0, 3]
    q = tree.action_values(plan, rewards)
    y = tree.realisation(plan)

    def worth(changed: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> float:
        return float(tree.realisation(changed) @ rewards)

    # The value is linear in one row of the plan, so a central difference is exact up to rounding.
    for row in range(len(tree.keys)):
        for column in range(2):
            up, down = plan.copy(), plan.copy()
            up[row, column] += 0.25
            down[row, column] -= 0.25
            slope = (worth(up) - worth(down)) / 0.5
            assert y[tree.parents[row]] * q[row, column] == pytest.approx(slope, abs=1e-12)


def test_levels_hold_every_state_once() -> None:
    tree = ipd("mixed_half")
    rows = np.concatenate(tree.levels)
    assert sorted(rows.tolist()) == list(range(21))
    assert [len(level) for level in tree.levels] == [1, 4, 16]
