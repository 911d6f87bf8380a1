"""Progress of long work: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Reporter", "silent"]

Advance = Callable[[int], None]


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

        Console(stderr=True, highlight=False).print(text, markup=False)

    @contextmanager
    def task(self, description: str, total: int) -> Iterator[Advance]:
        """Show a bar for the time of the block; call what is yielded with the units just done."""
        if self.quiet or not sys.stderr.isatty():
            self.note(description)
            yield lambda done: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(description, total=total)
            yield lambda done: bar.advance(task, done)


def silent() -> Reporter:
    """Return a reporter that shows nothing."""
    return Reporter(quiet=True)
