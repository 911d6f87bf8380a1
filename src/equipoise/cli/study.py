"""``equipoise study``: what the package's methods do, measured against what can be computed exactly."""

from __future__ import annotations

from typing import Annotated

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output, check_folder
from equipoise.cli.values import options
from equipoise.errors import RequestError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Measure methods against what can be computed exactly.")
    # A callback keeps the only command a command.
    group.callback()(lambda: None)
    group.command()(credit)
    app.add_typer(group, name="study", rich_help_panel="Train")


def credit(
    game: Annotated[
        list[str] | None,
        typer.Option("--game", "-g", metavar="GAME", help="A small game. Repeatable. Default: kuhn and ipd."),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples", "-n", min=2, help="Independent batches. Default: 600 in kuhn, 300 elsewhere."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of tables, deals and draws.")] = 0,
    option: o.OptionOption = None,
    json: o.JsonOption = None,
    out: o.OutOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Measure the credit estimators against the exact gradient of J.

    Tables with random logits play kuhn with one hand, ipd with three rounds, split and commons with two,
    unless --option says otherwise. With --out the table is also drawn (extra report).
    For example: equipoise study credit --game kuhn --samples 100
    """
    output = Output(json)
    check_folder(out)
    changes = options(option)
    games = tuple(dict.fromkeys(game or ("kuhn", "ipd")))
    if changes and len(games) > 1:
        raise RequestError("--option belongs to one game: name it with --game")
    with output.work():
        from equipoise import api
        from equipoise.report.figures import MISSING, can_draw

        result = api.study_credit(games, samples=samples, seed=seed, options=changes, out=out, quiet=quiet)
    output.write(result.to_json())
    output.show(*result.tables())
    if out is not None and not can_draw():
        output.show(MISSING)
