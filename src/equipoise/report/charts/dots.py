"""Dot plots: one number a row with its interval, all on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.report.charts.scale import Scale, ends, horizontal, limits
from equipoise.report.drawing import SERIES, Disc, Drawing, Line, Rect, Text, fitted, width_of
from equipoise.report.numbers import show
from equipoise.types import Estimate, Kind

__all__ = ["Dot", "Reference", "dots", "interval_mark"]

WIDTH, ROW, LEFT, TOP = 348.0, 40.0, 6.0, 10.0


@dataclass(frozen=True, slots=True)
class Dot:
    """A row: its label, its number, and which series it belongs to."""

    label: str
    estimate: Estimate | None
    series: int = 0


@dataclass(frozen=True, slots=True)
class Reference:
    """A number that all rows are held against, e.g. the optimum; a bound if it is not exact."""

    label: str
    value: float


def dots(title: str, rows: Sequence[Dot], axis: str, reference: Reference | None = None) -> Drawing:
    """Draw numbers below each other: the words of a row above its interval, over the whole width."""
    known = [row.estimate for row in rows if row.estimate is not None]
    values = [end for estimate in known for end in ends(estimate)]
    if reference is not None:
        values.append(reference.value)
    head = 18.0 if reference is not None else 0.0
    top, bottom = TOP + head, TOP + head + ROW * len(rows)
    drawing = Drawing(title, _described(rows), WIDTH, bottom + 34.0)
    scale = Scale(*limits(values), LEFT, WIDTH - LEFT)
    horizontal(drawing, scale, top, bottom, axis)
    if reference is not None:
        _refer(drawing, scale, reference, top, bottom)
    for number, row in enumerate(rows):
        _row(drawing, scale, row, top + ROW * number)
    return drawing


def interval_mark(drawing: Drawing, scale: Scale, estimate: Estimate, y: float, role: str, hint: str) -> None:
    """Draw a number and its interval on a horizontal axis; an open end has an arrow's head."""
    low, high = ends(estimate)
    if estimate.kind is Kind.INTERVAL:
        drawing.add(Rect(scale(low), y - 3, max(scale(high) - scale(low), 2.0), 6, role, 0.35, hint))
        return
    x = scale(estimate.value)
    if estimate.low is None or estimate.high is None:
        side = 1.0 if estimate.high is None else -1.0
        start = scale(high if estimate.low is None else low)
        tip = start + 22 * side
        drawing.add(Line(start, y, tip, y, role, 1.6))
        drawing.add(
            Line(tip, y, tip - 5 * side, y - 3.5, role, 1.6), Line(tip, y, tip - 5 * side, y + 3.5, role, 1.6)
        )
        drawing.add(Line(start, y - 4, start, y + 4, role, 1.6))
        return
    if scale(high) - scale(low) > 1.0:
        drawing.add(Line(scale(low), y, scale(high), y, role, 2.0))
        # Ends that would touch the point say nothing.
        for end in (end for end in (low, high) if abs(scale(end) - x) > 7.0):
            drawing.add(Line(scale(end), y - 4, scale(end), y + 4, role, 1.6))
    drawing.add(Disc(x, y, 4.2, role, hint=hint))


def _row(drawing: Drawing, scale: Scale, row: Dot, top: float) -> None:
    role = SERIES[row.series % len(SERIES)]
    shown = show(row.estimate)
    words = top + 15
    taken = width_of(shown.interval) + width_of(shown.value, 12.5) + 22
    # A strip of paper keeps the grid out of the words.
    drawing.add(Rect(LEFT, top + 3, WIDTH - 2 * LEFT, 17, "paper"))
    name = fitted(row.label, WIDTH - 2 * LEFT - taken)
    drawing.add(Text(LEFT, words, name, role, 11.5, bold=True, hint=row.label))
    right = WIDTH - LEFT
    if shown.interval:
        drawing.add(Text(right, words, shown.interval, "soft", 11.0, "end", hint=shown.hint))
        drawing.add(Text(right - width_of(shown.interval) - 6, words, shown.value, "ink", 11.5, "end", True))
    else:
        drawing.add(Text(right, words, shown.value, "ink", 11.5, "end", True, shown.hint))
    if row.estimate is not None:
        interval_mark(drawing, scale, row.estimate, top + 29, role, f"{row.label}: {shown}; {shown.hint}")


def _refer(drawing: Drawing, scale: Scale, reference: Reference, top: float, bottom: float) -> None:
    x = scale(reference.value)
    anchor = "end" if x > WIDTH / 2 else "start"
    drawing.add(Line(x, top - 4, x, bottom, "soft", 1.2, dash=True))
    drawing.add(Text(x + (4 if anchor == "end" else -4), top - 9, reference.label, "soft", 10.5, anchor))  # type: ignore[arg-type]


def _described(rows: Sequence[Dot]) -> str:
    return "; ".join(f"{row.label}: {show(row.estimate)}" for row in rows)
