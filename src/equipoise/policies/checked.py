"""A user's strategy, checked as it plays: wrong answers are errors with a name, not numbers without one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from equipoise.errors import EquipoiseError, PolicyError
from equipoise.opponents.base import Memory, Strategy
from equipoise.policies.base import check_distribution
from equipoise.types import Action

__all__ = ["CheckedStrategy"]

T = TypeVar("T")


class CheckedStrategy(Strategy):
    """Plays a strategy of the user's own and checks all that it says."""

    def __init__(self, strategy: Strategy, name: str) -> None:
        """Take the strategy and the name that messages use.

        Raises:
            PolicyError: Its initial memories are no distribution.
        """
        self._strategy, self._owner = strategy, f"strategy {name!r}"
        self.name = getattr(strategy, "name", name)
        self.classifier = strategy.classifier
        self.source = getattr(strategy, "source", name)
        self._start = self._ask(strategy.start)
        weights = [weight for _, weight in self._start]
        if not weights or min(weights) < 0.0 or not abs(math.fsum(weights) - 1.0) <= 1e-6:
            raise PolicyError(f"{self._owner}: the weights of start() are {weights}, they must sum to 1")
        for memory, _ in self._start:
            self._hashable(memory)

    def start(self) -> tuple[tuple[Memory, float], ...]:
        """Return the strategy's initial memories."""
        return self._start

    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        """Return the strategy's distribution.

        Raises:
            PolicyError: It is none over legal actions, or the strategy raised.
        """
        answer = self._ask(lambda: self._strategy.probabilities(memory, observation, legal))
        if not isinstance(answer, Mapping):
            raise PolicyError(f"{self._owner} returned {answer!r}: return a mapping of probabilities")
        return check_distribution(answer, legal, self._owner)

    def update(self, memory: Any, signal: Any) -> Any:
        """Return the strategy's next memory.

        Raises:
            PolicyError: It cannot be hashed, or the strategy raised.
        """
        return self._hashable(self._ask(lambda: self._strategy.update(memory, signal)))

    def _hashable(self, memory: Any) -> Any:
        try:
            hash(memory)
        except TypeError:
            raise PolicyError(f"{self._owner}: memory {memory!r} cannot be hashed: use a tuple") from None
        return memory

    def _ask(self, question: Callable[[], T]) -> T:
        try:
            return question()
        except EquipoiseError:
            raise
        except (Exception, SystemExit) as error:
            message = " ".join(str(error).split())
            raise PolicyError(f"{self._owner} raised {type(error).__name__}: {message}") from error
