"""``equipoise run``, ``train`` and ``sft``: recipes, whole or in stages."""

from __future__ import annotations

from typing import Annotated

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output
from equipoise.cli.values import overrides

__all__ = ["register"]

TRAIN = "Train"

RecipeArgument = Annotated[
    str, typer.Argument(metavar="RECIPE", help="A recipe that comes with the package, or a TOML file.")
]
StageOption = Annotated[
    list[str] | None,
    typer.Option("--stage", metavar="STAGE", help="Only this stage: sft or sepo. Repeatable; default: both."),
]
OverridesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="KEY=VALUE", help="Changes to the recipe; out=DIR sets the folder."),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (run, train, sft):
        app.command(rich_help_panel=TRAIN)(command)


def run(
    recipe: RecipeArgument,
    changes: OverridesArgument = None,
    json: o.JsonOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Run a whole recipe: audit, train, audit, report.

    Interrupted or killed, the same command goes on where it stopped.

    For example: equipoise run quickstart out=runs/first
    """
    _stages(recipe, changes, ("audit", "sft", "sepo"), json, quiet)


def train(
    recipe: RecipeArgument,
    changes: OverridesArgument = None,
    json: o.JsonOption = None,
    stage: StageOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Train only: the stages of a recipe without its audits, joint runs included.

    For example: equipoise train quickstart --stage sepo, once its warm starts are done
    """
    _stages(recipe, changes, tuple(stage or ("sft", "sepo")), json, quiet)


def sft(
    recipe: RecipeArgument,
    changes: OverridesArgument = None,
    json: o.JsonOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Train only the supervised warm start of a recipe."""
    _stages(recipe, changes, ("sft",), json, quiet)


def _stages(
    recipe: str, changes: list[str] | None, stages: tuple[str, ...], json: str | None, quiet: bool
) -> None:
    output = Output(json)
    given = overrides(changes)
    with output.work(resumable=True):
        from equipoise.progress import Reporter
        from equipoise.training.pipeline import run_recipe
        from equipoise.training.trl.ranks import Ranks

        done = run_recipe(recipe, given, stages, Reporter(quiet))
    # Several processes may train together: one of them talks.
    if Ranks.here().main:
        output.write(done.to_json())
        output.show(*done.render())
