"""``equipoise run``, ``train``, ``sft`` and ``data``: recipes, whole or in stages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output, check_folder
from equipoise.cli.values import options, overrides
from equipoise.errors import RequestError

__all__ = ["register"]

TRAIN = "Train"

RecipeArgument = Annotated[
    str, typer.Argument(metavar="RECIPE", help="A recipe that comes with the package, or a TOML file.")
]
OverridesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="KEY=VALUE", help="Changes to the recipe; out=DIR sets the folder."),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (run, train, sft, data):
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
    quiet: o.QuietOption = False,
) -> None:
    """Train only: the stages of a recipe without its audits."""
    _stages(recipe, changes, ("sft", "sepo"), json, quiet)


def sft(
    recipe: RecipeArgument,
    changes: OverridesArgument = None,
    json: o.JsonOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Train only the supervised warm start of a recipe."""
    _stages(recipe, changes, ("sft",), json, quiet)


def data(
    game: o.GameArgument,
    recipe: Annotated[str, typer.Option("--recipe", metavar="NAME", help="The mixture of teachers.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The JSONL file to write.")],
    episodes: Annotated[int, typer.Option("--episodes", "-n", min=1, help="Episodes to play.")] = 600,
    seed: o.SeedOption = 0,
    option: o.OptionOption = None,
    json: o.JsonOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Write the data of the warm start as JSONL.

    For example: equipoise data ipd --recipe paper --out ipd.jsonl
    """
    output = Output(json)
    if out.exists() and not out.is_file():
        raise RequestError(f"--out {str(out)!r} is no file that could be replaced: name another")
    check_folder(out.parent)
    with output.work():
        from equipoise.policies.registry import load_game
        from equipoise.progress import Reporter
        from equipoise.training.data import write_data

        summary = write_data(load_game(game, options(option)), recipe, episodes, seed, out, Reporter(quiet))
    output.write({"schema": 1, **summary, "file": str(out)})
    output.show(*_lines({**summary, "file": str(out)}))


def _stages(
    recipe: str, changes: list[str] | None, stages: tuple[str, ...], json: str | None, quiet: bool
) -> None:
    output = Output(json)
    given = overrides(changes)
    with output.work(resumable=True):
        from equipoise.progress import Reporter
        from equipoise.training.pipeline import run_recipe

        done = run_recipe(recipe, given, stages, Reporter(quiet))
    output.write(done.to_json())
    output.show(*done.render())


def _lines(summary: dict[str, object]) -> list[str]:
    """Return a summary as lines."""
    from equipoise.cli.text import one_line

    rows = []
    for key, found in summary.items():
        if isinstance(found, dict):
            found = ", ".join(f"{name} {count}" for name, count in found.items())
        elif isinstance(found, list | tuple):
            found = ", ".join(map(str, found)) or "none"
        rows.append(one_line(f"{key.replace('_', ' ')}: {found}"))
    return rows
