"""Hinges: what is settled, what is added, and the interval of a metric made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from equipoise.auditing.statistics.hinge import NOTHING, Gap, hinged_interval, rivals, settle
from equipoise.auditing.statistics.intervals import Range, t_interval

Array = np.ndarray[Any, np.dtype[np.float64]]
PAY = Range(-5.0, 5.0)
AHEAD = [1.0, 1.5, 1.2, 1.3, 0.9, 1.1]
BEHIND = [-1.0, -1.5, -1.2, -1.3, -0.9, -1.1]
UNCLEAR = [1.0, -1.0, 0.9, -1.1, 1.3, -0.8]
NONE = np.zeros(6)


def gap(name: str, values: list[float], weight: float = 1.0) -> Gap:
    return Gap(name, np.array(values), PAY, weight)


def t(values: list[float] | Array, level: float) -> tuple[float, float]:
    low, high = stats.t.interval(level, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    return float(low), float(high)


def interval_of(*gaps: Gap, level: float = 0.95) -> tuple[float, float]:
    return hinged_interval(NONE, NOTHING, gaps, level, 6, t_interval)


class TestSettle:
    def test_three_ways(self) -> None:
        gaps = (gap("a", AHEAD, -2.0), gap("b", BEHIND, -2.0), gap("z", UNCLEAR, -2.0))
        base = np.arange(6.0)
        found = settle(base, Range(0.0, 5.0), gaps, 0.95, 6, t_interval)
        assert found.values == pytest.approx(base - 2.0 * np.array(AHEAD))
        assert found.within == (-10.0, 15.0)
        assert found.undecided == ("z",)
        assert (found.low, found.high) == pytest.approx((-2.0 * t(UNCLEAR, 0.95)[1], 0.0))

    def test_a_positive_weight_adds_upward(self) -> None:
        found = settle(NONE, NOTHING, (gap("z", UNCLEAR, 0.5),), 0.95, 6, t_interval)
        assert (found.low, found.high) == pytest.approx((0.0, 0.5 * t(UNCLEAR, 0.95)[1]))


class TestRivals:
    """Two policies' leads of one opponent, in a difference."""

    def pair(self, a: list[float], b: list[float], weight: float = 2.0) -> tuple[Gap, Gap]:
        return gap("o", a, weight), gap("o", b, -weight)

    @pytest.mark.parametrize("weight", [2.0, -2.0])
    def test_undecided_leads_that_move_together_add_little(self, weight: float) -> None:
        near = [value + 0.01 * (-1) ** i for i, value in enumerate(UNCLEAR)]
        found = settle(NONE, NOTHING, self.pair(UNCLEAR, near, weight), 0.95, 6, t_interval)
        apart = t(np.array(UNCLEAR) - np.array(near), 0.95)
        assert (found.low, found.high) == pytest.approx((2.0 * apart[0], 2.0 * apart[1]), abs=1e-9)
        assert found.undecided == ("o", "o")

    def test_far_apart_they_add_no_more_than_each_alone(self) -> None:
        noisy = [5.0 * value for value in reversed(UNCLEAR)]
        found = settle(NONE, NOTHING, self.pair(UNCLEAR, noisy), 0.95, 6, t_interval)
        assert found.low >= -2.0 * t(noisy, 0.95)[1] - 1e-9
        assert found.high == pytest.approx(2.0 * t(UNCLEAR, 0.95)[1])

    def test_the_interval_pays_for_the_comparison(self) -> None:
        base = np.array([1.0, 2.0, 4.0, 1.5, 3.0, 2.5])
        near = [value + 0.01 * (-1) ** i for i, value in enumerate(UNCLEAR)]
        gaps = self.pair(UNCLEAR, near)
        assert rivals(gaps) == [(0, 1)]
        found = hinged_interval(base, Range(0.0, 5.0), gaps, 0.9, 6, t_interval)
        apart = t(np.array(UNCLEAR) - np.array(near), 1 - 0.1 / 3 / 2)
        low, high = t(base, 0.95)
        assert found == pytest.approx((low + 2.0 * apart[0], high + 2.0 * apart[1]))

    def test_settled_leads_are_taken_as_they_are(self) -> None:
        found = settle(NONE, NOTHING, self.pair(AHEAD, BEHIND), 0.95, 6, t_interval)
        assert found.values == pytest.approx(2.0 * np.array(AHEAD))
        assert (found.low, found.high) == (0.0, 0.0)

    def test_only_one_opponent_of_two_policies_is_a_rival(self) -> None:
        assert rivals((gap("a", AHEAD, 1.0), gap("b", AHEAD, -1.0), gap("a", AHEAD, 1.0))) == []


class TestInterval:
    def test_hinges_alone_have_simultaneous_intervals(self) -> None:
        low, high = t(AHEAD, 0.975)
        assert t(BEHIND, 0.975)[1] < 0.0
        assert interval_of(gap("a", AHEAD, 0.5), gap("b", BEHIND, 0.5)) == pytest.approx((low / 2, high / 2))
        both = interval_of(gap("a", AHEAD, 0.5), gap("z", UNCLEAR, 0.5))
        assert both == pytest.approx((low / 2, (high + t(UNCLEAR, 0.975)[1]) / 2))

    def test_equal_gaps_are_not_certain(self) -> None:
        found = hinged_interval(np.zeros(20), NOTHING, (gap("a", [0.0] * 20),), 0.95, 20, t_interval)
        # Gaps lie within ±5: rule of three.
        assert found == pytest.approx((0.0, 5.0 * (1 - 0.05 ** (1 / 20))))

    def test_settled_signs_leave_the_whole_level(self) -> None:
        base = np.array([1.0, 2.0, 4.0, 1.5, 3.0, 2.5])
        gaps = (gap("a", AHEAD, -1.0), gap("b", BEHIND, -1.0))
        found = hinged_interval(base, Range(0.0, 5.0), gaps, 0.95, 6, t_interval)
        assert found == pytest.approx(t(base - np.array(AHEAD), 0.95))

    def test_an_undecided_sign_takes_half_of_it(self) -> None:
        base = np.array([1.0, 2.0, 4.0, 1.5, 3.0, 2.5])
        found = hinged_interval(base, Range(0.0, 5.0), (gap("z", UNCLEAR, -3.0),), 0.9, 6, t_interval)
        low, high = t(base, 0.95)
        assert found == pytest.approx((low - 3.0 * t(UNCLEAR, 1 - 0.1 / 2)[1], high))

    @settings(max_examples=60, derandomize=True, deadline=None)
    @given(
        gaps=st.lists(st.lists(st.floats(-5.0, 5.0), min_size=5, max_size=5), min_size=1, max_size=4),
        weight=st.sampled_from([-2.4, -1.0, 0.5]),
    )
    def test_the_plugged_in_value_lies_in_the_interval(self, gaps: list[list[float]], weight: float) -> None:
        table = tuple(gap(str(i), values, weight) for i, values in enumerate(gaps))
        plug = sum(weight * max(0.0, float(np.mean(values))) for values in gaps)
        low, high = hinged_interval(np.zeros(5), NOTHING, table, 0.95, 5, t_interval)
        assert low - 1e-9 <= plug <= high + 1e-9
        assert table[0].times(2.0).value == pytest.approx(2.0 * table[0].value)
