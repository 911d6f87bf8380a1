"""Bootstrap-t intervals: deterministic, bounded, and right where observations are skewed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.statistics.bootstrap import RESAMPLES, bootstrap_interval
from equipoise.auditing.statistics.intervals import Range, interval_named, t_interval
from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.policies.registry import load_policy
from tests.auditing.populations import draws, rare, synthetic

WIDE = Range(-1e9, 1e9)
Array = np.ndarray[Any, np.dtype[np.float64]]


def test_it_is_repeatable() -> None:
    values = np.random.default_rng(0).exponential(size=50)
    assert bootstrap_interval(values, WIDE, 0.95) == bootstrap_interval(values.copy(), WIDE, 0.95)


@pytest.mark.no_cover
def test_it_is_that_of_a_plain_loop() -> None:
    values = np.random.default_rng(1).exponential(size=30)
    draw = np.random.default_rng(2)
    studentised = []
    for _ in range(20_000):
        again = values[draw.integers(30, size=30)]
        studentised.append((again.mean() - values.mean()) / (again.std(ddof=1) / 30**0.5))
    low, high = np.quantile(studentised, [0.025, 0.975])
    scale = stats.sem(values)
    wanted = (values.mean() - high * scale, values.mean() - low * scale)
    # Two sets of resamples: quantiles of 1999 differ from those of 20,000 by some per cent of the width.
    width = wanted[1] - wanted[0]
    assert bootstrap_interval(values, WIDE, 0.95) == pytest.approx(wanted, abs=0.06 * width)


def test_symmetric_samples_get_about_students() -> None:
    values = np.random.default_rng(3).normal(size=400)
    low, high = t_interval(values, WIDE, 0.95)
    assert bootstrap_interval(values, WIDE, 0.95) == pytest.approx((low, high), abs=0.06 * (high - low))


def test_a_long_tail_stretches_its_side() -> None:
    values = np.random.default_rng(4).exponential(size=40)
    low, high = bootstrap_interval(values, WIDE, 0.95)
    assert high - values.mean() > 1.2 * (values.mean() - low)


def test_equal_samples_and_levels_beyond_the_resamples_get_students() -> None:
    flat = np.full(20, 0.5)
    assert bootstrap_interval(flat, Range(0, 1), 0.95, 200) == t_interval(flat, Range(0, 1), 0.95, 200)
    values, fine = np.random.default_rng(5).normal(size=20), 1.0 - 1.0 / RESAMPLES
    assert bootstrap_interval(values, WIDE, fine) == t_interval(values, WIDE, fine)


@settings(max_examples=30, derandomize=True, deadline=None)
@given(values=st.lists(st.floats(0.0, 1.0), min_size=2, max_size=12).map(np.array))
def test_it_is_finite_ordered_and_within_bounds(values: Array) -> None:
    low, high = bootstrap_interval(values, Range(0.0, 1.0), 0.9)
    assert 0.0 <= low <= high <= 1.0


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("case", "metric"), [("sparse", "collusion"), ("regular", "utility"), ("kink", "exploitability")]
)
def test_it_holds_the_truth_often_enough(case: str, metric: str) -> None:
    population = {"sparse": rare(0.1), "regular": synthetic((1.0,)), "kink": synthetic((0.0, 0.0))}[case]
    truth, hits = population.truth()[metric], 0
    for chosen in draws(1, 600, 40, 4000):
        found = population.audit(chosen)[metric]
        assert found is not None
        low, high = found.ends(0.95, bootstrap_interval)
        hits += low - 1e-12 <= truth <= high + 1e-12
    assert hits / 600 >= 0.93


def test_an_audit_may_ask_for_it() -> None:
    game = make_game("kuhn", rounds=2)

    def audit(interval: str) -> Any:
        return audit_game(
            game, load_policy("scripted:random", game), AuditConfig(20, exact=False, interval=interval)
        )

    found, plain = audit("bootstrap"), audit("t")
    assert (found.settings["interval"], plain.settings["interval"]) == ("bootstrap", "t")
    utility, other = found.metrics["utility"], plain.metrics["utility"]
    assert utility.value == other.value
    assert (utility.low, utility.high) != (other.low, other.high)
    assert (utility.low, utility.high) == found.measures["utility"].ends(0.95, bootstrap_interval)
    assert found.settings["panel"] == plain.settings["panel"]


def test_other_kinds_are_refused() -> None:
    with pytest.raises(RequestError, match=r"unknown interval 'bootstap': did you mean 'bootstrap'\?"):
        AuditConfig(interval="bootstap")
    assert interval_named("t") is t_interval
