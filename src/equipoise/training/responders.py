"""Opponents that answer the policy: one responder in force of each kind, and a league of past ones.

A *responder* is the strongest opponent of its kind against the current policy; within a step it is one more
fixed opponent. A policy that only ever meets the latest one may forget what the one before it taught: a
*league* keeps the last few distinct ones (O. Vinyals et al., *Grandmaster level in StarCraft II using
multi-agent reinforcement learning*, Nature 575, 2019; fictitious self-play).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from equipoise.auditing.exact.tree import Tree
from equipoise.games.base import Game
from equipoise.opponents.base import Strategy
from equipoise.opponents.recall import RecallStrategy, TableStrategy
from equipoise.types import Action

__all__ = ["LIBRARY", "LabelStrategy", "Responder", "ResponderLeague", "labelled", "rows_from_json"]

LIBRARY = "library_response"
"""Name of the strongest scripted strategy against the current policy among the exploiters."""

Rows = Mapping[str, Mapping[Action, float]]
"""A table by the game's own labels of information states."""


class LabelStrategy(RecallStrategy):
    """A table by label, as it is kept in a checkpoint; uniform where the table is silent."""

    def __init__(self, name: str, game: Game, rows: Rows) -> None:
        """Take the name, the game whose labels they are, and the table."""
        self.name, self.rows = name, dict(rows)
        self._game = game

    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        """Return the table's row."""
        row = self.rows.get(self._game.label(observation, memory))
        return row if row is not None else dict.fromkeys(legal, 1.0 / len(legal))


def labelled(strategy: Strategy, game: Game) -> Rows:
    """Return the table of a strategy that is one, by label."""
    if isinstance(strategy, LabelStrategy):
        return strategy.rows
    assert isinstance(strategy, TableStrategy)
    return {game.label(*key): dict(row) for key, row in strategy.table.items()}


@dataclass(frozen=True)
class Responder:
    """An exploiter that was the strongest of its kind at some step.

    Attributes:
        name: Its name among the exploiters.
        strategy: What it plays.
        step: The training step at which it became the strongest.
        scripted: Name of the scripted strategy that it is; empty for a best reply.
        trees: Its tables, one a seat; none where the game is too large for them.
    """

    name: str
    strategy: Strategy
    step: int
    scripted: str = ""
    trees: tuple[Tree, ...] = ()

    def plays_like(self, other: Responder, game: Game) -> bool:
        """Tell whether another responder is the same strategy."""
        if self.scripted or other.scripted:
            return self.scripted == other.scripted
        return labelled(self.strategy, game) == labelled(other.strategy, game)

    def retired(self) -> Responder:
        """Return it as a member of a league: under the name of its kind and step."""
        name = f"{self.name}@{self.step}"
        return replace(self, name=name, trees=tuple(replace(tree, opponents=(name,)) for tree in self.trees))

    def to_json(self, game: Game) -> dict[str, Any]:
        """Return what it is rebuilt from, apart from its tables."""
        found: dict[str, Any] = {"name": self.name, "step": self.step, "scripted": self.scripted}
        if not self.scripted:
            rows = labelled(self.strategy, game)
            found["table"] = {label: [[a, p] for a, p in row.items()] for label, row in rows.items()}
        return found


def rows_from_json(data: Mapping[str, Sequence[Sequence[Any]]]) -> Rows:
    """Read a table that :meth:`Responder.to_json` wrote."""
    return {
        label: {tuple(a) if isinstance(a, list) else a: float(p) for a, p in row}
        for label, row in data.items()
    }


class ResponderLeague:
    """The last few distinct responders that are not in force any more.

    Attributes:
        members: The members, the latest last.
    """

    def __init__(self, game: Game, size: int) -> None:
        """Take the stage game and how many members there may be; 0 keeps none."""
        self.members: list[Responder] = []
        self._game, self._size = game, size

    def retire(self, gone: Iterable[Responder], current: Sequence[Responder]) -> None:
        """Take in responders that are the strongest no longer.

        Whoever is in force again leaves the league, and whoever comes back to it comes back as the latest.

        Args:
            gone: The responders to take in.
            current: Those in force.
        """
        if not self._size:
            return
        for one in gone:
            self.members = [m for m in self.members if not m.plays_like(one, self._game)]
            self.members.append(one.retired())
        left = [m for m in self.members if not any(m.plays_like(c, self._game) for c in current)]
        self.members = left[-self._size :]
