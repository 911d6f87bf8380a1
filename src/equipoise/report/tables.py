"""Tables of a report: one content for the page, CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.report.numbers import Shown, show
from equipoise.types import Estimate

__all__ = ["Cell", "Table", "csv_text", "latex_text", "markdown_text"]

Cell = str | int | Estimate | None
"""Words, a count, a number with its interval, or what does not apply."""


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        name: Its name as a file.
        title: What it shows.
        head: Names of the columns.
        rows: The rows; the first cell of each says what it is about.
        note: What must be known to read it.
    """

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def shown(self) -> list[list[str | Shown]]:
        """Return the rows as the page shows them."""
        return [[_shown(cell) for cell in row] for row in self.rows]


def csv_text(table: Table) -> str:
    """Return a table as CSV; every number has columns of its own for its interval and kind."""
    numeric = [
        any(isinstance(row[place], Estimate) for row in table.rows) for place in range(len(table.head))
    ]
    head: list[str] = []
    for name, is_number in zip(table.head, numeric, strict=True):
        head += [name, *(f"{name} {part}" for part in PARTS)] if is_number else [name]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    for row in table.rows:
        cells: list[object] = []
        for cell, is_number in zip(row, numeric, strict=True):
            cells += _parts(cell) if is_number else [_safe("" if cell is None else str(cell))]
        writer.writerow(cells)
    return out.getvalue()


PARTS = ("low", "high", "level", "kind")


def _parts(cell: Cell) -> list[object]:
    if not isinstance(cell, Estimate):
        return ["" if cell is None else _safe(str(cell)), *[""] * len(PARTS)]
    return [cell.value, cell.low, cell.high, cell.level, cell.kind.value]


def _safe(text: str) -> str:
    """Return words that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def markdown_text(table: Table) -> str:
    """Return a table as Markdown."""
    lines = [f"**{_marked(table.title)}**", "", _line(table.head), _line(["---"] * len(table.head))]
    lines += [_line([str(cell) for cell in row]) for row in table.shown()]
    return "\n".join([*lines, "", *([_marked(table.note), ""] if table.note else [])])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_marked(cell) for cell in cells)} |"


def _marked(text: str) -> str:
    flat = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "\\`*_|<>[]" else sign for sign in flat) if flat != "---" else flat


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "≥": r"$\geq$",
    "≤": r"$\leq$", "λ": r"$\lambda$", "·": r"$\cdot$", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def latex_text(table: Table) -> str:
    """Return a table as LaTeX; it needs the package booktabs."""
    columns = "l" + "r" * (len(table.head) - 1)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_tex(table.title)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _tex_row(table.head),
        r"\midrule",
        *(_tex_row([str(cell) for cell in row]) for row in table.shown()),
        r"\bottomrule",
        r"\end{tabular}",
        *([rf"\\[2pt] \footnotesize {_tex(table.note)}"] if table.note else []),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _tex_row(cells: Sequence[str]) -> str:
    return " & ".join(_tex(cell) for cell in cells) + r" \\"


def _tex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in " ".join(text.split()))


def _shown(cell: Cell) -> str | Shown:
    if cell is None or isinstance(cell, Estimate):
        return show(cell)
    return str(cell)
