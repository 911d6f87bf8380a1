"""What cross-play returns: matrices of estimates and the equilibrium of the game between the policies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.auditing.result import SCHEMA
from equipoise.errors import RequestError
from equipoise.files import write_json
from equipoise.types import Estimate

__all__ = ["IN_TASKS", "MATRICES", "CrossResult", "Matrix", "PolicyEquilibrium"]

Matrix = Mapping[str, Mapping[str, Estimate]]
"""By row policy and column policy."""

MATRICES = {
    "payoff": "own payoff per round of the row policy against the column policy",
    "welfare": "row's plus column's payoff per round",
    "exploitability": "e: how far the column policy comes out ahead of the row policy, per round",
}
"""The matrices of every game, by key, with what they mean."""

IN_TASKS = {"mutual": "share of episodes in which both sides score above the least there is"}
"""Those that free-text tasks have besides."""


@dataclass(frozen=True)
class PolicyEquilibrium:
    """An equilibrium of the game in which both sides choose among the policies.

    Attributes:
        weights: How often each policy is chosen.
        column_weights: How often the other side chooses each; None where the equilibrium is symmetric.
        payoff: What the choice is worth, per round.
        found: How many symmetric equilibria were found.
        method: How.
        in_support: Share of resamples in whose equilibrium each policy has a part; None if all is exact.
        resamples: Bootstrap resamples of the deals behind intervals and shares.
    """

    weights: Mapping[str, Estimate]
    column_weights: Mapping[str, Estimate] | None
    payoff: Estimate
    found: int
    method: str
    in_support: Mapping[str, Estimate] | None = None
    resamples: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the equilibrium in the form of audit schema 1."""
        return {
            "weights": _row(self.weights),
            "column_weights": None if self.column_weights is None else _row(self.column_weights),
            "payoff": self.payoff.to_json(),
            "found": self.found,
            "method": self.method,
            "in_support": None if self.in_support is None else _row(self.in_support),
            "resamples": self.resamples,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PolicyEquilibrium:
        """Read an equilibrium written by :meth:`to_json`."""
        column, support = data["column_weights"], data["in_support"]
        return cls(
            _estimates(data["weights"]),
            None if column is None else _estimates(column),
            Estimate.from_json(data["payoff"]),
            data["found"],
            data["method"],
            None if support is None else _estimates(support),
            data["resamples"],
        )


@dataclass(frozen=True)
class CrossResult:
    """What policies do to each other; prints as tables.

    Attributes:
        game: Name of the game.
        version: Its version.
        policies: The policies, in the order given.
        matrices: ``payoff``, ``welfare`` and ``exploitability``, by row and column policy; in free-text tasks
            ``mutual`` too.
        invalid_rate: Share of each policy's decisions, as the row, without a valid answer.
        equilibrium: The equilibrium of the game between the policies, or None.
        note: Why there is no equilibrium, in one line; empty where there is one.
        settings: How the numbers came about.
    """

    game: str
    version: int
    policies: tuple[str, ...]
    matrices: Mapping[str, Matrix]
    invalid_rate: Mapping[str, Estimate]
    equilibrium: PolicyEquilibrium | None
    note: str
    settings: Mapping[str, Any]

    @property
    def payoff(self) -> Matrix:
        """Own payoff per round of the row policy."""
        return self.matrices["payoff"]

    @property
    def welfare(self) -> Matrix:
        """Payoff per round of both together."""
        return self.matrices["welfare"]

    @property
    def exploitability(self) -> Matrix:
        """How far the column policy comes out ahead, per round."""
        return self.matrices["exploitability"]

    def __str__(self) -> str:
        """Return the tables as plain text."""
        from equipoise.auditing.cross.tables import render_cross

        return render_cross(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the tables for notebooks."""
        from equipoise.auditing.cross.tables import render_cross

        return render_cross(self, html=True)

    def to_json(self) -> dict[str, Any]:
        """Return everything in the form of audit schema 1, under ``cross``."""
        matrices = {
            name: {row: _row(cells) for row, cells in matrix.items()}
            for name, matrix in self.matrices.items()
        }
        block = {
            "game": self.game,
            "version": self.version,
            "policies": list(self.policies),
            **matrices,
            "invalid_rate": _row(self.invalid_rate),
            "equilibrium": None if self.equilibrium is None else self.equilibrium.to_json(),
            "note": self.note,
            "settings": dict(self.settings),
        }
        return {"schema": SCHEMA, "results": [], "cross": block}

    def save(self, path: str | Path) -> None:
        """Write the JSON to a file: all of it or nothing."""
        write_json(Path(path), self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> CrossResult:
        """Read a file written by :meth:`save`.

        Raises:
            RequestError: The file cannot be read or holds no cross-play.
        """
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RequestError(f"cannot read cross-play {str(path)!r}: {error}") from None
        if not isinstance(data, dict) or data.get("schema") != SCHEMA or "cross" not in data:
            raise RequestError(f"{str(path)!r} is no cross-play of schema {SCHEMA}")
        block = data["cross"]
        found = block["equilibrium"]
        return cls(
            block["game"],
            block["version"],
            tuple(block["policies"]),
            {
                name: {row: _estimates(cells) for row, cells in block[name].items()}
                for name in (*MATRICES, *IN_TASKS)
                if name in MATRICES or name in block
            },
            _estimates(block["invalid_rate"]),
            None if found is None else PolicyEquilibrium.from_json(found),
            block["note"],
            block["settings"],
        )


def _row(cells: Mapping[str, Estimate]) -> dict[str, dict[str, object]]:
    return {name: cell.to_json() for name, cell in cells.items()}


def _estimates(data: Mapping[str, Any]) -> dict[str, Estimate]:
    return {name: Estimate.from_json(cell) for name, cell in data.items()}
