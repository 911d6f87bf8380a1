"""Cross-play as tables: one a matrix, and one of the equilibrium."""

from __future__ import annotations

import html as markup
import io
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from equipoise.auditing.cross.result import IN_TASKS, MATRICES, CrossResult, PolicyEquilibrium
from equipoise.auditing.tables import cell
from equipoise.types import Kind

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["cross_tables", "equilibrium_table", "matrix_table", "render_cross"]


def cross_tables(result: CrossResult) -> list[RenderableType]:
    """Return all tables, with the note in the equilibrium's place where there is none."""
    found: list[RenderableType] = [matrix_table(result, name) for name in result.matrices]
    if any(rate.value > 0.0 for rate in result.invalid_rate.values()):
        found.append(_invalid_table(result))
    if result.equilibrium is not None:
        found.append(equilibrium_table(result, result.equilibrium))
    if result.note:
        found.append(Text(result.note))
    return found


def matrix_table(result: CrossResult, name: str) -> Table:
    """Return one matrix, a row and a column a policy."""
    title = f"{result.game} (version {result.version}), {name}: {({**MATRICES, **IN_TASKS})[name]}"
    table = Table(title=Text(title), title_justify="left")
    table.add_column("row \\ column", overflow="fold")
    for policy in result.policies:
        table.add_column(Text(policy), justify="right", overflow="fold")
    for row in result.policies:
        cells = [cell(result.matrices[name][row][column]) for column in result.policies]
        table.add_row(Text(row), *cells)
    return table


def equilibrium_table(result: CrossResult, found: PolicyEquilibrium) -> Table:
    """Return the equilibrium, a row a policy."""
    table = Table(title=Text(_title(found)), title_justify="left", caption=_caption(found))
    table.caption_justify = "left"
    table.add_column("policy", overflow="fold")
    table.add_column("weight", justify="right")
    if found.column_weights is not None:
        table.add_column("other side's weight", justify="right")
    if found.in_support is not None:
        table.add_column("in the support", justify="right")
    for policy in result.policies:
        columns = [found.weights, found.column_weights, found.in_support]
        table.add_row(Text(policy), *[cell(column[policy]) for column in columns if column is not None])
    return table


def render_cross(result: CrossResult, html: bool = False) -> str:
    """Return all tables as text, or as escaped HTML for notebooks."""
    console = Console(file=io.StringIO(), width=120, record=True, force_terminal=False)
    console.print(*cross_tables(result), sep="\n")
    text = console.export_text()
    return f"<pre>{markup.escape(text)}</pre>" if html else text


def _invalid_table(result: CrossResult) -> Table:
    table = Table(title="share of decisions without a valid answer", title_justify="left")
    table.add_column("policy", overflow="fold")
    table.add_column("invalid_rate", justify="right")
    for policy, rate in result.invalid_rate.items():
        table.add_row(Text(policy), cell(rate))
    return table


def _title(found: PolicyEquilibrium) -> str:
    kind = "symmetric equilibrium" if found.column_weights is None else "equilibrium (not symmetric)"
    return f"{kind} of the game between the policies, worth {cell(found.payoff)} a round"


def _caption(found: PolicyEquilibrium) -> Text:
    lines = [f"{found.method}; symmetric equilibria found: {found.found}"]
    if found.payoff.kind is Kind.SAMPLE:
        lines.append(
            "of the point estimates; intervals and shares over "
            f"{found.resamples} bootstrap resamples of the deals"
        )
    return Text("; ".join(lines))
