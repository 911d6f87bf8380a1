"""Where results go: tables on the screen, JSON to a file or to standard output."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.cli.failures import interruptible
from equipoise.errors import RequestError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["Output", "check_folder", "console"]

STDOUT = "-"
WIDE = 1000
"""Columns where nobody looks: a table in a pipe or a file is as wide as its contents."""


class Output:
    """Shows tables and writes JSON; with ``--json -`` standard output carries the JSON only."""

    def __init__(self, where: str | None) -> None:
        """Take where the JSON goes: a file, ``-`` for standard output, None for nowhere.

        Raises:
            RequestError: The file cannot be written; better said before the work than after it.
        """
        self.where = where
        if where is not None and where != STDOUT:
            _check_file(Path(where))

    @property
    def is_bare(self) -> bool:
        """Whether standard output belongs to the JSON."""
        return self.where == STDOUT

    @contextmanager
    def work(self, resumable: bool = False) -> Iterator[None]:
        """Guard the block that does the work.

        Whatever it prints, a policy of the user's for instance, is kept out of the JSON.

        Args:
            resumable: Whether the same command goes on where it was interrupted.
        """
        with interruptible(resumable):
            if not self.is_bare:
                yield
                return
            with redirect_stdout(sys.stderr):
                yield

    def show(self, *renderables: RenderableType) -> None:
        """Show tables and text, unless standard output belongs to the JSON."""
        if self.is_bare:
            return
        screen = console()
        for renderable in renderables:
            # Rather lines that the terminal breaks than numbers without their end.
            fits = _marks(renderable, screen.width) <= _marks(renderable, WIDE)
            (screen if fits else console(wide=True)).print(renderable)

    def write(self, data: Mapping[str, Any]) -> None:
        """Write the JSON, all of it or nothing, if it was asked for."""
        if self.where is None:
            return
        text = json.dumps(data, indent=1) + "\n"
        if self.is_bare:
            sys.stdout.write(text)
            return
        target = Path(self.where).resolve()
        if target.exists() and not target.is_file():
            # A device or a pipe is written to, never replaced.
            target.write_text(text, encoding="utf-8")
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.part")
        part.write_text(text, encoding="utf-8")
        part.replace(target)


def console(wide: bool = False) -> Console:
    """Return the console of standard output, wide if asked for or if it is no terminal."""
    from rich.console import Console

    class Screen(Console):
        """A console that leaves it to ``exit_code`` what a closed pipe means."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    width = WIDE if wide or not sys.stdout.isatty() else None
    return Screen(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False)


def _marks(renderable: RenderableType, width: int) -> int:
    """Count the marks of omission that something carries at a width."""
    from rich.console import Console

    shown = io.StringIO()
    Console(file=shown, width=width, highlight=False, markup=False, emoji=False).print(renderable)
    return shown.getvalue().count("…")


def check_folder(folder: Path | None, flag: str = "--out") -> None:
    """Check that a folder is one or can be made.

    Raises:
        RequestError: It, or what it would lie in, is a file.
    """
    if folder is None:
        return
    for place in (folder, *folder.parents):
        if place.exists():
            if not place.is_dir():
                raise RequestError(f"{flag} {str(folder)!r}: {str(place)!r} is a file, not a folder")
            return


def _check_file(file: Path) -> None:
    if file.is_dir():
        raise RequestError(f"--json {str(file)!r} is a folder: name a file, or - for standard output")
    check_folder(file.parent, "--json")
