"""Scatter plots: payoff against harm, with the interval of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.report.charts.scale import Scale, ends, horizontal, limits, vertical
from equipoise.report.drawing import SERIES, Disc, Drawing, Line, Text, fitted, spread_labels, width_of
from equipoise.report.numbers import show
from equipoise.types import Estimate

__all__ = ["Point", "scatter"]

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 348.0, 250.0, 40.0, 14.0, 24.0, 40.0


@dataclass(frozen=True, slots=True)
class Point:
    """A policy: its harm, its payoff, and which series it belongs to."""

    label: str
    x: Estimate
    y: Estimate
    series: int = 0


def scatter(title: str, points: Sequence[Point], x: str, y: str) -> Drawing:
    """Draw payoffs upwards over harm to the right; each point is labelled where it stands."""
    words = "; ".join(f"{point.label}: {x} {show(point.x)}, {y} {show(point.y)}" for point in points)
    drawing = Drawing(title, words, WIDTH, HEIGHT)
    across = Scale(*limits((e for p in points for e in ends(p.x)), zero=True), LEFT, WIDTH - RIGHT)
    up = Scale(*limits(e for p in points for e in ends(p.y)), HEIGHT - BOTTOM, TOP)
    horizontal(drawing, across, TOP, HEIGHT - BOTTOM, x)
    vertical(drawing, up, LEFT, WIDTH - RIGHT)
    drawing.add(Text(2, 12, y, "soft", 10.0))
    for point in points:
        _bars(drawing, across, up, point)
    heights = spread_labels([up(point.y.value) - 7 for point in points], 13.0)
    for point, height in zip(points, heights, strict=True):
        _label(drawing, across(point.x.value), height, point)
    for point in points:
        hint = f"{point.label}: {x} {show(point.x)}, {y} {show(point.y)}"
        role = SERIES[point.series % len(SERIES)]
        drawing.add(Disc(across(point.x.value), up(point.y.value), 4.5, role, hint=hint))
    return drawing


def _bars(drawing: Drawing, across: Scale, up: Scale, point: Point) -> None:
    role = SERIES[point.series % len(SERIES)]
    x, y = across(point.x.value), up(point.y.value)
    (left, right), (low, high) = ends(point.x), ends(point.y)
    drawing.add(Line(across(left), y, across(right), y, role, 1.4), Line(x, up(low), x, up(high), role, 1.4))


def _label(drawing: Drawing, x: float, y: float, point: Point) -> None:
    role = SERIES[point.series % len(SERIES)]
    name = fitted(point.label, 150.0)
    left = x + 8 + width_of(name) > WIDTH - 4
    drawing.add(
        Text(
            x - 8 if left else x + 8, y, name, role, 11.0, "end" if left else "start", True, point.label, True
        )
    )
