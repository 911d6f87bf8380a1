"""``equipoise export``: trained adapters and audits for use elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options as o
from equipoise.cli.export_inspect import logs
from equipoise.cli.screen import Output, check_folder

if TYPE_CHECKING:
    from equipoise.training.export.write import Exported

__all__ = ["register"]

PlaceArgument = Annotated[
    Path, typer.Argument(metavar="DIR", help="An adapter's folder, or one of `equipoise run`.")
]
OutOption = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where to write; a new folder.")]
RunOption = Annotated[
    str | None,
    typer.Option("--run", metavar="NAME", help="Which adapter of a run that has several, e.g. ipd/sepo."),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="MODEL", help="The model it was trained on; runs know it (see `equipoise models`)."
    ),
]
GameOption = Annotated[
    str | None,
    typer.Option("--game", metavar="GAME", help="Compare on prompts of this game; default: its own, or ipd."),
]
PromptsOption = Annotated[int, typer.Option("--prompts", min=1, help="Prompts to compare on.")]
ToleranceOption = Annotated[
    float | None,
    typer.Option(
        "--tolerance",
        min=0.0,
        help="Largest difference of logits to accept; default: 0.001 in float32, 0.1 in float16, "
        "0.5 in bfloat16.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Take adapters and audits elsewhere, checked.")
    group.command()(merged)
    group.command()(adapter)
    group.command("inspect")(logs)
    app.add_typer(group, name="export", rich_help_panel="Train")


def merged(
    place: PlaceArgument,
    out: OutOption,
    run: RunOption = None,
    model: ModelOption = None,
    game: GameOption = None,
    prompts: PromptsOption = 24,
    tolerance: ToleranceOption = None,
    dtype: o.DtypeOption = None,
    device: o.DeviceOption = None,
    json: o.JsonOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Write the model with the adapter added to its weights, if it still answers the same.

    For example: equipoise export merged runs/quickstart --run ipd/sepo --out models/ipd
    """
    _export("merged", place, out, run, model, game, _settings(prompts, tolerance, dtype, device, quiet), json)


def adapter(
    place: PlaceArgument,
    out: OutOption,
    run: RunOption = None,
    model: ModelOption = None,
    game: GameOption = None,
    prompts: PromptsOption = 24,
    tolerance: ToleranceOption = None,
    dtype: o.DtypeOption = None,
    device: o.DeviceOption = None,
    json: o.JsonOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Write the adapter as PEFT and others load it, with the public name of its model.

    For example: equipoise export adapter runs/quickstart --run ipd/sepo --out adapters/ipd
    """
    _export(
        "adapter", place, out, run, model, game, _settings(prompts, tolerance, dtype, device, quiet), json
    )


def _settings(
    prompts: int, tolerance: float | None, dtype: o.Dtype | None, device: str | None, quiet: bool
) -> dict[str, Any]:
    return {
        "prompts": prompts,
        "tolerance": tolerance,
        "dtype": None if dtype is None else dtype.value,
        "device": device,
        "quiet": quiet,
    }


def _export(
    kind: str,
    place: Path,
    out: Path,
    run: str | None,
    model: str | None,
    game: str | None,
    settings: dict[str, Any],
    json: str | None,
) -> None:
    output = Output(json)
    check_folder(out)
    with output.work():
        from equipoise.training.export.find import find_adapter
        from equipoise.training.export.write import ExportSettings, export_adapter, export_merged

        found = find_adapter(place, run, model, game)
        work = {"merged": export_merged, "adapter": export_adapter}[kind]
        done: Exported = work(found, out, ExportSettings(**settings))
    output.write(done.to_json())
    output.show(str(done.check), f"written: {done.folder}")
