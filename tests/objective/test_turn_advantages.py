"""Advantages of a strategist's turns: EPO's golden vectors, and the baselines that mend what they lack."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.objective.advantages import discounted, group, loo, maxabs, outcome_at_end

# Worked by hand from R_t = Σ γ^{k−t} r_k with γ = 0.99 (arXiv 2502.12486).
GOLDEN = [
    ([0, 0, 0, 0.2], [0.970299, 0.9801, 0.99, 1.0]),
    ([0, 0, 0, 1], [0.970299, 0.9801, 0.99, 1.0]),
    ([0, 1, 0, 0], [0.99, 1.0, 0.0, 0.0]),
    ([1, 0, 1, 0, 0.7], [1.0, 0.629293, 0.635649, 0.261261, 0.263900]),
    ([0, 0, 0], [0.0, 0.0, 0.0]),
]
amounts = st.integers(-8, 8).map(lambda n: n / 4)
rewards = st.lists(amounts, min_size=1, max_size=6)


@pytest.mark.parametrize(("given_", "wanted"), GOLDEN)
def test_maxabs_gives_the_golden_vectors(given_: list[float], wanted: list[float]) -> None:
    assert maxabs(given_, 0.99) == pytest.approx(wanted, abs=5e-7)


def test_returns_of_the_golden_trajectory() -> None:
    assert discounted([1, 0, 1, 0, 0.7], 0.99) == pytest.approx(
        [2.652517, 1.669209, 1.686070, 0.693, 0.7], abs=5e-7
    )


def test_nothing_marked_moves_nothing() -> None:
    for found in (maxabs([0.0] * 4), *loo([[0.0] * 4, [0.0] * 3]), *group([[0.0] * 4, [0.0] * 3])):
        assert not found.any()
    assert maxabs([]).shape == (0,)


@given(rewards, st.floats(0.0, 1.0))
def test_maxabs_is_bounded_by_one_and_keeps_signs(row: list[float], gamma: float) -> None:
    found, returns = maxabs(row, gamma), discounted(row, gamma)
    assert np.abs(found).max() <= 1.0 + 1e-12
    assert (np.sign(found) == np.sign(returns)).all()


@given(st.lists(amounts.map(abs), min_size=1, max_size=6), st.floats(0.1, 5.0))
def test_maxabs_loses_the_scale_which_loo_keeps(row: list[float], factor: float) -> None:
    assert maxabs([factor * r for r in row]) == pytest.approx(maxabs(row), abs=1e-9)
    other = [0.25] * len(row)
    small, large = loo([row, other])[0], loo([[factor * r for r in row], [factor * r for r in other]])[0]
    assert large == pytest.approx(factor * small, abs=1e-9)


def test_the_outcome_goes_to_the_last_turn_unless_it_is_marked() -> None:
    assert outcome_at_end([0, 1, 0], 0.7).tolist() == [0.0, 1.0, 0.7]
    assert outcome_at_end([0, 0, 1], 0.7).tolist() == [0.0, 0.0, 1.0]
    assert outcome_at_end([], 0.7).tolist() == []
    marks = np.array([0.0, 0.0])
    outcome_at_end(marks, 0.5)
    assert marks.tolist() == [0.0, 0.0]


def test_loo_compares_with_the_others_at_the_same_turn() -> None:
    found = loo([[0, 1], [1, 0], [0]], gamma=1.0)
    # Returns: (1, 1), (1, 0), (0, and nothing after).
    assert found[0].tolist() == [1 - (1 + 0) / 2, 1 - (0 + 0) / 2]
    assert found[1].tolist() == [1 - (1 + 0) / 2, 0 - (1 + 0) / 2]
    assert found[2].tolist() == [0 - (1 + 1) / 2]
    assert loo([[0, 1]], gamma=1.0)[0].tolist() == [1.0, 1.0]


@given(st.lists(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3), min_size=2, max_size=5))
def test_loo_advantages_of_equal_lengths_sum_to_zero(rows: list[list[float]]) -> None:
    assert np.sum(loo(rows), axis=0) == pytest.approx(np.zeros(3), abs=1e-9)


@given(st.lists(rewards, min_size=2, max_size=5))
def test_group_advantages_are_centred_with_spread_one_or_zero(rows: list[list[float]]) -> None:
    values = np.concatenate(group(rows))
    assert values.mean() == pytest.approx(0.0, abs=1e-6)
    assert values.std() == pytest.approx(1.0, abs=1e-6) or not values.any()
    assert np.isfinite(values).all()


@given(st.permutations(range(4)))
def test_the_order_of_trajectories_does_not_matter(order: list[int]) -> None:
    rows = [[0.0, 1.0], [1.0], [0.5, 0.25, 0.0], [0.0, 0.0]]
    for function in (loo, group):
        moved = function([rows[i] for i in order])
        for place, i in enumerate(order):
            assert moved[place] == pytest.approx(function(rows)[i], abs=1e-12)
