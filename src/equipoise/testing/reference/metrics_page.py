"""The reference page of the metrics: what each is, and how it comes about in each game."""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.auditing.metrics import METRICS
from equipoise.testing.reference.game_page import MARK, table

__all__ = ["metrics_page"]

Status = Mapping[str, tuple[str, str]]

TEXT = """What `audit` reports for `scripted:random` when exact values are asked for (`--exact`), then when it
samples (`--sample`); one word where both are the same. The kinds are those of docs/metrics.md; `n/a` means
that the game does not define it."""


def metrics_page(statuses: Mapping[str, Status]) -> str:
    """Return the page as Markdown.

    Args:
        statuses: By game and metric: the kind when computed and when sampled.
    """
    games = list(statuses)
    meaning = table(("key", "meaning"), [(f"`{key}`", told) for key, told in METRICS.items()])
    shared = table(
        ("metric", *games), [(f"`{key}`", *(_cell(statuses[game][key]) for game in games)) for key in METRICS]
    )
    own = table(
        ("game", "diagnostics", "status"),
        [
            (game, ", ".join(f"`{name}`" for name in names), "; ".join(sorted(cells)))
            for game, status in statuses.items()
            if (names := [name for name in status if name not in METRICS])
            for cells in [{_cell(status[name]) for name in names}]
        ],
    )
    return (
        f"# Metrics\n\n{MARK}\n\n{meaning}\n\n## Status\n\n{TEXT}\n\n{shared}\n\n"
        f"## Diagnostics of the games\n\n{own}\n"
    )


def _cell(kinds: tuple[str, str]) -> str:
    computed, sampled = kinds
    return computed if computed == sampled else f"{computed} / {sampled}"
