"""What a run shows while it trains: the last step's numbers above a bar, or lines without a terminal.

The numbers are logs of single steps: ``≈`` marks terms of J that were estimated on the episodes of one step.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from equipoise.progress import Reporter, bar_of
from equipoise.training.sampled_terms import SAMPLED

__all__ = ["COLUMNS", "Live", "cells", "live"]

COLUMNS: Mapping[str, str] = {
    "utility": "u",
    "exploitability": "e",
    "collusion": "c",
    "externality": "x",
    "safety": "J",
    "score": "outcome",
    "loss": "loss",
    "kl": "KL",
    "entropy": "entropy",
    "invalid_rate": "invalid",
    "select_score": "selection",
}
"""What is shown of a row of metrics, under which name."""

LINES = 20
"""Lines of a run, at most about so many, where there is no terminal."""


class Live(Protocol):
    """Told of every step."""

    def __call__(self, done: int, row: Mapping[str, Any] | None = None) -> None:
        """Count steps; show the numbers of the last one."""


def cells(row: Mapping[str, Any], known: Mapping[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return what is shown, by game (none has the name ``""``) and column.

    Args:
        row: The metrics of a step; with several games theirs begin with the game's name.
        known: What was shown before: selection scores stay until there are newer ones.
    """
    found: dict[str, dict[str, str]] = {}
    for game, own in _by_game(row).items():
        shown = {}
        for name, head in COLUMNS.items():
            if name in own:
                shown[head] = _number(own[name], name)
            elif SAMPLED + name in own:
                shown[head] = "≈" + _number(own[SAMPLED + name], name)
            elif name == "select_score" and head in known.get(game, {}):
                shown[head] = known[game][head]
        if shown:
            found[game] = {head: shown[head] for head in COLUMNS.values() if head in shown}
    return found


@contextmanager
def live(reporter: Reporter, title: str, total: int) -> Iterator[Live]:
    """Show a run for the time of the block; call what is yielded with the steps just done and their row."""
    if reporter.quiet:
        yield lambda done, row=None: None
    elif sys.stderr.isatty():
        with _table(title, total) as shown:
            yield shown
    else:
        reporter.note(title)
        yield _Lines(reporter.note, title, total)


class _Lines:
    """Plain lines: every so many steps one, and one for the last."""

    def __init__(self, note: Callable[[str], None], title: str, total: int) -> None:
        self._note, self._title, self._total = note, title, total
        self._done = self._made = 0
        self._began = time.monotonic()
        self._shown: dict[str, dict[str, str]] = {}

    def __call__(self, done: int, row: Mapping[str, Any] | None = None) -> None:
        self._done += done
        if row is None:
            self._began = time.monotonic()
            return
        self._made += done
        self._shown = cells(row, self._shown)
        if self._done % math.ceil(self._total / LINES) and self._done != self._total:
            return
        per = (time.monotonic() - self._began) / max(self._made, 1)
        left = _duration(per * (self._total - self._done))
        for game, shown in self._shown.items():
            named = f"{self._title} {game}".rstrip()
            words = "  ".join(f"{head} {value}" for head, value in shown.items())
            self._note(f"{named} {self._done}/{self._total}: {words}  ({left} left)")


@contextmanager
def _table(title: str, total: int) -> Iterator[Live]:
    """Show a table of the last step above a bar with the time left."""
    from rich.console import Group, RenderableType
    from rich.progress import Progress
    from rich.table import Table
    from rich.text import Text

    shown: dict[str, dict[str, str]] = {}

    class Shown(Progress):
        """The bar, with the table above it."""

        def get_renderable(self) -> RenderableType:
            heads = [head for head in COLUMNS.values() if any(head in own for own in shown.values())]
            if not heads:
                return super().get_renderable()
            table = Table(box=None, pad_edge=False)
            several = any(shown)
            for head in ["game"] * several + heads:
                table.add_column(head, justify="left" if head == "game" else "right", no_wrap=True)
            for game, own in shown.items():
                first = [Text(game or "all")] * several
                table.add_row(*first, *(own.get(head, "") for head in heads))
            return Group(table, super().get_renderable())

    with bar_of(Shown) as bar:
        task = bar.add_task(title, total=total)

        def told(done: int, row: Mapping[str, Any] | None = None) -> None:
            if row is not None:
                found = cells(row, shown)
                shown.clear()
                shown.update(found)
            bar.update(task, advance=done)

        yield told


def _by_game(row: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for key, value in row.items():
        game, _, name = key.rpartition("/")
        if isinstance(value, int | float) and not isinstance(value, bool):
            found.setdefault(game, {})[name] = value
    return found


def _number(value: float, name: str) -> str:
    return f"{100 * value:.1f} %" if name == "invalid_rate" else f"{value:.3g}"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60
    if hours:
        return f"{hours} h {minutes % 60:02d} min"
    return f"{minutes} min {whole % 60:02d} s" if minutes else f"{whole} s"
