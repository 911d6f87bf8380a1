"""Progress of long work: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["Advance", "Reporter", "bar_of", "silent"]

T = TypeVar("T", bound="Progress")


class Advance(Protocol):
    """Told how many units have just been done, and optionally what to show beside the bar from now on."""

    def __call__(self, done: int, text: str | None = None) -> None:
        """Move the bar."""


class Reporter:
    """Shows progress and notes on standard error.

    With ``quiet`` nothing is shown; when standard error is no terminal, notes are plain lines and there
    are no bars.
    """

    def __init__(self, quiet: bool = False) -> None:
        """Take whether to show nothing at all."""
        self.quiet = quiet

    def note(self, text: str) -> None:
        """Show one line."""
        if self.quiet:
            return
        from rich.console import Console

        Console(stderr=True, highlight=False).print(text, markup=False, soft_wrap=True)

    @contextmanager
    def task(self, description: str, total: int) -> Iterator[Advance]:
        """Show a bar for the time of the block; call what is yielded with the units just done."""
        if self.quiet or not sys.stderr.isatty():
            self.note(description)
            yield lambda done, text=None: None
            return
        from rich.progress import Progress

        with bar_of(Progress) as bar:
            task = bar.add_task(description, total=total)

            def advance(done: int, text: str | None = None) -> None:
                bar.update(task, advance=done, description=text or description)

            yield advance


def bar_of(kind: type[T]) -> T:
    """Return a bar on standard error that is gone when its block ends.

    Args:
        kind: ``rich.progress.Progress``, or what shows more than it.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    return kind(*columns, console=Console(stderr=True), transient=True)


def silent() -> Reporter:
    """Return a reporter that shows nothing."""
    return Reporter(quiet=True)
