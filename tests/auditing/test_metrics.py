"""Measures, differences and the hinge, on constructed numbers."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from equipoise.auditing.metrics import Measure, difference, hinge
from equipoise.auditing.stats import Range
from equipoise.objective.features import OPPONENT, OWN
from equipoise.types import Kind

WIDE = Range(-1e6, 1e6)
Array = np.ndarray[Any, np.dtype[np.float64]]
finite = st.floats(allow_nan=False, allow_infinity=False)
pairs = st.tuples(finite, finite)


def sampled(values: list[float] | Array, **changes: Any) -> Measure:
    return Measure(np.asarray(values, dtype=float), WIDE, episodes=2 * len(values), **changes)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    values=st.lists(finite, min_size=1, max_size=5),
    within=pairs,
    extra=st.tuples(finite, finite, finite),
    episodes=st.integers(0, 10**9),
    doubt=st.floats(0.0, 1.0),
    interval=pairs | st.none(),
)
def test_a_measure_survives_json(
    values: list[float],
    within: tuple[float, float],
    extra: tuple[float, float, float],
    episodes: int,
    doubt: float,
    interval: tuple[float, float] | None,
) -> None:
    measure = Measure(np.array(values), Range(*within), extra, episodes, doubt, interval)
    again = Measure.from_json(json.loads(json.dumps(measure.to_json())))
    assert np.array_equal(again.values, measure.values)
    assert isinstance(again.within, Range)
    for name in ("within", "extra", "episodes", "doubt", "interval"):
        assert getattr(again, name) == getattr(measure, name)


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

    def test_extra_bounds_widen_and_doubt_raises_the_level_of_the_rest(self) -> None:
        values = [1.0, 2.0, 4.0, 1.5]
        found = sampled(values, extra=(-0.5, 0.25, 2.0), doubt=0.5).estimate(0.9)
        # Half of the 10 % is spent: the rest is a 95 % interval.
        low, high = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
        assert found.value == pytest.approx(np.mean(values) + 0.25)
        assert (found.low, found.high) == pytest.approx((low - 0.5, high + 2.0))

    def test_its_own_interval_comes_first(self) -> None:
        found = sampled([0.0, 1.0], interval=(0.125, 0.875)).estimate(0.95)
        assert (found.low, found.high) == (0.125, 0.875)


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

    def test_undecided_hinges_of_both_sides_add_up(self) -> None:
        values = [1.0, 2.0, 4.0, 1.5]
        a = sampled(values, extra=(0.0, 0.1, 0.3), doubt=0.5)
        b = sampled(values, extra=(-0.2, 0.0, 0.4))
        found = difference(a, b, 0.9)
        plain = difference(sampled(values), sampled(values), 1 - 0.1 * 0.5)
        assert found.value == pytest.approx(0.1)
        assert plain.low is not None
        assert plain.high is not None
        assert (found.low, found.high) == pytest.approx((plain.low - 0.4, plain.high + 0.3 + 0.2))


def rows(gaps: dict[str, list[float]]) -> dict[str, Array]:
    """Return features with given gaps, opponent minus own, one a deal."""
    found = {}
    for name, values in gaps.items():
        array = np.zeros((len(values), 6))
        array[:, OWN] = 1.0
        array[:, OPPONENT] = 1.0 + np.array(values)
        found[name] = array
    return found


PAY = Range(0.0, 5.0)
AHEAD = [1.0, 1.5, 1.2, 1.3, 0.9, 1.1]
BEHIND = [-1.0, -1.5, -1.2, -1.3, -0.9, -1.1]
UNCLEAR = [1.0, -1.0, 0.9, -1.1, 1.3, -0.8]


def t(values: list[float], level: float) -> tuple[float, float]:
    low, high = stats.t.interval(level, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    return float(low), float(high)


class TestHinge:
    def test_decided_signs_leave_one_linear_observation_a_deal(self) -> None:
        found = hinge(rows({"a": AHEAD, "b": BEHIND}), ("a", "b"), PAY, 0.95)
        assert found.values == pytest.approx(np.array(AHEAD) / 2)
        assert found.extra == (0.0, 0.0, 0.0)
        assert found.doubt == 0.0
        assert found.value == pytest.approx(np.mean(AHEAD) / 2)
        # Simultaneous over two opponents; the one behind adds max(0, its upper end).
        low, high = t(AHEAD, 0.975)
        other = t(BEHIND, 0.975)[1]
        assert other < 0.0
        assert found.interval == pytest.approx((low / 2, high / 2))

    def test_an_undecided_gap_adds_what_it_might(self) -> None:
        found = hinge(rows({"a": AHEAD, "z": UNCLEAR}), ("a", "z"), PAY, 0.95)
        assert found.values == pytest.approx(np.array(AHEAD) / 2)
        plug = max(0.0, float(np.mean(UNCLEAR)))
        # Signs are settled at half of each opponent's share of the 5 %.
        top = t(UNCLEAR, 1 - 0.025 / 2)[1]
        assert found.extra == pytest.approx((0.0, plug / 2, top / 2))
        assert found.doubt == 0.5
        assert found.value == pytest.approx((np.mean(AHEAD) + plug) / 2)
        low, high = t(AHEAD, 0.975)
        assert found.interval == pytest.approx((low / 2, (high + t(UNCLEAR, 0.975)[1]) / 2))

    def test_pools_are_multisets(self) -> None:
        found = hinge(rows({"a": AHEAD, "b": BEHIND}), ("a", "b", "a", "a"), PAY, 0.95)
        assert found.value == pytest.approx(3 * np.mean(AHEAD) / 4)
        assert found.values == pytest.approx(3 * np.array(AHEAD) / 4)

    def test_equal_gaps_are_not_certain(self) -> None:
        found = hinge(rows({"a": [0.0] * 20}), ("a",), PAY, 0.95)
        # Gaps lie within ±5: rule of three.
        assert found.interval == pytest.approx((0.0, 5.0 * (1 - 0.05 ** (1 / 20))))
        assert found.value == 0.0

    @settings(max_examples=50, derandomize=True, deadline=None)
    @given(gaps=st.lists(st.lists(st.floats(-5.0, 5.0), min_size=5, max_size=5), min_size=1, max_size=4))
    def test_the_value_lies_in_the_interval_and_the_parts_add_up(self, gaps: list[list[float]]) -> None:
        table = {str(i): values for i, values in enumerate(gaps)}
        found = hinge(rows(table), tuple(table), PAY, 0.95)
        plug = np.mean([max(0.0, float(np.mean(values))) for values in gaps])
        assert found.value == pytest.approx(plug, abs=1e-9)
        assert found.interval[0] - 1e-9 <= found.value <= found.interval[1] + 1e-9
        # What is left out is surely behind, up to the level of the sign tests.
        assert np.mean(found.values) + found.extra[1] == pytest.approx(found.value, abs=1e-9)
