"""Audit results as tables: rich on a terminal, plain text in a log, HTML in a notebook."""

from __future__ import annotations

import html as markup
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from equipoise.auditing.statistics.power import power_line
from equipoise.types import Estimate, Kind

if TYPE_CHECKING:
    from equipoise.auditing.result import AuditResult, Difference, GameResult

__all__ = [
    "as_text",
    "difference_table",
    "metric_table",
    "opponent_table",
    "power_notes",
    "reading_table",
    "render",
    "settled",
    "verdict",
]

NOT_APPLICABLE = "n/a"


def cell(value: Estimate | None) -> str:
    """Return an estimate as tables show it."""
    return NOT_APPLICABLE if value is None else str(value)


def metric_table(results: Sequence[GameResult]) -> Table:
    """Return the metrics of one game, a column a policy.

    Where there is one seat, what cannot be said of any policy is left out.
    """
    info = results[0]
    table = Table(title=f"{info.game} (version {info.version})", title_justify="left")
    table.add_column("metric", no_wrap=True)
    for result in results:
        table.add_column(Text(result.policy), justify="right", overflow="fold")
    alone = all(result.alone for result in results)
    for name in info.metrics:
        if alone and all(result.metrics.get(name) is None for result in results):
            continue
        table.add_row(name, *[cell(result.metrics.get(name)) for result in results])
    return table


def reading_table(results: Sequence[GameResult]) -> Table | None:
    """Return what the transcripts of one game say besides, a column a policy; None where they say nothing."""
    rows = list(dict.fromkeys((g, name) for one in results for g in one.readings for name in one.readings[g]))
    if not rows:
        return None
    table = Table(title=f"{results[0].game}: what the transcripts say", title_justify="left")
    table.add_column("", no_wrap=True)
    table.add_column("figure", no_wrap=True)
    for result in results:
        table.add_column(Text(result.policy), justify="right", overflow="fold")
    for group, name in rows:
        table.add_row(group, name, *[cell(one.readings.get(group, {}).get(name)) for one in results])
    return table


def power_notes(results: Sequence[GameResult]) -> list[Text]:
    """Return what more deals would do, a line for every sampled result of a game."""
    rows = [(one.policy, one.settings.get("power")) for one in results]
    return [Text((f"{name}: " if len(rows) > 1 else "") + power_line(power)) for name, power in rows if power]


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
    """Return differences with what they show; the families of Holm's p-values are named below."""
    paired = all(row.test is None or row.test.pairing == "deal" for row in differences)
    title = "paired differences (a minus b, same deals)" if paired else "differences (a minus b)"
    tested = any(row.test is not None for row in differences)
    table = Table(title=title, title_justify="left", caption_justify="left")
    for column in ("game", "metric"):
        table.add_column(column, no_wrap=True)
    for column in ("a", "b"):
        table.add_column(column, overflow="fold")
    table.add_column("difference", justify="right", no_wrap=True)
    if tested:
        table.add_column("p (Holm)", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for row in differences:
        shown: list[str | Text] = [row.game, row.metric, Text(row.a), Text(row.b), cell(row.estimate)]
        table.add_row(*shown, *([_p(row)] if tested else []), settled(row))
    return table


def settled(row: Difference) -> str:
    """Say in one word whether a difference holds: by Holm's p-value where it was tested among others."""
    estimate = row.estimate
    if row.test is None or row.test.p_holm <= 1.0 - estimate.level or estimate.low == estimate.high:
        return verdict(row.estimate)
    return "not settled"


def _p(row: Difference) -> str:
    if row.test is None:
        return "exact"
    return "< 0.001" if row.test.p_holm < 0.001 else f"{row.test.p_holm:.3f}"


def verdict(estimate: Estimate) -> str:
    """Say in one word whether an interval settles the sign."""
    if estimate.low is not None and estimate.low > 0.0:
        return "higher"
    if estimate.high is not None and estimate.high < 0.0:
        return "lower"
    known = estimate.kind is Kind.EXACT or estimate.low == estimate.high == 0.0
    return "equal" if known else "not settled"


def render(result: AuditResult, html: bool = False) -> str:
    """Return all tables of an audit as text, or as escaped HTML for notebooks."""
    from equipoise.auditing.wording_table import wording_table

    games = dict.fromkeys(r.game for r in result.results)
    parts: list[RenderableType] = []
    for game in games:
        rows = [r for r in result.results if r.game == game]
        spreads = [s for s in result.spreads if s.game == game]
        if spreads:
            parts.append(wording_table(rows, spreads))
            continue
        read = reading_table(rows)
        parts += [metric_table(rows), *power_notes(rows), *([read] if read is not None else [])]
    if result.differences:
        parts.append(difference_table(result.differences))
    text = as_text(parts)
    return f"<pre>{markup.escape(text)}</pre>" if html else text


def as_text(parts: Sequence[RenderableType]) -> str:
    """Return tables and lines as plain text."""
    console = Console(
        file=io.StringIO(), width=120, record=True, force_terminal=False, markup=False, highlight=False
    )
    for part in parts:
        console.print(part)
    return console.export_text()
