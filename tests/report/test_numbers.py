"""Numbers say what kind they are."""

from __future__ import annotations

from equipoise.report.numbers import plain, show, tick
from equipoise.types import Estimate, Kind


def estimate(
    value: float, low: float | None, high: float | None, kind: Kind, level: float = 0.95
) -> Estimate:
    return Estimate(value, low, high, level, 10, 5, kind)


def test_a_sample_has_its_interval_with_a_real_minus() -> None:
    shown = show(estimate(-0.3123, -0.36, -0.28, Kind.SAMPLE))
    assert (shown.value, shown.interval) == ("−0.312", "[−0.360, −0.280]")
    assert "10 episodes on 5 deals" in shown.hint


def test_wide_intervals_get_fewer_digits() -> None:
    assert str(show(estimate(1.2345, 0.9, 1.6, Kind.SAMPLE))) == "1.23 [0.90, 1.60]"


def test_another_level_stands_beside_the_interval() -> None:
    assert show(estimate(1.0, 0.9, 1.1, Kind.SAMPLE, 0.9)).interval.endswith("(0.9)")


def test_shares_are_shown_in_percent() -> None:
    assert str(show(estimate(0.5, 0.4, 0.6, Kind.SAMPLE), percent=True)) == "50.0 % [40.0, 60.0]"


def test_exact_numbers_and_bounds_have_no_interval() -> None:
    assert str(show(Estimate.exact(1.7390625))) == "1.739"
    assert str(show(estimate(3.0, 2.9, None, Kind.LOWER_BOUND))) == "≥ 2.90"
    assert str(show(estimate(0.1, None, 0.2, Kind.UPPER_BOUND))) == "≤ 0.20"


def test_what_was_not_measured_says_so() -> None:
    assert str(show(None)) == "n/a"


def test_rounding_leaves_no_negative_zero() -> None:
    assert plain(-0.0001) == "0.000"
    assert tick(-2.0) == "−2"
