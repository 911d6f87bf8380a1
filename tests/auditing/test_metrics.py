"""Measures and differences, on constructed numbers."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from equipoise.auditing.metrics import Measure, difference, difference_ends, p_value
from equipoise.auditing.statistics.hinge import Gap
from equipoise.auditing.statistics.intervals import Range
from equipoise.errors import RequestError
from equipoise.types import Kind

WIDE = Range(-1e6, 1e6)
Array = np.ndarray[Any, np.dtype[np.float64]]
finite = st.floats(allow_nan=False, allow_infinity=False)
pairs = st.tuples(finite, finite)


def sampled(values: list[float] | Array, **changes: Any) -> Measure:
    return Measure(np.asarray(values, dtype=float), WIDE, 2 * len(values), **changes)


def gap(values: list[float] | Array, weight: float = 1.0, opponent: str = "o") -> Gap:
    return Gap(opponent, np.asarray(values, dtype=float), Range(-1e6, 1e6), weight)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    values=st.lists(finite, min_size=1, max_size=5),
    within=pairs,
    episodes=st.integers(0, 10**9),
    gaps=st.lists(st.tuples(st.text(), st.lists(finite, max_size=3), finite), max_size=3),
    deals=st.integers(0, 10**9),
)
def test_a_measure_survives_json(
    values: list[float],
    within: tuple[float, float],
    episodes: int,
    gaps: list[tuple[str, list[float], float]],
    deals: int,
) -> None:
    hinges = tuple(Gap(name, np.array(leads), Range(*within), weight) for name, leads, weight in gaps)
    measure = Measure(np.array(values), Range(*within), episodes, hinges, deals)
    again = Measure.from_json(json.loads(json.dumps(measure.to_json())))
    assert isinstance(again.within, Range)
    assert (again.within, again.episodes, again.deals) == (measure.within, episodes, deals)
    assert np.array_equal(again.values, measure.values)
    for one, other in zip(again.gaps, hinges, strict=True):
        assert (one.opponent, one.within, one.weight) == (other.opponent, other.within, other.weight)
        assert np.array_equal(one.values, other.values)


def test_a_measure_of_an_earlier_version_is_refused() -> None:
    with pytest.raises(RequestError, match="earlier version: audit again"):
        Measure.from_json({"values": [0.0], "within": [0, 1], "extra": [0, 0, 0], "episodes": 2})


class TestEstimate:
    def test_exact(self) -> None:
        found = Measure.exact(0.25).estimate(0.95)
        assert (found.kind, found.value, found.low, found.high, found.level) == (
            Kind.EXACT,
            0.25,
            0.25,
            0.25,
            1.0,
        )

    def test_sampled(self) -> None:
        values = [1.0, 2.0, 4.0, 1.5]
        found = sampled(values).estimate(0.9)
        wanted = stats.t.interval(0.9, 3, loc=np.mean(values), scale=stats.sem(values))
        assert (found.low, found.high) == pytest.approx(wanted)
        assert (found.n, found.clusters, found.kind) == (8, 4, Kind.SAMPLE)

    def test_blocks_of_deals_count_as_the_deals_behind_them(self) -> None:
        found = Measure(np.zeros(10), Range(0.0, 1.0), 2000, deals=1000).estimate(0.95)
        assert (found.n, found.clusters) == (2000, 1000)
        # Rule of three of 1000 deals, not of ten blocks.
        assert found.high == pytest.approx(1 - 0.05 ** (1 / 1000))

    def test_a_hinge_is_plugged_in(self) -> None:
        found = sampled([1.0, 2.0], gaps=(gap([0.5, 1.5], -2.0), gap([-3.0, 1.0], 10.0)))
        assert found.value == pytest.approx(1.5 - 2.0 * 1.0)


class TestDifference:
    def test_exact_minus_exact_is_exact(self) -> None:
        found = difference(Measure.exact(0.75), Measure.exact(1.0), 0.95)
        assert (found.kind, found.value, found.low, found.high) == (Kind.EXACT, -0.25, -0.25, -0.25)

    def test_samples_are_paired_by_deal(self) -> None:
        draw = np.random.default_rng(0)
        luck = draw.normal(size=40) * 10.0
        a, b = luck + draw.normal(size=40), luck + 0.5 + draw.normal(size=40)
        found = difference(sampled(a), sampled(b), 0.95)
        # A paired t-test; unpaired, the luck of the deals would drown the difference.
        wanted = stats.ttest_rel(a, b).confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))
        assert found.value == pytest.approx(np.mean(a) - np.mean(b))
        assert (found.n, found.clusters) == (80, 40)
        assert found.high - found.low < 2.0  # type: ignore[operator]

    def test_a_sample_minus_an_exact_value_is_shifted(self) -> None:
        values = [1.0, 2.0, 4.0, 1.5]
        alone = sampled(values).estimate(0.95)
        found = difference(sampled(values), Measure.exact(0.5), 0.95)
        back = difference(Measure.exact(0.5), sampled(values), 0.95)
        assert alone.low is not None
        assert alone.high is not None
        assert (found.value, found.low, found.high) == pytest.approx(
            (alone.value - 0.5, alone.low - 0.5, alone.high - 0.5)
        )
        assert (back.value, back.low, back.high) == pytest.approx(
            (0.5 - alone.value, 0.5 - alone.high, 0.5 - alone.low)
        )
        assert (found.kind, found.n, found.clusters) == (Kind.SAMPLE, 8, 4)

    def test_equal_samples_are_not_proven_equal(self) -> None:
        a = Measure(np.array([0.0, 1.0, 1.0]), Range(0.0, 1.0), episodes=6)
        found = difference(a, a, 0.95)
        unseen = 1 - 0.05 ** (1 / 3)
        assert (found.value, found.low, found.high) == pytest.approx((0.0, -unseen, unseen))

    def test_hinges_of_both_sides_are_settled_together(self) -> None:
        values, ahead, open_ = [1.0, 2.0, 4.0, 1.5], [9.0, 9.5, 9.2, 9.3], [1.0, -1.0, 0.9, -1.1]
        a = sampled(values, gaps=(gap(ahead),))
        b = sampled([0.5, 1.0, 0.5, 1.0], gaps=(gap(open_, opponent="other"),))
        found = difference(a, b, 0.9)
        linear = np.array(values) + np.array(ahead) - np.array([0.5, 1.0, 0.5, 1.0])
        # Half of the 10 % is for two signs, half for the size.
        low, high = stats.t.interval(0.95, 3, loc=linear.mean(), scale=stats.sem(linear))
        top = stats.t.interval(1 - 0.05 / 2, 3, loc=np.mean(open_), scale=stats.sem(open_))[1]
        assert (found.low, found.high) == pytest.approx((low - top, high))

    def test_samples_of_other_deals_get_welchs_interval(self) -> None:
        draw = np.random.default_rng(1)
        a, b = draw.normal(size=30), draw.normal(1.0, 3.0, size=50)
        found = difference(sampled(a), sampled(b), 0.95, paired=False)
        wanted = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))
        assert found.clusters == 30

    def test_samples_of_other_sizes_are_not_paired(self) -> None:
        with pytest.raises(RequestError, match="3 observations cannot be paired with 2"):
            difference(sampled([1.0, 2.0, 3.0]), sampled([1.0, 2.0]), 0.95)

    def test_without_spread_on_one_side_nothing_is_certain_either(self) -> None:
        a = Measure(np.zeros(20), Range(0.0, 1.0), 40)
        b = Measure(np.linspace(0.0, 1.0, 20), Range(0.0, 1.0), 40)
        found = difference(a, b, 0.95, paired=False)
        low, high = stats.t.interval(0.975, 19, loc=0.5, scale=stats.sem(b.values))
        assert (found.low, found.high) == pytest.approx((-high, 1 - 0.025 ** (1 / 20) - low))

    def test_undecided_hinges_of_other_deals_add_up(self) -> None:
        open_ = [1.0, -1.0, 0.9, -1.1]
        a, b = (sampled([1.0, 2.0, 4.0, 1.5], gaps=(gap(open_),)) for _ in range(2))
        plain = difference(sampled(a.values), sampled(b.values), 0.95, paired=False)
        found = difference(a, b, 0.9, paired=False)
        top = stats.t.interval(1 - 0.05 / 2, 3, loc=np.mean(open_), scale=stats.sem(open_))[1]
        assert plain.low is not None
        assert plain.high is not None
        assert (found.low, found.high) == pytest.approx((plain.low - top, plain.high + top))


class TestPValue:
    @settings(max_examples=40, derandomize=True, deadline=None)
    @given(seed=st.integers(0, 10**6), shift=st.floats(-2.0, 2.0))
    def test_it_is_that_of_the_paired_t_test(self, seed: int, shift: float) -> None:
        draw = np.random.default_rng(seed)
        a, b = draw.normal(shift, size=25), draw.normal(size=25)
        found = p_value(difference_ends(sampled(a), sampled(b)))
        assert found == pytest.approx(max(1e-12, stats.ttest_rel(a, b).pvalue), rel=1e-6)

    def test_it_is_that_of_welchs_test(self) -> None:
        draw = np.random.default_rng(3)
        a, b = draw.normal(1.0, size=25), draw.normal(0.0, 2.0, size=60)
        found = p_value(difference_ends(sampled(a), sampled(b), paired=False))
        assert found == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue, rel=1e-6)

    def test_equal_samples_have_1_and_a_huge_difference_the_smallest(self) -> None:
        one = sampled([0.0, 1.0, 0.5])
        assert p_value(difference_ends(one, one)) == 1.0
        far = Measure(np.arange(50) + 1e9, Range(0.0, 2e9), 100)
        assert p_value(difference_ends(far, Measure.exact(0.0))) == pytest.approx(1e-12)

    def test_an_undecided_hinge_costs_power(self) -> None:
        draw = np.random.default_rng(4)
        values = draw.normal(0.8, size=30)
        plain = p_value(difference_ends(sampled(values), Measure.exact(0.0)))
        hinged = sampled(values, gaps=(gap(draw.normal(0.0, 0.01, size=30), -1.0),))
        assert plain < p_value(difference_ends(hinged, Measure.exact(0.0))) < 0.05
