"""``equipoise solve``: what is known exactly of a game, and the tabular policy under the objective."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output, check_folder
from equipoise.cli.values import options
from equipoise.errors import RequestError

if TYPE_CHECKING:
    from rich.table import Table

    from equipoise.auditing.result import AuditResult, GameResult

__all__ = ["register"]

COLUMNS = {
    "utility": "u",
    "exploitability": "e",
    "safety": "safety J",
    "best_response": "best response",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Train")(solve)


def solve(
    game: o.GameArgument,
    more: Annotated[list[str] | None, typer.Argument(metavar="KIND", hidden=True)] = None,
    exploiters: Annotated[
        list[str] | None,
        typer.Option(
            "--exploiters",
            "-x",
            metavar="KIND...",
            help="What the exploiter pool holds in training: none, pool, pool+best_response (or "
            "+library_response, +league), or names of opponents separated by commas. Several kinds give a "
            "row each. Default: pool.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Tables a kind, from different starts.")] = 1,
    steps: Annotated[
        int | None, typer.Option("--steps", min=1, help="Steps of gradient ascent; by the game's size.")
    ] = None,
    abstraction: Annotated[
        str | None,
        typer.Option(
            "--abstraction",
            metavar="NAME",
            help="Rows of the tables by a state abstraction, for large games: recent (ipd), bids (auction), "
            "demands (split), shares (multi_issue), stock (commons).",
        ),
    ] = None,
    option: o.OptionOption = None,
    json: o.JsonOption = None,
    out: o.OutOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Solve a game: J*, and tables trained by exact gradient.

    For example: equipoise solve ipd --exploiters pool pool+best_response --seeds 3
    """
    output = Output(json)
    check_folder(out)
    if more and not exploiters:
        raise RequestError(f"unexpected argument {more[0]!r}: solve takes one game")
    kinds = tuple(dict.fromkeys([*(exploiters or ["pool"]), *(more or [])]))
    changes = options(option)
    with output.work():
        from equipoise.games.base import finite_game
        from equipoise.policies.registry import load_game
        from equipoise.progress import Reporter
        from equipoise.training.solve import solve as solve_game

        rules = finite_game(load_game(game, changes))
        result = solve_game(
            rules,
            exploiters=kinds,
            seeds=seeds,
            steps=steps,
            out=out,
            reporter=Reporter(quiet),
            abstraction=abstraction,
        )
    output.write(result.to_json())
    output.show(table_of(result))


def table_of(result: AuditResult) -> Table:
    """Return a row for the optimum and one for each kind of exploiters, means over seeds."""
    from rich.table import Table
    from rich.text import Text

    kinds: dict[str, list[GameResult]] = {}
    for one in result.results:
        kinds.setdefault(one.policy.rpartition("/seed")[0] or one.policy, []).append(one)
    first = result.results[0]
    best = first.metrics.get("optimum")
    known = "not known" if best is None else str(best)
    known = known if known.startswith((">", "n")) else f"= {known}"
    seeds = max(len(rows) for rows in kinds.values())
    spread = f"; means, and min..max, of {seeds} seeds" if seeds > 1 else ""
    title = f"{first.game} (version {first.version}): J* {known}{spread}"
    table = Table(title=title, title_justify="left")
    table.add_column("exploiters in training", overflow="fold")
    for column in COLUMNS.values():
        table.add_column(column, justify="right")
    for kind, rows in kinds.items():
        table.add_row(Text(kind), *(_spread(rows, metric) for metric in COLUMNS))
    return table


def _spread(rows: Sequence[GameResult], metric: str) -> str:
    """Return the mean over seeds, with the smallest and the largest where there are several."""
    found = [row.metrics.get(metric) for row in rows]
    values = [one.value for one in found if one is not None]
    if not values:
        return "n/a"
    mean = f"{sum(values) / len(values):.4f}"
    return mean if len(values) == 1 else f"{mean} {min(values):.3f}..{max(values):.3f}"
