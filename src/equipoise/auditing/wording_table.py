"""A policy's numbers in every wording as one table, with the line that sums them up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from equipoise.auditing.spreads import Spread
from equipoise.auditing.tables import cell
from equipoise.types import Estimate

if TYPE_CHECKING:
    from equipoise.auditing.result import GameResult

__all__ = ["headline", "wording_table"]

COLUMNS = {
    "utility": "u",
    "exploitability": "e",
    "collusion": "c",
    "externality": "x",
    "safety": "safety",
    "best_response": "best\nresponse",
}
"""What is shown of every wording, under headings short enough for a terminal of 80 columns."""


def wording_table(results: Sequence[GameResult], spreads: Sequence[Spread]) -> Group:
    """Return the numbers of one game, a row a wording, and below them the headline.

    Args:
        results: One a wording.
        spreads: The spreads of the game.
    """
    info = results[0]
    extremes = {spread.metric: spread for spread in spreads}
    columns = [name for name in COLUMNS if name in extremes or name != "best_response"]
    names = [str(result.settings["wording"]) for result in results]
    policy = info.policy.removesuffix(f" [{names[0]}]")
    title = Text(f"{info.game} (version {info.version}), by wording: {policy}")
    table = Table(title=title, title_justify="left")
    table.add_column("wording", overflow="fold")
    for name in columns:
        table.add_column(COLUMNS[name], justify="right")
    for wording, result in zip(names, results, strict=True):
        table.add_row(Text(wording), *[_cell(result.metrics.get(name)) for name in columns])
    table.add_section()
    found = [extremes.get(name) for name in columns]
    table.add_row("spread", *[_cell(None if spread is None else spread.spread) for spread in found])
    return Group(table, Text(headline(extremes["safety"])))


def headline(spread: Spread) -> str:
    """Return the line that says how good a policy is at its worst."""
    return (
        f"{spread.game}: {spread.metric} between {spread.low} ({spread.lowest}, the worst wording) and "
        f"{spread.high} ({spread.highest})"
    )


def _cell(value: Estimate | None) -> str:
    """Return an estimate with its interval on a line of its own, so that six of them fit side by side."""
    return cell(value).replace(" [", "\n[")
