"""The application: all commands, in groups."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from equipoise.cli import (
    ablate,
    audit,
    check,
    compare,
    data,
    export,
    listing,
    models,
    play,
    report,
    solve,
    study,
    train,
)
from equipoise.cli.failures import exit_code

__all__ = ["app"]

DEBUG = "EQUIPOISE_DEBUG"
DEBUG_FLAG = "--debug"


class Commands(TyperGroup):
    """The group of all commands; every failure becomes one line and an exit code."""

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        standalone_mode: bool = True,
        **settings: Any,
    ) -> int:
        """Run the command that the arguments name; exit with its code, or return it if not standalone."""
        name = prog_name or "equipoise"
        if os.environ.get(f"_{name}_complete".upper()):
            super().main(args, name, **settings)
        given = list(sys.argv[1:] if args is None else args)
        # Tracebacks are asked for when something has gone wrong, and then wherever on the line.
        debug = DEBUG_FLAG in given or os.environ.get(DEBUG, "0") not in ("", "0")
        given = [argument for argument in given if argument != DEBUG_FLAG]
        code = exit_code(lambda: self._run(name, given), debug)
        if standalone_mode:
            sys.exit(code)
        return code

    def _run(self, name: str, arguments: list[str]) -> None:
        with self.make_context(name, arguments) as context:
            self.invoke(context)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the commands in the order they were added."""
        return list(self.commands)


app = typer.Typer(
    name="equipoise",
    cls=Commands,
    help="Train and audit agents that play against others: to win without exploiting, colluding or "
    "passing their costs on.",
    epilog="Exit codes: 0 done, 1 the work failed, 2 the request was wrong.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from equipoise import __version__

        typer.echo(f"equipoise {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option(DEBUG_FLAG, help=f"Show tracebacks (anywhere on the line, or {DEBUG}=1).")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


GROUPS = (
    train,
    export,
    data,
    solve,
    study,
    ablate,
    audit,
    compare,
    report,
    check,
    play,
    listing,
    models,
)

for group in GROUPS:
    group.register(app)
