"""``equipoise compare``: what separates two audited policies, and which of it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output

__all__ = ["register"]

METAVAR = "DIR_OR_JSON"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Judge")(compare)


def compare(
    a: Annotated[
        Path, typer.Argument(metavar=METAVAR, help="A folder of `audit --out` or of a run, or its JSON.")
    ],
    b: Annotated[Path, typer.Argument(metavar=METAVAR, help="The other one.")],
    metric: Annotated[
        list[str] | None, typer.Option("--metric", "-m", help="Compare this metric only. Repeatable.")
    ] = None,
    level: Annotated[float, typer.Option("--level", help="Confidence level of the intervals.")] = 0.95,
    paired: Annotated[
        bool | None,
        typer.Option("--paired/--unpaired", help="Insist on the same deals, or ignore them; default: as is."),
    ] = None,
    policy_a: Annotated[
        str | None, typer.Option("--a", metavar="NAME", help="Which policy of the first, if it has several.")
    ] = None,
    policy_b: Annotated[
        str | None, typer.Option("--b", metavar="NAME", help="Which policy of the second.")
    ] = None,
    json: o.JsonOption = None,
) -> None:
    """Compare two audits: paired differences, the first minus the second, with Holm's correction.

    For example: equipoise compare audits/before audits/after --metric safety
    """
    output = Output(json)
    with output.work():
        from equipoise import api

        found = api.compare(
            a, b, metrics=metric, level=level, paired=paired, policy_a=policy_a, policy_b=policy_b
        )
    output.write(found.to_json())

    from equipoise.auditing.tables import difference_table

    output.show(difference_table(found.differences), *found.notes)
