"""Strategies made of strategies: a mixture drawn once an episode, and slips of the hand.

Both are finite-memory strategies themselves, so that they can be played, valued exactly, replied to and
solved against like any other, and nested. A mixture over whole strategies is not the strategy that mixes
anew at every decision (H. W. Kuhn, *Extensive games and the problem of information*, 1953): what it did
before tells which component it is. Slips are the trembles of R. Selten, *Reexamination of the perfectness
concept*, Int. J. Game Theory 4 (1975).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.errors import RequestError
from equipoise.opponents.base import Classifier, Memory, Strategy
from equipoise.types import Action

__all__ = ["Mixture", "Noisy", "check_rate", "shares", "with_slips"]


class Mixture(Strategy):
    """One of several strategies, drawn once an episode; the memory is (component, its memory)."""

    def __init__(self, parts: Sequence[tuple[Strategy, float]], name: str | None = None) -> None:
        """Take the components with their probabilities.

        Args:
            parts: At least one strategy, each with its probability.
            name: Its name (default ``mixture:`` and the weighted components).

        Raises:
            RequestError: A probability is not positive, or they do not sum to 1 (within 1e-6).
        """
        self.parts = tuple(strategy for strategy, _ in parts)
        self.weights = shares([weight for _, weight in parts])
        terms = (f"{w:g}*{s.name}" for s, w in zip(self.parts, self.weights, strict=True))
        self.name = name or f"mixture:{'+'.join(terms)}"
        self.classifier = self._classify()
        self.source = "drawn once an episode among " + ", ".join(part.name for part in self.parts)

    def start(self) -> tuple[tuple[Memory, float], ...]:
        """Return every component's initial memories, tagged by the component."""
        return tuple(
            ((number, memory), weight * probability)
            for number, (part, weight) in enumerate(zip(self.parts, self.weights, strict=True))
            for memory, probability in part.start()
        )

    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        """Return the distribution of the component that was drawn."""
        number, inner = memory
        part: Strategy = self.parts[number]
        return part.probabilities(inner, observation, legal)

    def update(self, memory: Any, signal: Any) -> Memory:
        """Update the memory of the component that was drawn."""
        number, inner = memory
        return (number, self.parts[number].update(inner, signal))

    def _classify(self) -> Classifier:
        kinds = [part.classifier for part in self.parts]
        depths = [kind.memory_depth for kind in kinds]
        known = [depth for depth in depths if depth is not None]
        return Classifier(
            memory_depth=max(known) if len(known) == len(depths) else None,
            stochastic=len(self.parts) > 1 or kinds[0].stochastic,
            uses_horizon=any(kind.uses_horizon for kind in kinds),
            knows_private=any(kind.knows_private for kind in kinds),
        )


class Noisy(Strategy):
    """A strategy whose every action is replaced, with a fixed probability, by a uniformly drawn legal one.

    The draw may hit the action that was meant, so an action goes wrong with probability
    ``rate * (1 - 1/n)`` where it was certain among ``n``. The memory is the strategy's own: it learns what
    the game's signals tell, which is what was executed, and nothing of what it had meant to do.
    """

    def __init__(self, strategy: Strategy, rate: float, name: str | None = None) -> None:
        """Take the strategy, the probability of a slip, and its name (default ``noisy:RATE:NAME``).

        Raises:
            RequestError: ``rate`` is no probability.
        """
        self.strategy, self.rate = strategy, check_rate(rate)
        self.name = name or f"noisy:{rate:g}:{strategy.name}"
        kind = strategy.classifier
        self.classifier = Classifier(
            memory_depth=kind.memory_depth if rate < 1.0 else 0,
            stochastic=kind.stochastic or rate > 0.0,
            uses_horizon=kind.uses_horizon and rate < 1.0,
            knows_private=kind.knows_private and rate < 1.0,
        )
        self.source = f"{strategy.name} with slips of probability {rate:g}"

    def start(self) -> tuple[tuple[Memory, float], ...]:
        """Return the strategy's own initial memories."""
        return self.strategy.start()

    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        """Return the strategy's distribution mixed with the uniform one."""
        return with_slips(self.strategy.probabilities(memory, observation, legal), legal, self.rate)

    def update(self, memory: Any, signal: Any) -> Memory:
        """Update the strategy's own memory by what happened."""
        updated: Memory = self.strategy.update(memory, signal)
        return updated


def with_slips(given: Mapping[Action, float], legal: Sequence[Action], rate: float) -> Mapping[Action, float]:
    """Return ``(1 - rate) * given + rate * uniform``; the distribution itself where there are no slips."""
    if rate == 0.0:
        return given
    uniform = rate / len(legal)
    return {action: (1.0 - rate) * given.get(action, 0.0) + uniform for action in legal}


def check_rate(rate: float) -> float:
    """Return the probability of a slip.

    Raises:
        RequestError: It is no probability.
    """
    if not 0.0 <= rate <= 1.0:
        raise RequestError(f"noise {rate!r} is no probability: choose one from 0 to 1")
    return rate


def shares(weights: Sequence[float]) -> tuple[float, ...]:
    """Return the weights of a mixture, scaled to sum to 1 exactly.

    Raises:
        RequestError: There are none, one is not positive, or they do not sum to 1 (within 1e-6).
    """
    for weight in weights:
        if not 0.0 < weight <= 1.0 + 1e-6:
            raise RequestError(f"weight {weight:g} of a mixture: weights are positive and sum to 1")
    total = math.fsum(weights)
    if abs(total - 1.0) > 1e-6:
        raise RequestError(f"the weights of a mixture sum to {total:g}, not 1: leave them out for equal ones")
    return tuple(weight / total for weight in weights)
