"""``equipoise models``: the policies one can name, and the models that are ready on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output

if TYPE_CHECKING:
    from rich.table import Table

    from equipoise.policies.local.fetch import ModelEntry

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer()
    group.callback(invoke_without_command=True)(models)
    group.command()(fetch)
    app.add_typer(group, name="models", rich_help_panel="Explore")


def models(context: typer.Context, json: o.JsonOption = None) -> None:
    """List the kinds of policies, and the models at hand."""
    if context.invoked_subcommand is not None:
        return
    from equipoise.policies.local.fetch import available_models
    from equipoise.policies.registry import KINDS

    output = Output(json)
    found = available_models()
    rows = [
        {
            "name": one.name,
            "cached": one.cached,
            "path": None if one.path is None else str(one.path),
            "size": one.size,
            "licence": one.licence,
            "summary": one.summary,
        }
        for one in found
    ]
    output.write({"schema": 1, "policies": KINDS, "models": rows})
    output.show(_kinds(KINDS), _ready(found))


def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A model with a short name.")],
    quiet: o.QuietOption = False,
) -> None:
    """Get a model ready, for a machine that will have no network."""
    from equipoise.errors import unknown
    from equipoise.policies.local.fetch import available_models, ensure_smollm2

    output = Output(None)
    known = {one.name: one for one in available_models()}
    if name not in known:
        raise unknown("model", name, known)
    if known[name].path is None:
        output.show(f"{name} is made in memory: there is nothing to fetch")
        return
    with output.work():
        folder = ensure_smollm2(quiet=quiet)
    output.show(str(folder))


def _kinds(kinds: dict[str, str]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title="policies", title_justify="left")
    for column in ("--policy", "what it is"):
        table.add_column(column, overflow="fold")
    for kind, meaning in kinds.items():
        table.add_row(Text(kind), Text(meaning))
    return table


def _ready(models: list[ModelEntry]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title="models with short names", title_justify="left")
    for column in ("name", "ready", "size", "licence", "what it is", "where"):
        table.add_column(column, overflow="fold")
    for one in models:
        size = f"{one.size / 1e6:.0f} MB" if one.size else "-"
        ready = "yes" if one.cached else "no"
        place = "in memory" if one.path is None else str(one.path)
        table.add_row(one.name, ready, size, one.licence, one.summary, Text(place))
    return table
