"""Abstractions of the shared resource."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from equipoise.games.base import Game
from equipoise.games.commons import ACTIONS, CAPACITY, HIGH, Seen, View
from equipoise.policies.abstractions.base import Abstraction

__all__ = ["ABSTRACTIONS", "stock"]

LEFT = 4
"""Rounds left from which on they are not told apart."""


class _Memory(NamedTuple):
    """The other's last request, and whether the own one was HIGH."""

    high: bool
    other: str


def _learn(memory: _Memory | None, seen: Seen) -> _Memory:
    return _Memory(seen.own == HIGH, seen.other)


def _key(memory: _Memory | None, view: View) -> str:
    left = min(LEFT, view.rounds - view.round)
    return f"{view.stock}/{left} {_short(memory)}"


def _short(memory: _Memory | None) -> str:
    return "open" if memory is None else f"{memory.other[0]}{'+' if memory.high else ''}"


def stock(game: Game) -> Abstraction:
    """Keep the stock, the rounds left, the other's last request, and whether the own one was HIGH."""
    past = [_short(None), *(_short(_Memory(*kept)) for kept in product((False, True), ACTIONS))]
    return Abstraction(
        "stock",
        f"the stock, the rounds left (1, 2, 3, {LEFT} or more), the other's last request, and whether the "
        "own one was HIGH",
        tuple(
            f"{s}/{left} {rest}" for s in range(CAPACITY + 1) for left in range(1, LEFT + 1) for rest in past
        ),
        ACTIONS,
        _key,
        learn=_learn,
    )


ABSTRACTIONS = {"stock": stock}
"""All abstractions of the game by name."""
