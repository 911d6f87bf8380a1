"""The figure of a credit study: how much of the exact gradient each estimator finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from equipoise.report.figures import can_draw, panels, save
from equipoise.training.study_result import CreditStudy
from equipoise.types import Estimate

__all__ = ["draw_credit"]

COLUMNS = {
    "projection": "projection on the exact gradient",
    "exploit_projection": "… of its exploit component",
}
COLOURS = ("#1b6ca8", "#c2571a", "#4c8c4a", "#7b5aa6")
NOT_APPLICABLE = "n/a"


def draw_credit(study: CreditStudy, folder: Path) -> list[Path]:
    """Draw projections with their intervals, a row a game, and write ``credit.svg`` and ``credit.png``.

    Returns:
        The files; none where matplotlib is not installed.
    """
    if not can_draw():
        return []
    games = list(study.settings)
    tallest = max(sum(row.game == game for row in study.rows) for game in games)
    with panels(len(games), len(COLUMNS), (8.0, 0.9 + len(games) * (0.6 + 0.3 * tallest))) as (figure, axes):
        for game, line in zip(games, axes, strict=True):
            for measure, axis in zip(COLUMNS, line, strict=True):
                _panel(axis, study, game, measure)
        return save(figure, folder, "credit")


def _panel(axis: Any, study: CreditStudy, game: str, measure: str) -> None:
    rows = [row for row in study.rows if row.game == game]
    first = measure == next(iter(COLUMNS))
    for mark, style in ((0.0, ":"), (1.0, "--")):
        axis.axvline(mark, color="#777777", linewidth=0.8, linestyle=style, zorder=0)
    for place, row in enumerate(rows):
        colour = COLOURS[place % len(COLOURS)]
        found = getattr(row, measure)
        if found is None:
            axis.text(0.5, place, NOT_APPLICABLE, ha="center", va="center", color=colour)
        else:
            _interval(axis, found, place, colour)
    axis.set_yticks(range(len(rows)), [row.credit for row in rows] if first else [""] * len(rows))
    axis.set_ylim(len(rows) - 0.5, -0.5)
    batches = f"{game}: {rows[0].samples} batches" if first else ""
    axis.set_title(batches, loc="left", fontsize=9.0)
    axis.set_xlabel(f"{COLUMNS[measure]} (1: unbiased)" if first else COLUMNS[measure])


def _interval(axis: Any, found: Estimate, place: int, colour: str) -> None:
    axis.plot(found.value, place, "o", color=colour, markersize=4.0)
    if found.low is not None and found.high is not None:
        axis.plot((found.low, found.high), (place, place), color=colour, linewidth=1.6)
        for end in (found.low, found.high):
            axis.plot((end, end), (place - 0.12, place + 0.12), color=colour, linewidth=1.6)
