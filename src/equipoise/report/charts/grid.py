"""Heat maps: a table of numbers, each on a ground as strong as the number is large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.report.drawing import Drawing, Line, Rect, Text, fitted
from equipoise.report.numbers import plain, show
from equipoise.types import Estimate

__all__ = ["Column", "Row", "grid"]

CELL, HIGH, LABEL, HEAD = 55.0, 26.0, 128.0, 40.0
GROUP = 24.0


@dataclass(frozen=True, slots=True)
class Column:
    """A column: the words over it, and the group that it belongs to."""

    label: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of numbers; ``heading`` opens a group of rows above it."""

    label: str
    cells: tuple[Estimate | None, ...]
    heading: str = ""


def grid(
    title: str, columns: Sequence[Column], rows: Sequence[Row], low: float, high: float, corner: str = ""
) -> Drawing:
    """Draw a table of numbers.

    Args:
        title: What is shown.
        columns: The columns.
        rows: The rows, each with a cell a column.
        low: The number on white ground.
        high: The number on the strongest ground.
        corner: Words for what rows and columns are.
    """
    tall = sum(HIGH + (GROUP if row.heading else 0.0) for row in rows)
    drawing = Drawing(
        title, "The same numbers stand in the table below.", LABEL + CELL * len(columns) + 2, HEAD + tall + 4
    )
    _heads(drawing, columns, corner)
    y = HEAD
    for row in rows:
        if row.heading:
            y += GROUP
            drawing.add(
                Text(0, y - 8, row.heading, "soft", 10.0, bold=True),
                Line(0, y - 2, drawing.width, y - 2, "rule"),
            )
        drawing.add(Text(0, y + 17, fitted(row.label, LABEL - 8), "ink", 11.0, hint=row.label))
        for number, (column, value) in enumerate(zip(columns, row.cells, strict=True)):
            what = " ".join(word for word in (row.label, column.group, column.label) if word)
            _cell(drawing, LABEL + CELL * number, y, value, (low, high), what)
        y += HIGH
    return drawing


def _heads(drawing: Drawing, columns: Sequence[Column], corner: str) -> None:
    drawing.add(Text(0, HEAD - 8, corner, "soft", 10.0))
    number = 0
    while number < len(columns):
        group = columns[number].group
        count = 1
        while group and number + count < len(columns) and columns[number + count].group == group:
            count += 1
        x = LABEL + CELL * number
        if group:
            middle = x + CELL * count / 2
            drawing.add(Text(middle, 14, fitted(group, CELL * count - 8), "ink", 11.0, "middle", True, group))
            drawing.add(Line(x + 4, 20, x + CELL * count - 4, 20, "rule"))
        for place in range(number, number + count):
            label = columns[place].label
            drawing.add(
                Text(
                    LABEL + CELL * (place + 0.5),
                    HEAD - 8,
                    fitted(label, CELL - 6, 10.0),
                    "soft",
                    10.0,
                    "middle",
                    hint=label,
                )
            )
        number += count


def _cell(
    drawing: Drawing, x: float, y: float, value: Estimate | None, ends: tuple[float, float], what: str
) -> None:
    shown = show(value)
    hint = f"{what}: {shown}; {shown.hint}"
    if value is None:
        drawing.add(Text(x + CELL / 2, y + 17, shown.value, "soft", 10.5, "middle", hint=hint))
        return
    low, high = ends
    share = 0.0 if high <= low else min(max((value.value - low) / (high - low), 0.0), 1.0)
    # Never stronger than half: the number on it must be read in both light and dark.
    drawing.add(Rect(x + 1, y + 1, CELL - 2, HIGH - 2, "fill", 0.04 + 0.44 * share, hint))
    drawing.add(Text(x + CELL / 2, y + 17, plain(value.value, 2), "ink", 11.0, "middle", hint=hint))
