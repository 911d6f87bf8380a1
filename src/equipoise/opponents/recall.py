"""Strategies with perfect recall: the memory is the whole history, so any behaviour fits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping
from typing import Any

from equipoise.opponents.base import Classifier, Memory, Strategy
from equipoise.types import Action

__all__ = ["RecallStrategy", "TableStrategy"]


class RecallStrategy(Strategy):
    """A strategy that remembers every signal; subclasses map information states to distributions."""

    classifier = Classifier(memory_depth=None, stochastic=True, uses_horizon=True, knows_private=True)
    source = "a policy with perfect recall"

    def start(self) -> tuple[tuple[Memory, float], ...]:
        """Return the empty history."""
        return (((), 1.0),)

    def update(self, memory: Any, signal: Any) -> Memory:
        """Append the signal."""
        return (*memory, signal)

    @abstractmethod
    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        """Return the distribution at the information state (observation, memory)."""


class TableStrategy(RecallStrategy):
    """A perfect-recall strategy given as a table; uniform where the table is silent.

    Silent states are those the table's owner never reaches, so what is played there changes no value of
    the owner's own episodes.
    """

    def __init__(
        self, name: str, table: Mapping[tuple[Hashable, tuple[Hashable, ...]], Mapping[Action, float]]
    ) -> None:
        """Take a table from (observation, history) to distributions."""
        self.name = name
        self.table = table

    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        """Return the table's row."""
        row = self.table.get((observation, memory))
        return row if row is not None else dict.fromkeys(legal, 1.0 / len(legal))
