"""``equipoise ablate``: what each part of a recipe's method is worth, over seeds."""

from __future__ import annotations

from typing import Annotated

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output
from equipoise.cli.train import TRAIN, OverridesArgument, RecipeArgument
from equipoise.cli.values import overrides

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel=TRAIN)(ablate)


def ablate(
    recipe: RecipeArgument,
    changes: OverridesArgument = None,
    rows: Annotated[
        str | None,
        typer.Option(
            "--rows",
            metavar="A,B",
            help="Which rows, e.g. reward_only,shared,per_rollout; the full method is always there. "
            "Default: all.",
        ),
    ] = None,
    games: Annotated[
        str | None, typer.Option("--games", metavar="A,B", help="Which of the recipe's games. Default: all.")
    ] = None,
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, help="Training seeds, counted up from the recipe's.")
    ] = 5,
    json: o.JsonOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Leave out one part of a recipe's method after the other, over seeds.

    Interrupted or killed, the same command goes on where it stopped; with more rows, games or seeds it does
    only those. ablation.json and ablation.md in the run's folder hold the table.

    For example: equipoise ablate ablate-table --rows reward_only,shared --games ipd --seeds 3
    """
    output = Output(json)
    given = overrides(changes)
    with output.work(resumable=True):
        from equipoise.progress import Reporter
        from equipoise.training.ablations.run import ablate as run_ablation
        from equipoise.training.ablations.tables import tables

        found = run_ablation(recipe, given, _names(rows), _names(games), seeds, Reporter(quiet))
    output.write(found.to_json())
    output.show(*tables(found))


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]
