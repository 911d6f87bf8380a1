"""What a study of credit estimators returns."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from equipoise.auditing.tables import cell
from equipoise.files import write_json
from equipoise.types import Estimate

__all__ = ["MEASURES", "CreditRow", "CreditStudy"]

SCHEMA = 1

MEASURES = {
    "cosine": "cosine of the mean gradient with the exact one",
    "projection": "⟨ĝ, g⟩ / ‖g‖²: 1 for an unbiased estimator",
    "exploit_projection": "the same of the gradient's exploitability component",
    "variance_ratio": "variance of a batch's gradient over that of per_pool, at equally many questions",
}
"""Every measure's key with what it means."""


@dataclass(frozen=True)
class CreditRow:
    """One estimator in one game.

    Attributes:
        game: Name of the game.
        credit: Name of the estimator.
        samples: Independent batches.
        cosine: Cosine of the mean gradient with the exact one.
        projection: ⟨ĝ, g⟩ / ‖g‖².
        exploit_projection: The same of the exploit component; None where its exact gradient is 0.
        variance_ratio: Variance of a batch's gradient relative to ``per_pool``.
    """

    game: str
    credit: str
    samples: int
    cosine: Estimate | None
    projection: Estimate | None
    exploit_projection: Estimate | None
    variance_ratio: Estimate | None

    def to_json(self) -> dict[str, Any]:
        """Return the row; what is not applicable is null."""
        found = {name: getattr(self, name) for name in MEASURES}
        return {
            "game": self.game,
            "credit": self.credit,
            "samples": self.samples,
            **{name: None if one is None else one.to_json() for name, one in found.items()},
        }


@dataclass(frozen=True)
class CreditStudy:
    """Rows of all games, and how they came about; prints as tables.

    Attributes:
        rows: One an estimator and game.
        settings: By game.
    """

    rows: Sequence[CreditRow]
    settings: Mapping[str, Mapping[str, Any]]

    def __getitem__(self, key: tuple[str, str]) -> CreditRow:
        """Return the row of (game, estimator)."""
        return next(row for row in self.rows if (row.game, row.credit) == key)

    def __add__(self, other: CreditStudy) -> CreditStudy:
        """Return both studies as one."""
        return CreditStudy([*self.rows, *other.rows], {**self.settings, **other.settings})

    def __str__(self) -> str:
        """Return the tables as plain text."""
        console = Console(file=io.StringIO(), width=120, record=True, force_terminal=False)
        console.print(*self.tables(), sep="\n")
        return console.export_text()

    __repr__ = __str__

    def tables(self) -> list[Table]:
        """Return a table a game, a row an estimator."""
        return [_table(game, self.settings[game], self.rows) for game in self.settings]

    def to_json(self) -> dict[str, Any]:
        """Return the study in the form of schema 1."""
        return {
            "schema": SCHEMA,
            "results": [row.to_json() for row in self.rows],
            "settings": {game: dict(settings) for game, settings in self.settings.items()},
        }

    def save(self, path: Path) -> None:
        """Write the JSON to a file: all of it or nothing."""
        write_json(path, self.to_json())


def _table(game: str, settings: Mapping[str, Any], rows: Sequence[CreditRow]) -> Table:
    chosen = [row for row in rows if row.game == game]
    options = "".join(f", {key} = {value}" for key, value in settings["options"].items())
    title = (
        f"{game} (version {settings['version']}{options}): {chosen[0].samples} batches, "
        f"{settings['episodes']} episodes"
    )
    caption = (
        f"norm of the exact gradient: {settings['gradient_norm']:.4f}, "
        f"of its exploit component: {settings['exploit_norm']:.4f}"
    )
    table = Table(title=Text(title), title_justify="left", caption=caption, caption_justify="left")
    table.add_column("credit", no_wrap=True)
    for name in MEASURES:
        table.add_column(name, justify="right", overflow="fold")
    for row in chosen:
        table.add_row(Text(row.credit), *[cell(getattr(row, name)) for name in MEASURES])
    return table
