"""Abstractions of the pie to be split."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from equipoise.games.base import Game
from equipoise.games.split import DEMANDS, PIE, Seen, View
from equipoise.policies.abstractions.base import Abstraction

__all__ = ["ABSTRACTIONS", "demands"]

LATE = 3
"""Rounds from this one on are not told apart."""


class _Memory(NamedTuple):
    """The other's last demand, and whether there was a deal."""

    other: int
    deal: bool


def _learn(memory: _Memory | None, seen: Seen) -> _Memory:
    return _Memory(seen.other, seen.own + seen.other <= PIE)


def _key(memory: _Memory | None, view: View) -> str:
    when = min(view.round, LATE)
    return f"{when} open" if memory is None else f"{when} {_short(memory)}"


def _short(memory: _Memory) -> str:
    return f"{memory.other}{'' if memory.deal else '!'}"


def demands(game: Game) -> Abstraction:
    """Keep the other's last demand, whether there was a deal, and the round."""
    past = [_short(_Memory(*kept)) for kept in product(DEMANDS, (True, False))]
    return Abstraction(
        "demands",
        f"the other's last demand, whether there was a deal, and the round (0, 1, 2, {LATE} and later)",
        ("0 open", *(f"{when} {rest}" for when in range(1, LATE + 1) for rest in past)),
        DEMANDS,
        _key,
        learn=_learn,
    )


ABSTRACTIONS = {"demands": demands}
"""All abstractions of the game by name."""
