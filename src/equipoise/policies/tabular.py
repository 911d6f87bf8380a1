"""Policies given as a table: information-state labels to action probabilities, kept as JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.errors import PolicyError, RequestError
from equipoise.files import write_text
from equipoise.games.base import Game
from equipoise.opponents.base import Strategy
from equipoise.opponents.recall import RecallStrategy
from equipoise.policies.base import Policy, check_distribution, draw
from equipoise.types import Action, Choice, Decision, Probabilities

__all__ = ["TabularPolicy", "read_table"]

FORMAT = "equipoise.tabular"
SCHEMAS = (1, 2)
"""Schema 2 adds ``elsewhere`` and ``abstraction``; tables without them are written in schema 1."""
UNIFORM = "uniform"


class TabularPolicy(Policy):
    """Looks up the distribution of each information state by the game's own label.

    Attributes:
        game: The game's ``id@version``.
        table: Distributions by label.
        silent: Whether labels without a row are played uniformly, as where no opponent of the training leads;
            otherwise they are an error.
    """

    exact_states = 100_000
    always_legal = True

    def __init__(
        self, game: str, table: Mapping[str, Probabilities], name: str = "tabular", silent: bool = False
    ) -> None:
        """Take the game's ``id@version``, the table by label, and whether others are played uniformly."""
        self.name = name
        self.game, self.silent = game, silent
        self.table = {label: dict(row) for label, row in table.items()}
        self.fingerprint = hashlib.sha256(self._dump().encode()).hexdigest()[:16]

    @classmethod
    def load(cls, path: Path) -> TabularPolicy:
        """Read a table by information states.

        Raises:
            RequestError: The file cannot be read or holds no such table.
        """
        data = read_table(path)
        if "abstraction" in data:
            raise RequestError(f"{str(path)!r} is a table by abstraction: load it with load_table")
        silent = data.get("elsewhere") == UNIFORM
        return cls(data["game"], data["table"], f"tabular:{path}", silent)

    def save(self, path: Path) -> None:
        """Write the table."""
        write_text(path, self._dump())

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Draw an action at every decision."""
        rows = self.probabilities(decisions)
        return [Choice(draw(row, d), probabilities=row) for row, d in zip(rows, decisions, strict=True)]

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the table's rows.

        Raises:
            PolicyError: The table lacks an information state, or a row is no distribution.
        """
        return [self._row(d.rules.label(d.observation, d.history), d.legal or ()) for d in decisions]

    def strategy(self, game: Game) -> Strategy:
        """Return the table as a perfect-recall strategy.

        Raises:
            PolicyError: The table belongs to another game.
        """
        self.check(game)
        return _TableByLabel(self, game)

    def check(self, game: Game) -> None:
        """Check that the table is for a game.

        Raises:
            PolicyError: It belongs to another one.
        """
        if game.info_record.key != self.game:
            raise PolicyError(f"{self.name} is a table for {self.game}, not for {game.info_record.key}")

    def _row(self, label: str, legal: Sequence[Action]) -> Probabilities:
        row = self.table.get(label)
        if row is None and self.silent:
            return dict.fromkeys(legal, 1.0 / len(legal))
        if row is None:
            raise PolicyError(f"{self.name} has no row for the information state {label!r}")
        return check_distribution(row, legal, f"{self.name} at {label!r}")

    def _dump(self) -> str:
        return json.dumps(self._data(), indent=1)

    def _data(self) -> dict[str, Any]:
        rows = {label: [[action, p] for action, p in row.items()] for label, row in self.table.items()}
        schema, more = (2, {"elsewhere": UNIFORM}) if self.silent else (1, {})
        return {"format": FORMAT, "schema": schema, "game": self.game, **more, "table": rows}


class _TableByLabel(RecallStrategy):
    def __init__(self, policy: TabularPolicy, game: Game) -> None:
        self.name = policy.name
        self._policy, self._game = policy, game

    def probabilities(self, memory: Any, observation: Any, legal: tuple[Action, ...]) -> Probabilities:
        return self._policy._row(self._game.label(observation, memory), legal)


def read_table(path: Path) -> dict[str, Any]:
    """Read the file of a table, of any schema, with actions as the rules know them.

    Raises:
        RequestError: The file cannot be read or holds no table.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"cannot read table {str(path)!r}: {error.strerror}") from None
    except ValueError:
        raise RequestError(f"table {str(path)!r} is no JSON") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise RequestError(f'{str(path)!r} is no policy table: it lacks "format": "{FORMAT}"')
    if data.get("schema") not in SCHEMAS:
        known = " and ".join(map(str, SCHEMAS))
        raise RequestError(
            f"{str(path)!r} has table schema {data.get('schema')!r}, this version reads {known}"
        )
    try:
        table = {label: {_action(a): p for a, p in row} for label, row in data["table"].items()}
        return {**data, "game": str(data["game"]), "table": table}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise RequestError(f"{str(path)!r} is a damaged policy table: write it anew") from None


def _action(value: Any) -> Action:
    return tuple(value) if isinstance(value, list) else value
