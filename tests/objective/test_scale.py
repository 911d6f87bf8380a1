"""One divisor for a whole batch."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.objective.scale import RunningScale

batches = st.lists(st.lists(st.floats(-10, 10), max_size=4), max_size=4)


def arrays(rows: list[list[float]]) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
    return [np.array(row) for row in rows]


@settings(max_examples=30, derandomize=True, deadline=None)
@given(rows=batches)
def test_none_divides_by_one(rows: list[list[float]]) -> None:
    assert RunningScale("none", 100.0).divisor(arrays(rows)) == 1.0


def test_the_first_batch_is_divided_by_its_own_root_mean_square() -> None:
    # Bias-corrected: the weight of the start does not pull the mean down.
    found = RunningScale("rms", 1.0).divisor(arrays([[3.0], [4.0, 0.0]]))
    assert found == pytest.approx(math.sqrt((9 + 16) / 3))


def test_later_batches_count_by_decay() -> None:
    scale = RunningScale("rms", 1.0, decay=0.5)
    scale.divisor(arrays([[2.0]]))
    # (0.5·0.5·4 + 0.5·16) / (0.5·0.5 + 0.5)
    assert scale.divisor(arrays([[4.0]])) == pytest.approx(math.sqrt((1.0 + 8.0) / 0.75))


@pytest.mark.parametrize("rows", [[], [[]], [[0.0, 0.0]], [[1e-9, -1e-9]]])
def test_nearly_equal_rewards_are_not_blown_up(rows: list[list[float]]) -> None:
    assert RunningScale("rms", 5.0, floor=0.01).divisor(arrays(rows)) == pytest.approx(0.05)


def test_an_empty_batch_changes_nothing() -> None:
    scale = RunningScale("rms", 1.0)
    first = scale.divisor(arrays([[2.0]]))
    before = scale.state_dict()
    assert scale.divisor([]) == first
    assert scale.state_dict() == before


@settings(max_examples=30, derandomize=True, deadline=None)
@given(rows=st.lists(st.lists(st.floats(1, 10), min_size=1, max_size=4), min_size=1, max_size=4))
def test_it_scales_with_the_advantages(rows: list[list[float]]) -> None:
    one = RunningScale("rms", 1.0).divisor(arrays(rows))
    two = RunningScale("rms", 1.0).divisor([2.0 * row for row in arrays(rows)])
    assert two == pytest.approx(2.0 * one)


def test_a_saved_state_goes_on_alike() -> None:
    scale = RunningScale("rms", 1.0)
    scale.divisor(arrays([[0.1, 0.7], [1 / 3]]))
    again = RunningScale("rms", 1.0)
    again.load_state_dict(json.loads(json.dumps(scale.state_dict())))
    assert again.divisor(arrays([[0.2]])) == scale.divisor(arrays([[0.2]]))
