"""How often something is done in each of several situations: a point a policy, on an axis from 0 to 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from equipoise.report.charts.dots import interval_mark
from equipoise.report.charts.scale import Scale, horizontal
from equipoise.report.drawing import SERIES, Drawing, Line, Rect, Text, fitted, width_of
from equipoise.report.numbers import show
from equipoise.types import Estimate

__all__ = ["Situation", "rates"]

WIDTH, LABEL, TOP = 348.0, 128.0, 12.0


@dataclass(frozen=True, slots=True)
class Situation:
    """A row.

    Attributes:
        label: The situation.
        rates: A rate a policy; None where the policy never met it.
        band: Between what the rate should lie, if something says so.
    """

    label: str
    rates: tuple[Estimate | None, ...]
    band: tuple[float, float] | None = None


def rates(
    title: str, names: Mapping[str, int], rows: Sequence[Situation], axis: str, band: str = ""
) -> Drawing:
    """Draw rates; the policies' names stand above in the colours of their points.

    Args:
        title: What is shown.
        names: Names of the policies, with the series that each is.
        rows: The situations.
        axis: What the axis counts.
        band: What a grey band means.
    """
    words = "; ".join(
        f"{row.label}: "
        + ", ".join(f"{name} {show(rate)}" for name, rate in zip(names, row.rates, strict=True))
        for row in rows
    )
    head = _lines_of(names)
    top = TOP + 14.0 * len(head) + (14.0 if band else 0.0)
    lane = 13.0 if len(names) < 4 else 10.5
    tall = max(lane * len(names) + 8.0, 24.0)
    bottom = top + tall * len(rows)
    drawing = Drawing(title, words, WIDTH, bottom + 34.0)
    scale = Scale(0.0, 1.0, LABEL, WIDTH - 12.0)
    _names(drawing, head)
    if band:
        y = TOP + 14.0 * len(head)
        drawing.add(Rect(0, y - 9, 14, 9, "soft", 0.18), Text(20, y - 1, band, "soft", 10.0))
    for row, y in zip(rows, (top + tall * number for number in range(len(rows))), strict=True):
        if row.band is not None:
            left, right = (scale(end) for end in row.band)
            drawing.add(
                Rect(
                    left - 2.5, y + 3, right - left + 5, tall - 6, "soft", 0.18, f"{band}: {_span(row.band)}"
                )
            )
    horizontal(drawing, scale, top, bottom, axis)
    for number, row in enumerate(rows):
        _row(drawing, scale, row, names, top + tall * number, tall, lane)
    return drawing


def _row(
    drawing: Drawing,
    scale: Scale,
    row: Situation,
    names: Mapping[str, int],
    top: float,
    tall: float,
    lane: float,
) -> None:
    drawing.add(Line(0, top, WIDTH - 12, top, "rule"))
    drawing.add(Text(0, top + tall / 2 + 4, fitted(row.label, LABEL - 10), "ink", 11.0, hint=row.label))
    start = top + tall / 2 - lane * (len(names) - 1) / 2
    for number, ((name, series), rate) in enumerate(zip(names.items(), row.rates, strict=True)):
        if rate is not None:
            hint = f"{name}, {row.label}: {show(rate)}; {show(rate).hint}"
            interval_mark(drawing, scale, rate, start + lane * number, SERIES[series % len(SERIES)], hint)


def _lines_of(names: Mapping[str, int]) -> list[list[tuple[float, int, str]]]:
    """Return the names in lines, each with its place and series."""
    lines: list[list[tuple[float, int, str]]] = [[]]
    x = 0.0
    for name, number in names.items():
        shown = fitted(name, WIDTH - 20)
        if x and x + width_of(shown) > WIDTH - 12:
            lines.append([])
            x = 0.0
        lines[-1].append((x, number, shown))
        x += width_of(shown) + 18
    return lines


def _names(drawing: Drawing, lines: Sequence[Sequence[tuple[float, int, str]]]) -> None:
    for number, line in enumerate(lines):
        for x, series, name in line:
            drawing.add(Text(x, TOP + 14.0 * number, name, SERIES[series % len(SERIES)], 11.0, bold=True))


def _span(band: tuple[float, float]) -> str:
    low, high = band
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
