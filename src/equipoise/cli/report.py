"""``equipoise report``: one self-contained page of what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output, check_folder
from equipoise.errors import RequestError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Judge")(report)


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR",
            help="Folders of `audit --out`, `run`, `ablate` or `audit --cross --out`; several as one.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The page.")] = Path("report.html"),
    episodes: Annotated[
        int | None,
        typer.Option(
            "--episodes",
            "-n",
            min=0,
            help="Episodes to hold for browsing, at most; of more a stated sample is taken. Default: 5000.",
        ),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="Title of the page.")] = None,
    figures: Annotated[
        Path | None,
        typer.Option("--figures", metavar="DIR", help="Write the figures too, as SVG and PNG."),
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option("--tables", metavar="DIR", help="Write the tables too, as CSV, Markdown and LaTeX."),
    ] = None,
    quiet: o.QuietOption = False,
) -> None:
    """Make one self-contained HTML page of audits and runs: verdict, figures, tables, episodes.

    For example: equipoise report runs/smoke --out smoke.html
    """
    output = Output(None)
    if out.is_dir():
        raise RequestError(f"--out {str(out)!r} is a folder: name a file, e.g. {str(out / 'report.html')!r}")
    check_folder(out.parent)
    check_folder(figures, "--figures")
    check_folder(tables, "--tables")
    with output.work():
        from equipoise.progress import Reporter
        from equipoise.report.write import write_report

        lines = write_report(
            folders,
            out,
            episodes=episodes,
            title=title,
            figures=figures,
            tables=tables,
            reporter=Reporter(quiet),
        )
    output.show(*lines)
