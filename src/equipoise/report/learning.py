"""What training logged: ``metrics.jsonl`` of every stage in a folder."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

__all__ = ["MEASURES", "Training", "find_training"]

MEASURES: Mapping[str, str] = {
    "utility": "u, own payoff a round",
    "exploitability": "e, lead of exploiters a round",
    "collusion": "c, collusion or predation",
    "externality": "x, cost on others",
    "safety": "J, safety",
    "score": "score of the coached actor",
    "kl": "KL to the reference",
    "entropy": "entropy",
    "invalid_rate": "share of invalid answers",
    "select_score": "selection score",
    "loss": "loss of the warm start",
}
"""What is drawn, in this order, under the heads of the panels."""

FILE = "metrics.jsonl"
PLACES = ("train", "*/train", "*/*/train")
"""Where stages keep it: in the folder of one, of a game, of a run."""


@dataclass(frozen=True)
class Training:
    """What one stage logged in one game.

    Attributes:
        game: Name of the game; ``joint`` for what belongs to none of a joint run's.
        run: Name of the stage.
        source: Name of the folder.
        series: By measure: (step, number) pairs.
    """

    game: str
    run: str
    source: str
    series: Mapping[str, tuple[tuple[float, float], ...]]


def find_training(folder: Path, source: str) -> list[Training]:
    """Return what every stage below a folder logged; broken lines are left out."""
    found = []
    for path in sorted(path for place in PLACES for path in folder.glob(f"{place}/{FILE}")):
        place = path.parent.relative_to(folder).parts
        run = place[-2] if len(place) > 1 else folder.name
        game = place[-3] if len(place) > 2 else (folder.parent.name if len(place) < 2 else folder.name)
        found += _trainings(path, game, run, source)
    return found


def _trainings(path: Path, game: str, run: str, source: str) -> list[Training]:
    """Return what a file holds, a training a game."""
    games: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for row in _rows(path):
        step = row.get("step")
        if not _is_number(step):
            continue
        for key, value in row.items():
            before, _, name = key.rpartition("/")
            if name in MEASURES and _is_number(value):
                series = games.setdefault(before or game, {})
                series.setdefault(name, []).append((float(step), float(value)))
    return [
        Training(name, run, source, {key: tuple(points) for key, points in series.items()})
        for name, series in games.items()
    ]


def _rows(path: Path) -> list[dict[str, Any]]:
    rows = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict):
                rows.append(row)
    return rows


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
