"""All reference pages, by the place they belong to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError
from equipoise.files import write_json, write_text
from equipoise.games.registry import game_names, make_game
from equipoise.progress import Reporter
from equipoise.testing.reference.game_page import game_page
from equipoise.testing.reference.metrics_page import metrics_page
from equipoise.testing.reference.values import SLOW, slow_values, status_of, values_of

__all__ = ["pages", "read_kept", "write_pages"]

KEPT, STATUS = "values.json", "status"


def pages(folder: Path) -> dict[Path, str]:
    """Return the text of every page by its place in the folder, with the slow numbers kept there.

    Raises:
        RequestError: The slow numbers are missing, or those of other rules.
    """
    kept = read_kept(folder)
    games = [make_game(name) for name in game_names()]
    values = {game.name: values_of(game, kept) for game in games}
    found = {Path("games") / f"{game.name}.md": game_page(game, values[game.name]) for game in games}
    statuses = {name: {key: (a, b) for key, (a, b) in v["status"].items()} for name, v in values.items()}
    return {**found, Path("metrics.md"): metrics_page(statuses)}


def write_pages(folder: Path, slow: Sequence[str], reporter: Reporter) -> None:
    """Write all pages.

    Args:
        folder: Where they go.
        slow: Games whose slow numbers are computed anew, or ``status``: of all slow games, how metrics come
            about. The rest is kept.
        reporter: Shows progress.

    Raises:
        RequestError: A game named is not a slow one, or slow numbers are missing.
    """
    kept = read_kept(folder)
    for name in slow:
        if name not in (*SLOW, STATUS):
            known = ", ".join((*SLOW, STATUS))
            raise RequestError(f"{name!r} has no slow numbers: choose among {known}, all")
    todo = [(name, False) for name in slow if name != STATUS]
    todo += [(name, True) for name in SLOW if STATUS in slow]
    with reporter.task("slow numbers", len(todo)) as advance:
        for name, alone in todo:
            game = make_game(name)
            kept[name] = {**kept[name], "status": status_of(game)} if alone else slow_values(game)
            write_json(folder / KEPT, kept)
            advance(1)
    reporter.note("pages")
    for place, text in pages(folder).items():
        write_text(folder / place, text)


def read_kept(folder: Path) -> dict[str, Any]:
    """Return the slow numbers kept in a folder."""
    path = folder / KEPT
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return kept
