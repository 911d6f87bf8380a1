"""Strategies in finite-memory form.

A strategy is an initial memory (possibly drawn once an episode), a distribution over actions given memory
and what is seen now, and an update of the memory by what is learned when a round ends. In this form one
and the same object can be played, sampled, valued exactly, replied to and solved against.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.types import Action

__all__ = ["Classifier", "MemoryOne", "Strategy", "Uniform", "certain"]

Memory = Hashable


@dataclass(frozen=True, slots=True)
class Classifier:
    """What kind of strategy it is, for choosing and describing pools.

    Attributes:
        memory_depth: Past rounds that can matter; None if unbounded.
        stochastic: Whether its actions are drawn.
        uses_horizon: Whether it acts on the round's number or the number of rounds.
        knows_private: Whether it uses private information of its own (card, value).
    """

    memory_depth: int | None
    stochastic: bool = False
    uses_horizon: bool = False
    knows_private: bool = False


class Strategy(ABC):
    """A behaviour in finite-memory form. Instances are stateless and may be shared.

    Attributes:
        name: Its name in pools and reports.
        classifier: What kind of strategy it is.
        source: Where it comes from.
    """

    name: str
    classifier: Classifier
    source: str

    def start(self) -> tuple[tuple[Memory, float], ...]:
        """Return the initial memories with their probabilities; one is drawn an episode."""
        return ((None, 1.0),)

    @abstractmethod
    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        """Return the distribution over legal actions; actions left out have probability 0."""

    def update(self, memory: Any, signal: Any) -> Any:
        """Return the memory after a round in which ``signal`` was learned."""
        return memory


def certain(action: Action) -> Mapping[Action, float]:
    """Return the distribution that always plays ``action``."""
    return {action: 1.0}


class Uniform(Strategy):
    """Uniform over the legal actions; every game has it under the name ``random``."""

    name = "random"
    classifier = Classifier(memory_depth=0, stochastic=True)
    source = "the uninformed baseline"

    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        """Return the uniform distribution."""
        return dict.fromkeys(legal, 1.0 / len(legal))


@dataclass(frozen=True)
class MemoryOne(Strategy):
    """A strategy given by two functions; covers everything whose memory is one hashable value.

    Attributes:
        name: Its name.
        classifier: What kind of strategy it is.
        source: Where it comes from.
        first: Initial memory.
        act: Maps (memory, observation) to a distribution.
        learn: Maps (memory, signal) to the next memory; None keeps it.
    """

    name: str
    classifier: Classifier
    source: str
    act: Callable[[Any, Any], Mapping[Action, float]]
    first: Memory = None
    learn: Callable[[Any, Any], Memory] | None = None

    def start(self) -> tuple[tuple[Memory, float], ...]:
        """Return the single initial memory."""
        return ((self.first, 1.0),)

    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        """Return the distribution the strategy's function gives."""
        return self.act(memory, observation)

    def update(self, memory: Any, signal: Any) -> Memory:
        """Return the next memory."""
        if self.learn is None:
            kept: Memory = memory
            return kept
        learned: Memory = self.learn(memory, signal)
        return learned
