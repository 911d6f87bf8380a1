"""Audit results as tables: rich on a terminal, plain text in a log, HTML in a notebook."""

from __future__ import annotations

import html as markup
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from equipoise.types import Estimate, Kind

if TYPE_CHECKING:
    from equipoise.auditing.result import AuditResult, Difference, GameResult

__all__ = ["difference_table", "metric_table", "opponent_table", "render", "verdict"]

NOT_APPLICABLE = "n/a"


def cell(value: Estimate | None) -> str:
    """Return an estimate as tables show it."""
    return NOT_APPLICABLE if value is None else str(value)


def metric_table(results: Sequence[GameResult]) -> Table:
    """Return the metrics of one game, a column a policy."""
    info = results[0]
    table = Table(title=f"{info.game} (version {info.version})", title_justify="left")
    table.add_column("metric", no_wrap=True)
    for result in results:
        table.add_column(Text(result.policy), justify="right", overflow="fold")
    for name in info.metrics:
        table.add_row(name, *[cell(result.metrics.get(name)) for result in results])
    return table


def opponent_table(result: GameResult) -> Table:
    """Return the payoffs and terms against every opponent."""
    table = Table(title=f"{result.game}: {result.policy}, by opponent", title_justify="left")
    for column in ("pool", "opponent"):
        table.add_column(column, no_wrap=True)
    for column in ("own", "opponent's", "collusion", "externality"):
        table.add_column(column, justify="right")
    for pool, rows in result.per_opponent.items():
        for name, row in rows.items():
            keys = ("own", "opponent", "collusion", "externality")
            table.add_row(pool, Text(name), *[cell(row[key]) for key in keys])
    return table


def difference_table(differences: Sequence[Difference]) -> Table:
    """Return paired differences with what they show."""
    table = Table(title="paired differences (a minus b, same deals)", title_justify="left")
    for column in ("game", "metric"):
        table.add_column(column, no_wrap=True)
    for column in ("a", "b"):
        table.add_column(column, overflow="fold")
    table.add_column("difference", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for row in differences:
        table.add_row(
            row.game, row.metric, Text(row.a), Text(row.b), cell(row.estimate), verdict(row.estimate)
        )
    return table


def verdict(estimate: Estimate) -> str:
    """Say in one word whether an interval settles the sign."""
    if estimate.low is not None and estimate.low > 0.0:
        return "higher"
    if estimate.high is not None and estimate.high < 0.0:
        return "lower"
    return "equal" if estimate.kind is Kind.EXACT else "not settled"


def render(result: AuditResult, html: bool = False) -> str:
    """Return all tables of an audit as text, or as escaped HTML for notebooks."""
    from equipoise.auditing.wording_table import wording_table

    console = Console(file=io.StringIO(), width=120, record=True, force_terminal=False)
    games = dict.fromkeys(r.game for r in result.results)
    for game in games:
        rows = [r for r in result.results if r.game == game]
        spreads = [s for s in result.spreads if s.game == game]
        console.print(wording_table(rows, spreads) if spreads else metric_table(rows))
    if result.differences:
        console.print(difference_table(result.differences))
    text = console.export_text()
    return f"<pre>{markup.escape(text)}</pre>" if html else text
