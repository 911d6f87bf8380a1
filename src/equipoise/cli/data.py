"""``equipoise data``: what scripted teachers do, as examples for supervised training."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output, check_folder
from equipoise.cli.values import options
from equipoise.errors import RequestError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from equipoise.progress import Reporter
    from equipoise.training.dataset import DataRequest, Format

__all__ = ["register"]

TRAIN = "Train"
ALL = "all"


class Form(StrEnum):
    """How data lie in files."""

    JSONL = "jsonl"
    DATASETS = "datasets"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel=TRAIN)(data)


def data(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game with teachers, or all.")],
    recipe: Annotated[
        str, typer.Option("--recipe", metavar="NAME", help="The mixture of teachers: paper or balanced.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="PATH", help="The JSONL file to write; a folder for all and --format datasets."
        ),
    ],
    form: Annotated[
        Form,
        typer.Option(
            "--format",
            help="jsonl writes one file a game, datasets one a split, to be read with load_dataset.",
        ),
    ] = Form.JSONL,
    episodes: Annotated[
        int | None, typer.Option("--episodes", "-n", min=1, help="Episodes of each game; by default 600.")
    ] = None,
    examples: Annotated[int | None, typer.Option("--examples", min=1, help="Examples of each game.")] = None,
    validation: Annotated[
        float, typer.Option("--validation", help="Share of the episodes in the validation split.")
    ] = 0.1,
    test: Annotated[float, typer.Option("--test", help="Share of the episodes in the test split.")] = 0.0,
    reasons: Annotated[
        bool, typer.Option("--reasons", help="Let every answer begin with one checked sentence of reason.")
    ] = False,
    seed: o.SeedOption = 0,
    option: o.OptionOption = None,
    json: o.JsonOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Write what scripted teachers do as examples for supervised training.

    For example: equipoise data ipd --recipe paper --out ipd.jsonl

    For example: equipoise data all --recipe balanced --format datasets --out data/balanced
    """
    output = Output(json)
    _check_out(out, folder=game == ALL or form is Form.DATASETS)
    if game == ALL and option:
        raise RequestError(f"--option {option[0]!r} belongs to one game: name it instead of all")
    with output.work():
        from equipoise.progress import Reporter
        from equipoise.training.data import Shares
        from equipoise.training.dataset import DataRequest

        request = DataRequest(recipe, episodes, examples, seed, Shares(validation, test), reasons)
        card = _make(game, options(option), request, out, form, Reporter(quiet))
    output.write({**card, "out": str(out)})
    output.show(*_shown(card, out))


def _check_out(out: Path, folder: bool) -> None:
    """Check that there can be such a file or folder; what a folder holds is checked when it is claimed."""
    if folder:
        check_folder(out)
        return
    if out.exists() and not out.is_file():
        raise RequestError(f"--out {str(out)!r} is no file that could be replaced: name another")
    check_folder(out.parent)


def _make(
    name: str,
    given: dict[str, object] | None,
    request: DataRequest,
    out: Path,
    form: Form,
    reporter: Reporter,
) -> dict[str, Any]:
    from equipoise.games.base import finite_game
    from equipoise.games.registry import game_names
    from equipoise.policies.registry import load_game
    from equipoise.training.dataset import write_file, write_folder
    from equipoise.training.teachers import teacher_games

    layout: Format = "datasets" if form is Form.DATASETS else "jsonl"
    if name == ALL:
        names = teacher_games(request.recipe)
        left_out = [other for other in game_names() if other not in names]
        games = [finite_game(load_game(one)) for one in names]
        return write_folder(games, request, out, layout, reporter, left_out)
    found = finite_game(load_game(name, given))
    if form is Form.DATASETS:
        return write_folder([found], request, out, layout, reporter)
    return write_file(found, request, out, reporter)


def _shown(card: dict[str, Any], out: Path) -> list[RenderableType]:
    """Return the card as it is shown: a line a game, and where it all is."""
    from rich.table import Table
    from rich.text import Text

    from equipoise.cli.text import one_line

    table = Table("game", "episodes", "examples", "train", "validation", "test", "distinct", "teachers")
    for name, game in card["games"].items():
        counts = [game["splits"][split]["examples"] for split in ("train", "validation", "test")]
        cells = [game["episodes"], game["examples"], *counts, game["duplicates"]["distinct_examples"]]
        teachers = ", ".join(f"{key} {one['examples']}" for key, one in game["teachers"].items())
        table.add_row(name, *map(str, cells), one_line(teachers))
    lines = [f"written to {out}"]
    if card["left_out"]:
        lines.append(f"left out, as recipe {card['recipe']} has no teachers: {', '.join(card['left_out'])}")
    return [table, *(Text(one_line(line)) for line in lines)]
