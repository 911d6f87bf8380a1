"""Ablations from disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError
from equipoise.training.ablations.result import AblationRow
from equipoise.types import Estimate

__all__ = ["AblationTable", "load_ablation"]


@dataclass(frozen=True)
class AblationTable:
    """A finished ablation, without its folders.

    Attributes:
        source: Name of the folder.
        recipe: Name of the recipe.
        level: Confidence level of the intervals over seeds.
        rows: Its rows, by game.
    """

    source: str
    recipe: str
    level: float
    rows: tuple[AblationRow, ...]

    @property
    def games(self) -> dict[str, list[AblationRow]]:
        """The rows by game, in order."""
        found: dict[str, list[AblationRow]] = {}
        for row in self.rows:
            found.setdefault(row.game, []).append(row)
        return found


def load_ablation(path: Path, source: str) -> AblationTable:
    """Read ``ablation.json``.

    Raises:
        RequestError: It cannot be read, or is no ablation.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = tuple(_row(row) for row in data["results"])
        return AblationTable(source, data["recipe"], data["level"], rows)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise RequestError(
            f"{str(path)!r} is no ablation: restore it or run `equipoise ablate` again"
        ) from None


def _row(data: Mapping[str, Any]) -> AblationRow:
    return AblationRow(
        data["game"],
        data["row"],
        data["not_applicable"],
        tuple(data["seeds"]),
        _estimates(data["metrics"]),
        _estimates(data["differences"]),
    )


def _estimates(data: Mapping[str, Any]) -> dict[str, Estimate | None]:
    return {name: None if value is None else Estimate.from_json(value) for name, value in data.items()}
