"""``equipoise export inspect``: audits as logs of Inspect."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output, check_folder
from equipoise.progress import Reporter

__all__ = ["logs"]


def logs(
    place: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder of `equipoise audit --out` or of `equipoise run`.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Where to write, a new folder; default: DIR-inspect."),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option("--game", metavar="GAME", help="The game, where it is python:FILE.py:NAME."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, metavar="N", help="Most episodes a log; results stay those of all."),
    ] = None,
    json: o.JsonOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Write played episodes and their audit as .eval logs, one a game and policy, for `inspect view`.

    For example: equipoise export inspect audits/mine && inspect view --log-dir audits/mine-inspect
    """
    output = Output(json)
    where = place.resolve()
    folder = where.with_name(f"{where.name}-inspect") if out is None else out
    check_folder(folder)
    with output.work():
        from equipoise.adapters.inspect.logs import export_logs

        reporter = Reporter(quiet or not sys.stderr.isatty())
        found = export_logs(place, folder, game=game, limit=limit, reporter=reporter)
    output.write({"schema": 1, "kind": "inspect", "logs": [one.to_json() for one in found]})
    for one in found:
        state = "" if one.finished else ", not finished: no results"
        output.show(
            f"{one.game}, {one.policy}: {one.samples} of {one.played} episodes{state}", f"written: {one.path}"
        )
