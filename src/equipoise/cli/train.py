"""``equipoise run``, ``train`` and ``sft``: recipes, whole or in stages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output
from equipoise.cli.values import overrides
from equipoise.errors import RequestError

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
GamesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--games",
        "-g",
        metavar="GAME...",
        help="Only these games of the recipe; the others can follow in the same folder. Default: all.",
    ),
]


PLAN = "Plan"
DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Load no weights: say what the run will take.", rich_help_panel=PLAN),
]
SpeedOption = Annotated[
    float | None,
    typer.Option(
        "--tokens-per-second",
        min=1e-9,
        metavar="N",
        help="Throughput to estimate times from (scripts/gpu_first_steps measures it).",
        rich_help_panel=PLAN,
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--model-config",
        metavar="PATH",
        help="config.json of a model that is neither here nor known.",
        rich_help_panel=PLAN,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (run, train, sft):
        app.command(rich_help_panel=TRAIN)(command)


def run(
    recipe: RecipeArgument,
    changes: OverridesArgument = None,
    games: GamesOption = None,
    dry_run: DryRunOption = False,
    tokens_per_second: SpeedOption = None,
    model_config: ConfigOption = None,
    json: o.JsonOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Run a whole recipe: audit, train, audit, report.

    Interrupted or killed, the same command goes on where it stopped.

    For example: equipoise run quickstart out=runs/first, or equipoise run paper-games --games auction split
    """
    if dry_run:
        _plan(recipe, changes, games, tokens_per_second, model_config, json, quiet)
        return
    for flag, given in (("--tokens-per-second", tokens_per_second), ("--model-config", model_config)):
        if given is not None:
            raise RequestError(f"{flag} {str(given)!r} belongs to --dry-run: add it, or leave {flag} out")
    _stages(recipe, changes, ("audit", "sft", "sepo"), games, json, quiet)


def train(
    recipe: RecipeArgument,
    changes: OverridesArgument = None,
    games: GamesOption = None,
    json: o.JsonOption = None,
    stage: StageOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Train only: the stages of a recipe without its audits, joint runs included.

    For example: equipoise train quickstart --stage sepo, once its warm starts are done
    """
    _stages(recipe, changes, tuple(stage or ("sft", "sepo")), games, json, quiet)


def sft(
    recipe: RecipeArgument,
    changes: OverridesArgument = None,
    games: GamesOption = None,
    json: o.JsonOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Train only the supervised warm start of a recipe."""
    _stages(recipe, changes, ("sft",), games, json, quiet)


def _stages(
    recipe: str,
    changes: list[str] | None,
    stages: tuple[str, ...],
    games: list[str] | None,
    json: str | None,
    quiet: bool,
) -> None:
    output = Output(json)
    if games:
        # What follows the first name has no equals sign.
        games = [*games, *(text for text in changes or () if "=" not in text)]
        changes = [text for text in changes or () if "=" in text]
    given = overrides(changes)
    with output.work(resumable=True):
        from equipoise.progress import Reporter
        from equipoise.training.pipeline import run_recipe
        from equipoise.training.trl.ranks import Ranks

        done = run_recipe(recipe, given, stages, Reporter(quiet), games)
    # Several processes may train together: one of them talks.
    if Ranks.here().main:
        output.write(done.to_json())
        output.show(*done.render())


def _plan(
    recipe: str,
    changes: list[str] | None,
    games: list[str] | None,
    speed: float | None,
    config: Path | None,
    json: str | None,
    quiet: bool,
) -> None:
    output = Output(json)
    given = overrides(changes)
    with output.work():
        from equipoise.progress import Reporter
        from equipoise.training.plan.plan import plan_recipe

        plan = plan_recipe(recipe, given, speed, config, Reporter(quiet), games)
    output.write(plan.to_json())
    output.show(*plan.render())
