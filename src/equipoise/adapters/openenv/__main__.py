"""``python -m equipoise.adapters.openenv GAME`` serves a game over OpenEnv's protocol."""

from __future__ import annotations

import socket
import sys
from typing import Annotated, Any

import typer

from equipoise.adapters.openenv import game_app
from equipoise.adapters.openenv.tasks import DEALS, SESSIONS
from equipoise.cli import audit_options as a
from equipoise.cli import options as o
from equipoise.cli.failures import exit_code, interruptible
from equipoise.cli.values import names, numbers, options
from equipoise.errors import RequestError
from equipoise.prompts.base import PLAIN

__all__ = ["main"]

NAME = "python -m equipoise.adapters.openenv"

app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)


@app.command()
def serve(
    game: o.GameArgument,
    option: o.OptionOption = None,
    pool: a.PoolOption = None,
    weight: a.WeightOption = None,
    seed: o.SeedOption = 0,
    deals: Annotated[int, typer.Option("--deals", min=1, help="Deals that are listed as tasks.")] = DEALS,
    wording: o.WordingOption = None,
    retries: o.RetriesOption = None,
    on_invalid: o.OnInvalidOption = None,
    sessions: Annotated[
        int, typer.Option("--sessions", min=1, help="How many clients may play at a time.")
    ] = SESSIONS,
    host: Annotated[str, typer.Option("--host", help="Address; 0.0.0.0 in a container.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one.")] = 8000,
) -> None:
    """Serve a game over OpenEnv's protocol, opponents of its pools on the other seat."""
    served = game_app(
        game,
        options=options(option),
        pools=names(pool),
        weights=numbers(weight),
        seed=seed,
        deals=deals,
        rule=o.invalid_rule(retries, on_invalid),
        wording=wording or PLAIN,
        sessions=sessions,
    )
    with interruptible(resumable=False):
        _listen(served, host, port)


def main(arguments: list[str] | None = None) -> int:
    """Serve until interrupted, and return the exit code.

    Args:
        arguments: The arguments; None takes those of the process.
    """
    command: Any = typer.main.get_command(app)
    return exit_code(lambda: command.main(arguments, prog_name=NAME, standalone_mode=False))


def _listen(served: Any, host: str, port: int) -> None:
    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        why = str(error.strerror or error).partition(" (")[0]
        raise RequestError(f"--host {host} --port {port}: {why}") from None
    with listening:
        place = f"[{host}]" if ":" in host else host
        typer.echo(f"serving on http://{place}:{listening.getsockname()[1]}")
        sys.stdout.flush()
        uvicorn.Server(uvicorn.Config(served, log_level="warning")).run(sockets=[listening])


if __name__ == "__main__":
    sys.exit(main())
