"""Charts put numbers where their axes say, and intervals around them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.report.charts.curves import Curve, curves
from equipoise.report.charts.dots import Dot, Reference, dots
from equipoise.report.charts.grid import Column, Row, grid
from equipoise.report.charts.rates import Situation, rates
from equipoise.report.charts.scale import Scale, limits
from equipoise.report.charts.scatter import Point, scatter
from equipoise.report.drawing import Disc, Drawing, Line, Path, Rect, Text
from equipoise.types import Estimate, Kind

ESTIMATE = Estimate(1.0, 0.5, 1.75, 0.95, 10, 5, Kind.SAMPLE)
BOUND = Estimate(1.5, 1.4, None, 0.95, 10, 5, Kind.LOWER_BOUND)


def of(kind: type, drawing: Drawing, role: str | None = None) -> list:
    return [mark for mark in drawing.marks if isinstance(mark, kind) and role in (None, mark.role)]


def words(drawing: Drawing) -> list[str]:
    return [mark.text for mark in of(Text, drawing)]


def place(drawing: Drawing, value: float, low: float, high: float, left: str, right: str) -> float:
    """Return where a value belongs, from the labels of two ticks' grid lines."""
    lines = sorted({mark.x1 for mark in of(Line, drawing, "rule") if mark.x1 == mark.x2})
    assert left in words(drawing)
    assert right in words(drawing)
    return lines[0] + (value - low) / (high - low) * (lines[-1] - lines[0])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9), st.booleans())
def test_axes_hold_all_values_between_round_ends(values: list[float], zero: bool) -> None:
    low, high = limits(values, zero)
    slack = 1e-6 * max(1.0, abs(low), abs(high))
    assert low - slack <= min(values)
    assert max(values) <= high + slack
    assert not zero or low <= 0.0 <= high
    ticks = Scale(low, high, 0.0, 100.0).ticks()
    assert 2 <= len(ticks) <= 9
    assert all(low - slack <= tick <= high + slack for tick in ticks)


def test_axes_leave_out_what_is_no_number() -> None:
    assert limits([math.nan, 1.0, 2.0, math.inf]) == (1.0, 2.0)
    assert limits([0.0, 0.0]) == (0.0, 1.0)


def test_steps_are_whole() -> None:
    assert Scale(1.0, 10.0, 0.0, 1.0).ticks(whole=True) == [3.0, 6.0, 9.0]


def test_a_dot_stands_at_its_value_with_its_interval() -> None:
    drawing = dots("t", [Dot("one", ESTIMATE)], "J", Reference("J* = 2", 2.0))
    disc = of(Disc, drawing)[0]
    assert disc.x == pytest.approx(place(drawing, 1.0, 0.5, 2.0, "0.5", "2"))
    (bar,) = [mark for mark in of(Line, drawing, "s0") if mark.y1 == mark.y2]
    assert bar.x1 == pytest.approx(place(drawing, 0.5, 0.5, 2.0, "0.5", "2"))
    assert bar.x2 == pytest.approx(place(drawing, 1.75, 0.5, 2.0, "0.5", "2"))
    (reference,) = [mark for mark in of(Line, drawing) if mark.dash]
    assert reference.x1 == pytest.approx(place(drawing, 2.0, 0.5, 2.0, "0.5", "2"))
    assert {"one", "1.00", "[0.50, 1.75]", "J* = 2"} <= set(words(drawing))


def test_a_bound_has_an_open_end_and_no_point() -> None:
    drawing = dots("t", [Dot("one", BOUND), Dot("none", None)], "J")
    assert of(Disc, drawing) == []
    assert {"≥ 1.40", "n/a"} <= set(words(drawing))


def test_better_is_up_and_left_in_a_scatter() -> None:
    better = Point("better", Estimate.exact(0.1), Estimate.exact(3.0), 0)
    worse = Point("worse", Estimate.exact(0.9), Estimate.exact(1.0), 1)
    drawing = scatter("t", [better, worse], "harm", "payoff")
    first, second = of(Disc, drawing)
    assert first.x < second.x
    assert first.y < second.y
    assert {"better", "worse", "harm", "payoff"} <= set(words(drawing))


def test_darker_is_more_in_a_grid_and_every_cell_has_its_number() -> None:
    rows = [Row("a", (Estimate.exact(0.0), Estimate.exact(1.0)), "group"), Row("b", (None, ESTIMATE))]
    drawing = grid("t", [Column("own", "p"), Column("other’s", "p")], rows, 0.0, 1.0)
    low, high, last = (mark.opacity for mark in of(Rect, drawing))
    assert low < high == last <= 0.5
    assert [word for word in words(drawing) if word in ("0.00", "1.00", "n/a")] == [
        "0.00",
        "1.00",
        "n/a",
        "1.00",
    ]
    assert "group" in words(drawing)
    assert of(Rect, drawing)[2].hint.startswith("b p other’s: 1.00 [0.50, 1.75]; sampled")


def test_curves_go_through_their_points_and_are_named_at_the_end() -> None:
    lines = [Curve("one", ((1.0, 0.0), (2.0, 1.0), (3.0, 0.5)), 0), Curve("two", ((1.0, 1.0), (3.0, 0.0)), 1)]
    drawing = curves("t", lines, "kl")
    first, second = of(Path, drawing)
    assert [x for x, _ in first.points] == sorted(x for x, _ in first.points)
    assert min(range(3), key=lambda n: first.points[n][1]) == 1
    assert second.points[0][1] < second.points[1][1]
    assert {"one", "two", "kl"} <= set(words(drawing))


def test_rates_show_every_policy_and_the_band_of_theory() -> None:
    rows = [Situation("J opens", (Estimate.exact(0.5), None), (0.0, 1 / 3))]
    drawing = rates("t", {"one": 0, "two": 3}, rows, "rate", "equilibrium")
    (disc,) = of(Disc, drawing)
    assert disc.role == "s0"
    assert [mark.role for mark in of(Text, drawing) if mark.text in ("one", "two")] == ["s0", "s3"]
    assert of(Rect, drawing, "soft")[-1].hint == "equilibrium: 0 to 0.333"
