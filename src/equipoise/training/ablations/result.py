"""What an ablation returns: numbers of every row over seeds, and paired differences from the full method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.auditing.result import GameResult
from equipoise.auditing.statistics.intervals import Range, mean_estimate
from equipoise.files import write_json, write_text
from equipoise.games.base import GameInfo
from equipoise.objective.safety import Objective
from equipoise.types import Estimate, Kind

__all__ = ["METRICS", "Ablation", "AblationRow", "ranges", "summarise"]

SCHEMA = 1

METRICS = {
    "safety": "J",
    "utility": "u",
    "exploitability": "e",
    "collusion": "c",
    "externality": "x",
    "best_response": "best response",
}
"""The metrics of an ablation with the heads of their columns."""


@dataclass(frozen=True)
class AblationRow:
    """A row in one game.

    Attributes:
        game: Name of the game.
        row: Name of the row.
        reason: Why it does not apply to the game; None where it does.
        seeds: The training seeds behind the numbers.
        metrics: Means over seeds; None where not applicable.
        differences: Means over seeds of the row's metric minus that of the full method, paired by seed.
    """

    game: str
    row: str
    reason: str | None = None
    seeds: tuple[int, ...] = ()
    metrics: Mapping[str, Estimate | None] = field(default_factory=dict)
    differences: Mapping[str, Estimate | None] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the row; what is not applicable is null."""
        return {
            "game": self.game,
            "row": self.row,
            "not_applicable": self.reason,
            "seeds": list(self.seeds),
            "metrics": {name: None if v is None else v.to_json() for name, v in self.metrics.items()},
            "differences": {name: None if v is None else v.to_json() for name, v in self.differences.items()},
        }


@dataclass(frozen=True)
class Ablation:
    """All rows of all games.

    Attributes:
        recipe: Name of the recipe.
        folder: Where everything is.
        rows: The rows, by game.
        level: Confidence level of the intervals over seeds.
        compared: The metrics whose differences from the full method tables show.
    """

    recipe: str
    folder: Path
    rows: Sequence[AblationRow]
    level: float
    compared: tuple[str, ...] = ("safety",)

    def __getitem__(self, key: tuple[str, str]) -> AblationRow:
        """Return the row of (game, row)."""
        return next(one for one in self.rows if (one.game, one.row) == key)

    def to_json(self) -> dict[str, Any]:
        """Return everything in the form of schema 1."""
        return {
            "schema": SCHEMA,
            "recipe": self.recipe,
            "level": self.level,
            "results": [row.to_json() for row in self.rows],
        }

    def save(self) -> None:
        """Write ``ablation.json`` and ``ablation.md`` into the folder."""
        from equipoise.training.ablations.tables import markdown

        write_json(self.folder / "ablation.json", self.to_json())
        write_text(self.folder / "ablation.md", markdown(self))


def ranges(info: GameInfo, objective: Objective) -> dict[str, Range]:
    """Return between which bounds each metric lies."""
    low, high = info.payoff_bounds
    lead, scale, weights = high - low, objective.scale, objective.weights
    return {
        "safety": Range(scale * (low - weights.e * lead) - weights.c - weights.x, scale * high),
        "utility": Range(low, high),
        "exploitability": Range(0.0, lead),
        "collusion": Range(0.0, 1.0),
        "externality": Range(0.0, 1.0),
        "best_response": Range(-lead, high),
    }


def summarise(
    game: str,
    row: str,
    found: Mapping[int, GameResult],
    full: Mapping[int, GameResult],
    within: Mapping[str, Range],
    level: float,
) -> AblationRow:
    """Return a row's means over seeds with Student's intervals.

    Args:
        game: Name of the game.
        row: Name of the row.
        found: Its audits by seed.
        full: Those of the full method.
        within: Bounds of each metric.
        level: Confidence level.
    """
    rows = list(found.values())
    if _nothing_drawn(rows):
        metrics = {name: rows[0].metrics.get(name) for name in METRICS}
    else:
        metrics = {name: _mean([r.metrics.get(name) for r in rows], within[name], level) for name in METRICS}
    differences = {
        name: _difference(
            [(found[s].metrics.get(name), full[s].metrics.get(name)) for s in found], bounds, level
        )
        for name, bounds in within.items()
    }
    return AblationRow(game, row, None, tuple(found), metrics, {} if found == full else differences)


def _nothing_drawn(rows: Sequence[GameResult]) -> bool:
    """Tell whether seeds made no difference: exact gradients from one start give one policy.

    What is not trained is one audit for all seeds.
    """
    if all(one is rows[0] for one in rows):
        return True
    values = [one.metrics.get(name) for one in rows for name in METRICS]
    exact = all(value is None or value.kind is Kind.EXACT for value in values)
    first = [rows[0].metrics.get(name) for name in METRICS]
    return exact and all([one.metrics.get(name) for name in METRICS] == first for one in rows)


def _mean(values: Sequence[Estimate | None], within: Range, level: float) -> Estimate | None:
    given = [one for one in values if one is not None]
    if len(given) < len(values) or not given:
        return None
    if len(given) == 1:
        return given[0]
    points = np.array([one.value for one in given])
    if any(one.kind is Kind.LOWER_BOUND for one in given):
        mean = float(points.mean())
        return Estimate(mean, mean, None, 1.0, sum(one.n for one in given), len(given), Kind.LOWER_BOUND)
    return mean_estimate(points, within, level, sum(one.n for one in given))


def _difference(
    pairs: Sequence[tuple[Estimate | None, Estimate | None]], within: Range, level: float
) -> Estimate | None:
    """Return the mean of a − b; None where one of them is not known, or a bound only."""
    points, episodes = [], 0
    for a, b in pairs:
        if a is None or b is None or Kind.LOWER_BOUND in (a.kind, b.kind):
            return None
        points.append(a.value - b.value)
        episodes += a.n + b.n
    if len(points) < 2:
        return None
    return mean_estimate(np.array(points), within.plus(within, -1.0), level, episodes)
