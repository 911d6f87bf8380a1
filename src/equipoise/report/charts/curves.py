"""Learning curves: one measure over steps, a line a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.report.charts.scale import Scale, horizontal, limits, vertical
from equipoise.report.drawing import SERIES, Disc, Drawing, Path, Text, fitted, spread_labels

__all__ = ["Curve", "curves"]

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 348.0, 150.0, 46.0, 24.0, 24.0
NAMES, TICKS = 84.0, 3


@dataclass(frozen=True, slots=True)
class Curve:
    """A run: its name, its (step, number) pairs, and which series it belongs to."""

    label: str
    points: tuple[tuple[float, float], ...]
    series: int = 0


def curves(title: str, lines: Sequence[Curve], measure: str) -> Drawing:
    """Draw one measure; every line is named at its end where there are several."""
    several = len(lines) > 1
    right = WIDTH - (NAMES if several else 12.0)
    words = "; ".join(
        f"{line.label}: from {line.points[0][1]:.4g} at step {line.points[0][0]:g} "
        f"to {line.points[-1][1]:.4g} at step {line.points[-1][0]:g}"
        for line in lines
    )
    drawing = Drawing(title, words, WIDTH, HEIGHT)
    steps = [x for line in lines for x, _ in line.points]
    across = Scale(min(steps), max(max(steps), min(steps) + 1.0), LEFT, right)
    up = Scale(*limits((y for line in lines for _, y in line.points), count=TICKS), HEIGHT - BOTTOM, TOP)
    vertical(drawing, up, LEFT, right, TICKS)
    horizontal(drawing, across, HEIGHT - BOTTOM, HEIGHT - BOTTOM, whole=True)
    drawing.add(Text(2, 13, measure, "ink", 11.0, bold=True))
    for line in lines:
        role = SERIES[line.series % len(SERIES)]
        places = tuple((across(x), up(y)) for x, y in line.points)
        hint = f"{line.label}: {line.points[-1][1]:.4g} at step {line.points[-1][0]:g}"
        if len(places) > 1:
            drawing.add(Path(places, role, hint=hint))
        drawing.add(Disc(*places[-1], 2.8, role, hint=hint))
    if several:
        heights = spread_labels([up(line.points[-1][1]) + 3.5 for line in lines], 12.0)
        for line, height in zip(lines, heights, strict=True):
            role = SERIES[line.series % len(SERIES)]
            drawing.add(Text(right + 8, height, fitted(line.label, NAMES - 10), role, 10.5, hint=line.label))
    return drawing
