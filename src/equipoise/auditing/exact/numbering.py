"""Beliefs by number: equal ones, to ``DIGITS`` decimals, are one node."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

__all__ = ["Numbering"]

DIGITS = 12

P = TypeVar("P", bound=Hashable)


class Numbering(Generic[P]):
    """The beliefs met so far, each a distribution over hidden particles.

    Attributes:
        beliefs: The beliefs in order of their numbers, normalised.
    """

    def __init__(self) -> None:
        """Start without any."""
        self.beliefs: list[dict[P, float]] = []
        self._known: dict[Hashable, int] = {}

    def add(self, clouds: Iterable[dict[P, float]]) -> dict[int, float]:
        """Take clouds of weighted particles; return the weight of each belief's number."""
        weights: dict[int, float] = {}
        for cloud in clouds:
            total = sum(cloud.values())
            key = frozenset((particle, round(w / total, DIGITS)) for particle, w in cloud.items())
            number = self._known.get(key)
            if number is None:
                number = self._known[key] = len(self.beliefs)
                self.beliefs.append({particle: w / total for particle, w in cloud.items()})
            weights[number] = weights.get(number, 0.0) + total
        return weights
