"""Abstractions of the iterated prisoner's dilemma."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from equipoise.games.base import Game
from equipoise.games.ipd import COOPERATE, DEFECT, Seen, View
from equipoise.policies.abstractions.base import Abstraction

__all__ = ["ABSTRACTIONS", "recent"]

ACTIONS = (COOPERATE, DEFECT)
MOST = 3
"""Defections of the other that are counted."""
LATE = 6
"""Rounds from this one on are not told apart, but for the last."""


class _Memory(NamedTuple):
    """Both last actions, and how often the other has defected."""

    own: str
    other: str
    defections: int


def _learn(memory: _Memory | None, seen: Seen) -> _Memory:
    before = 0 if memory is None else memory.defections
    return _Memory(seen.own, seen.other, min(MOST, before + (seen.other == DEFECT)))


def recent(game: Game) -> Abstraction:
    """Keep both last actions, how often the other has defected, and the round."""
    end = None if game.options.continuation < 1.0 else game.options.rounds - 1

    def key(memory: _Memory | None, view: View) -> str:
        when = "last" if view.round == end else min(view.round, LATE)
        return f"{when} open" if memory is None else f"{when} {_short(memory)}"

    past = [_short(_Memory(*kept)) for kept in product(ACTIONS, ACTIONS, range(MOST + 1))]
    later = [*range(1, LATE + 1), "last"]
    return Abstraction(
        "recent",
        f"both last actions, how often the other has defected (0 to {MOST}), the round (0 to {LATE}, last)",
        ("0 open", "last open", *(f"{when} {rest}" for when in later for rest in past)),
        ACTIONS,
        key,
        learn=_learn,
    )


def _short(memory: _Memory) -> str:
    return f"{memory.own[0]}{memory.other[0]}{memory.defections}"


ABSTRACTIONS = {"recent": recent}
"""All abstractions of the game by name."""
