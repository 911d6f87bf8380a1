"""Whether a strategy is what its classifier says, by asking it everywhere.

A *bench* is a list of histories (signals of past rounds) and of views; a strategy's behaviour is what it
answers to each view after each history.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from equipoise.opponents.base import Strategy
from equipoise.types import Action
from tests.helpers import memory_after

Answer = tuple[float, ...]


@dataclass(frozen=True)
class Bench:
    """What strategies of one game are asked.

    Attributes:
        view: Builds a view from a round and a key for what is private to the seat.
        private: The keys; one key where nothing is private.
        histories: Histories, each with all of its suffixes' lengths present.
        legal: The legal actions.
        rounds: Rounds of an episode.
    """

    view: Callable[[int, Any], Any]
    private: Sequence[Any]
    histories: Sequence[tuple[Any, ...]]
    legal: tuple[Action, ...]
    rounds: int

    def answer(self, strategy: Strategy, history: tuple[Any, ...], round_: int, key: Any) -> Answer:
        """Return the distribution over the legal actions."""
        memory = memory_after(strategy, history)
        given = strategy.probabilities(memory, self.view(round_, key), self.legal)
        assert set(given) <= set(self.legal)
        assert all(probability >= 0.0 for probability in given.values())
        assert sum(given.values()) == pytest.approx(1.0, abs=1e-12)
        return tuple(given.get(action, 0.0) for action in self.legal)

    def behaviour(self, strategy: Strategy) -> dict[tuple[Any, ...], Answer]:
        """Return all answers by (history, round, key)."""
        return {
            (history, round_, key): self.answer(strategy, history, round_, key)
            for history in self.histories
            for round_ in range(self.rounds)
            for key in self.private
        }

    def depends_on(self, strategy: Strategy, kept: Callable[[Any, int, Any], Any]) -> bool:
        """Tell whether answers differ where ``kept`` of (history, round, key) does not."""
        found: dict[Any, set[Answer]] = {}
        for (history, round_, key), answer in self.behaviour(strategy).items():
            found.setdefault(kept(history, round_, key), set()).add(answer)
        return any(len(answers) > 1 for answers in found.values())


def check_classifier(bench: Bench, strategy: Strategy) -> None:
    """Check every flag of the classifier, both ways."""
    kind = strategy.classifier
    drawn = any(0.0 < p < 1.0 for answer in bench.behaviour(strategy).values() for p in answer)
    assert kind.stochastic == (drawn or len(strategy.start()) > 1)
    assert kind.uses_horizon == bench.depends_on(strategy, lambda h, r, k: (h, k))
    assert kind.knows_private == bench.depends_on(strategy, lambda h, r, k: (h, r))

    def recent(depth: int) -> Callable[[Any, int, Any], Any]:
        # The opening is no history: only histories at least as long as the depth are compared.
        return lambda h, r, k: (h[len(h) - depth :] if len(h) >= depth else (h, "short"), r, k)

    assert kind.memory_depth is not None
    assert not bench.depends_on(strategy, recent(kind.memory_depth))
    if kind.memory_depth > 0:
        assert bench.depends_on(strategy, recent(kind.memory_depth - 1))


def check_source(strategy: Strategy) -> None:
    """Check that a strategy says where it comes from and starts from one memory."""
    assert strategy.source
    ((memory, probability),) = strategy.start()
    assert probability == 1.0
    hash(memory)
