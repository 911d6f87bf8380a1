"""Intervals: Student's against SciPy, the rule of three, Bonferroni."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from equipoise.auditing.statistics.intervals import Range, mean_estimate, simultaneous, t_interval
from equipoise.types import Kind

WIDE = Range(-1e9, 1e9)
levels = st.sampled_from([0.5, 0.8, 0.95, 0.999])
samples = st.lists(st.floats(-100.0, 100.0), min_size=2, max_size=30).map(np.array)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(values=samples, level=levels)
def test_the_interval_is_students(values: np.ndarray[tuple[int], np.dtype[np.float64]], level: float) -> None:
    spread = stats.sem(values)
    if spread * len(values) ** 0.5 <= 1e-9:
        return
    low, high = stats.t.interval(level, len(values) - 1, loc=values.mean(), scale=spread)
    found = t_interval(values, WIDE, level)
    skewness = np.mean((values - values.mean()) ** 3) / values.std(ddof=1) ** 3
    if abs(skewness) < 0.25 * len(values) ** 0.5:
        assert found == pytest.approx((low, high), rel=1e-9, abs=1e-9)
    # Few deals that stand out stretch the side they lie on, and only that.
    slack = 1e-9 * max(1.0, abs(low), abs(high))
    assert found[0] <= low + slack
    assert found[1] >= high - slack
    assert min(abs(found[0] - low), abs(found[1] - high)) <= slack


def test_it_is_clipped_to_what_is_possible() -> None:
    low, high = t_interval(np.array([0.0, 1.0, 1.0]), Range(0.0, 1.0), 0.95)
    assert (low, high) == (0.0, 1.0)


@pytest.mark.parametrize("count", [1, 2, 30, 100, 1000])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_equal_samples_get_the_exact_binomial_bound(count: int, level: float) -> None:
    low, high = t_interval(np.zeros(count), Range(0.0, 1.0), level)
    assert low == 0.0
    # The largest p for which count failures in a row have probability 1 - level: Clopper and Pearson 1934.
    wanted = stats.binomtest(0, count).proportion_ci(2 * level - 1, "exact").high
    assert high == pytest.approx(wanted, rel=1e-9)
    if level == 0.95 and count >= 100:
        # Hanley and Lippman-Hand, JAMA 249 (1983): 3 / n.
        assert high == pytest.approx(3 / count, rel=0.02)


def test_equal_samples_inside_the_range_may_miss_either_way() -> None:
    low, high = t_interval(np.full(100, 0.25), Range(-1.0, 1.0), 0.95)
    unseen = 1 - 0.05 ** (1 / 100)
    assert low == pytest.approx(0.25 - unseen * 1.25)
    assert high == pytest.approx(0.25 + unseen * 0.75)


def test_a_spread_of_rounding_is_none() -> None:
    values = np.full(50, 0.1 + 0.2)
    values[::2] = 0.3  # differs in the last bit
    low, high = t_interval(values, Range(0.0, 1.0), 0.95)
    assert low < 0.29 < 0.31 < high


def test_a_sparse_sample_is_stretched_like_a_score_interval() -> None:
    # Two of forty deals stand out. The bound solves (mean - m)^2 = q^2 / n (s^2 + (m - mean) k3 / s^2),
    # with k3 the third central moment; for proportions that is nearly Wilson's interval (1927).
    values = np.zeros(40)
    values[:2] = 1.0
    low, high = t_interval(values, Range(0.0, 1.0), 0.95)
    variance, third, q = values.var(ddof=1), np.mean((values - 0.05) ** 3), stats.t.ppf(0.975, 39)
    assert (high - 0.05) ** 2 == pytest.approx(q**2 / 40 * (variance + (high - 0.05) * third / variance))
    assert high == pytest.approx(stats.binomtest(2, 40).proportion_ci(0.95, "wilson").high, abs=0.02)
    scale = stats.sem(values)
    assert low == 0.0
    mirrored = t_interval(1.0 - values, Range(0.0, 1.0), 0.95)
    assert mirrored == pytest.approx((1.0 - high, 1.0 - low))
    assert high > 0.05 + 1.2 * stats.t.ppf(0.975, 39) * scale


@settings(max_examples=50, derandomize=True, deadline=None)
@given(values=samples)
def test_a_higher_level_is_wider_and_holds_the_mean(
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> None:
    within = Range(-100.0, 100.0)
    inner, outer = (t_interval(values, within, level) for level in (0.8, 0.99))
    assert outer[0] <= inner[0] <= values.mean() + 1e-9
    assert values.mean() - 1e-9 <= inner[1] <= outer[1]


@pytest.mark.parametrize(("count", "each"), [(0, 0.95), (1, 0.95), (2, 0.975), (10, 0.995)])
def test_simultaneous_levels_are_bonferronis(count: int, each: float) -> None:
    assert simultaneous(0.95, count) == pytest.approx(each)


def test_a_mean_as_an_estimate() -> None:
    values = np.array([0.0, 1.0, 2.0, 5.0])
    found = mean_estimate(values, WIDE, 0.9, episodes=8)
    assert (found.value, found.n, found.clusters, found.level, found.kind) == (2.0, 8, 4, 0.9, Kind.SAMPLE)
    wanted = stats.t.interval(0.9, 3, loc=2.0, scale=stats.sem(values))
    assert (found.low, found.high) == pytest.approx(wanted)
