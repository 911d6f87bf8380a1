"""An ablation as tables: rich on a terminal, Markdown in a file."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from equipoise.auditing.tables import cell
from equipoise.training.ablations.result import METRICS, Ablation, AblationRow
from equipoise.training.ablations.rows import ROWS
from equipoise.training.ablations.strategist_rows import SUMMARIES

__all__ = ["legend", "markdown", "tables"]

WORDS = {**{name: row.summary for name, row in ROWS.items()}, **SUMMARIES}
"""What each row changes, for people."""


def tables(found: Ablation) -> list[RenderableType]:
    """Return a table a game, and what the intervals cover."""
    parts: list[RenderableType] = []
    heads = _heads(found)
    for game, rows in _games(found.rows).items():
        table = Table(title=_title(game, rows), title_justify="left")
        for head in heads:
            table.add_column(head, justify="left" if head == "row" else "right")
        for row in rows:
            table.add_row(*map(Text, _cells(row, found.compared)))
        parts.append(table)
        parts += [Text(line) for line in _reasons(rows)]
    return [*parts, Text(legend(found)), Text(f"run folder: {found.folder}")]


def markdown(found: Ablation) -> str:
    """Return the tables as Markdown."""
    lines, heads = [], _heads(found)
    for game, rows in _games(found.rows).items():
        lines += [f"**{_title(game, rows)}**", "", _line(heads), _line(["---"] * len(heads))]
        shown = [_cells(row, found.compared) for row in rows]
        lines += [_line([f"`{cells[0]}`", *cells[1:]]) for cells in shown]
        lines += ["", *(f"- {reason}" for reason in _reasons(rows)), ""]
    names = dict.fromkeys(row.row for row in found.rows)
    lines += [_line(("row", "what it changes")), _line(["---", "---"])]
    lines += [_line((f"`{name}`", WORDS.get(name, "a run of the recipe"))) for name in names]
    return "\n".join([*lines, "", legend(found), ""])


def legend(found: Ablation) -> str:
    """Say what the numbers are."""
    return (
        f"Means over training seeds with Student's {found.level:.0%} interval over seeds; differences are "
        "paired by seed. All rows are judged with the game's own weights. With one seed the interval is that "
        "of its audit; >= is a bound. A row without an interval drew nothing: its seeds are one run."
    )


def _games(rows: Sequence[AblationRow]) -> dict[str, list[AblationRow]]:
    found: dict[str, list[AblationRow]] = {}
    for row in rows:
        found.setdefault(row.game, []).append(row)
    return found


def _title(game: str, rows: Sequence[AblationRow]) -> str:
    count = max(len(row.seeds) for row in rows)
    return f"{game}, {count} seed{'s' if count > 1 else ''}"


def _heads(found: Ablation) -> tuple[str, ...]:
    return ("row", *METRICS.values(), *(f"{METRICS[name]} − full" for name in found.compared))


def _cells(row: AblationRow, compared: Sequence[str]) -> list[str]:
    if row.reason is not None:
        return [row.row, *["n/a"] * (len(METRICS) + len(compared))]
    differences = [cell(row.differences.get(name)) if row.differences else "" for name in compared]
    return [row.row, *(cell(row.metrics.get(name)) for name in METRICS), *differences]


def _reasons(rows: Sequence[AblationRow]) -> list[str]:
    return [f"{row.row} is not applicable: {row.reason}" for row in rows if row.reason is not None]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
