"""What goes wrong, as one line on standard error and an exit code.

0 done, 1 the work failed, 2 the request was wrong, 130 interrupted, 141 nobody reads the output any more.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from equipoise.cli.text import one_line
from equipoise.errors import EquipoiseError, first_cause

__all__ = ["Interrupted", "exit_code", "interruptible"]

FAILED, WRONG, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141
GOES_ON = "interrupted: the same command goes on where it stopped"

EXTRAS = {
    **dict.fromkeys(
        (
            "accelerate",
            "datasets",
            "gguf",
            "peft",
            "safetensors",
            "tensorboard",
            "torch",
            "transformers",
            "trl",
        ),
        "train",
    ),
    **dict.fromkeys(("nashpy", "open_spiel", "pyspiel"), "exact"),
    **dict.fromkeys(("httpx", "openai"), "api"),
}
"""The extra of this package that a module comes with."""


class Interrupted(Exception):
    """The user interrupted work; the message says what that means for it."""


@contextmanager
def interruptible(resumable: bool) -> Iterator[None]:
    """Say, if the block is interrupted, whether the same command goes on where it stopped."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(GOES_ON if resumable else "interrupted") from None


def exit_code(call: Callable[[], object], debug: bool = False) -> int:
    """Run a call and return its exit code.

    Args:
        call: The work.
        debug: Whether to show a traceback too if it fails.
    """
    try:
        call()
        sys.stdout.flush()
        return 0
    except BaseException as error:
        # Consoles of rich turn a closed pipe into an exit.
        cause = error.__context__ if isinstance(error, SystemExit) else error
        if isinstance(cause, BrokenPipeError):
            _close_output()
            return BROKEN_PIPE
        return _report(error, debug)


def _report(error: BaseException, debug: bool) -> int:
    """Show an error and return its exit code."""
    error = first_cause(error)
    if isinstance(error, typer.Exit):
        return error.exit_code
    message, code = _explain(error)
    if debug:
        import traceback

        traceback.print_exception(error)
    try:
        sys.stdout.flush()
        print(one_line(message), file=sys.stderr, flush=True)  # noqa: T201
    except BrokenPipeError:
        _close_output()
    return code


def _explain(error: BaseException) -> tuple[str, int]:
    if isinstance(error, EquipoiseError):
        return f"error: {error}", error.exit_code
    if isinstance(error, Interrupted):
        return str(error), INTERRUPTED
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return "interrupted", INTERRUPTED
    # Usage errors of click, whichever click typer carries.
    if (form := getattr(error, "format_message", None)) is not None:
        context = getattr(error, "ctx", None)
        hint = "" if context is None else f" (see `{context.command_path} --help`)"
        return f"error: {_usage(error, str(form()))}{hint}", WRONG
    if isinstance(error, ImportError) and (package := (error.name or "").partition(".")[0]) in EXTRAS:
        return f"error: {package} is not installed: pip install 'equipoise[{EXTRAS[package]}]'", WRONG
    return f"error: {type(error).__name__}: {error}", FAILED


def _usage(error: BaseException, message: str) -> str:
    """Return what was wrong with the arguments, with the offending value."""
    message = message.strip().rstrip(".")
    # Some versions of typer check with pydantic, which does not name the value.
    problems = getattr(error.__cause__, "errors", None)
    value = "" if problems is None else repr(problems()[0]["input"])
    return message if value in message else f"{message}, not {value}"


def _close_output() -> None:
    """Point the standard streams at nothing, so that flushing them at exit raises no more."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(null, stream.fileno())
    os.close(null)
