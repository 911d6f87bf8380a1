"""Tables over the keys of a state abstraction, and reading any table from its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.errors import PolicyError
from equipoise.games.base import Game
from equipoise.opponents.base import Classifier, Strategy
from equipoise.policies.abstractions.base import Abstraction
from equipoise.policies.abstractions.registry import abstraction_of
from equipoise.policies.base import check_distribution
from equipoise.policies.tabular import TabularPolicy, read_table
from equipoise.types import Action, Decision, Probabilities

__all__ = ["AbstractPolicy", "load_table", "merged"]


class AbstractPolicy(TabularPolicy):
    """Looks up the distribution over columns at the key of each information state."""

    def __init__(
        self, game: str, abstraction: Abstraction, table: Mapping[str, Probabilities], name: str = "tabular"
    ) -> None:
        """Take the game's ``id@version``, the abstraction, and columns with probabilities by key."""
        self.abstraction = abstraction
        super().__init__(game, table, name)

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the distributions over legal actions.

        Raises:
            PolicyError: The table lacks a key, or a row is no distribution.
        """
        memory = self.abstraction.memory
        return [self.at(memory(d.history), d.observation, d.legal or ()) for d in decisions]

    def strategy(self, game: Game) -> Strategy:
        """Return the table as a finite-memory strategy.

        Raises:
            PolicyError: The table belongs to another game.
        """
        self.check(game)
        return _ByKey(self)

    def at(self, memory: Any, observation: Any, legal: tuple[Action, ...]) -> Probabilities:
        """Return the distribution over legal actions, given the abstraction's memory."""
        abstraction = self.abstraction
        key = abstraction.key(memory, observation)
        row = self.table.get(key)
        if row is None:
            raise PolicyError(f"{self.name} has no row for the key {key!r}")
        where = f"{self.name} at {key!r}"
        if abstraction.rules is None:
            return check_distribution(row, legal, where)
        checked = check_distribution(row, abstraction.columns, where)
        weights = [checked.get(column, 0.0) for column in abstraction.columns]
        return merged(abstraction.rules(memory, observation), weights)

    def _data(self) -> dict[str, Any]:
        data = super()._data()
        return {**data, "schema": 2, "abstraction": self.abstraction.name}


class _ByKey(Strategy):
    """A table over keys with the abstraction's memory."""

    source = "a table over the keys of a state abstraction"
    classifier = Classifier(memory_depth=None, stochastic=True, uses_horizon=True, knows_private=True)

    def __init__(self, policy: AbstractPolicy) -> None:
        self.name = policy.name
        self._policy, self._abstraction = policy, policy.abstraction

    def start(self) -> tuple[tuple[Any, float], ...]:
        return ((self._abstraction.first, 1.0),)

    def probabilities(self, memory: Any, observation: Any, legal: tuple[Action, ...]) -> Probabilities:
        return self._policy.at(memory, observation, legal)

    def update(self, memory: Any, signal: Any) -> Any:
        return self._abstraction.update(memory, signal)


def merged(actions: Sequence[Action], weights: Sequence[float]) -> Probabilities:
    """Add up the weights of columns that name the same action."""
    found: dict[Action, float] = {}
    for action, weight in zip(actions, weights, strict=True):
        found[action] = found.get(action, 0.0) + weight
    return found


def load_table(path: Path, game: Game) -> TabularPolicy:
    """Read a table of either kind, for a game.

    Raises:
        RequestError: The file cannot be read, holds no table, or one for another game or abstraction.
    """
    data = read_table(path)
    if "abstraction" not in data:
        return TabularPolicy.load(path)
    stage, name = game.stage(), f"tabular:{path}"
    if data["game"] != stage.info_record.key:
        raise PolicyError(f"{name} is a table for {data['game']}, not for {stage.info_record.key}")
    return AbstractPolicy(data["game"], abstraction_of(stage, str(data["abstraction"])), data["table"], name)
