"""Abstractions of the repeated auction."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from equipoise.games.auction import ACTIONS, VALUES, Seen, View
from equipoise.games.base import Game
from equipoise.policies.abstractions.base import Abstraction

__all__ = ["ABSTRACTIONS", "bids"]


class _Memory(NamedTuple):
    """The own last bid, and every bid the other has made."""

    own: str
    others: frozenset[str]


def _learn(memory: _Memory | None, seen: Seen) -> _Memory:
    before: frozenset[str] = frozenset() if memory is None else memory.others
    return _Memory(seen.own, before | {seen.other})


def _key(memory: _Memory | None, view: View) -> str:
    when = "last" if view.round + 1 == view.rounds else "early"
    past = "open" if memory is None else _short(memory)
    return f"{when} {view.value} {past}"


def _short(memory: _Memory) -> str:
    return f"{memory.own[0]}/{''.join(bid[0] for bid in ACTIONS if bid in memory.others)}"


def bids(game: Game) -> Abstraction:
    """Keep the value, the own last bid, which bids the other has made, and whether the round is the last."""
    sets = [
        frozenset(b for b, made in zip(ACTIONS, row, strict=True) if made)
        for row in product((0, 1), repeat=3)
    ]
    past = ["open", *(_short(_Memory(own, others)) for own in ACTIONS for others in sets if others)]
    return Abstraction(
        "bids",
        "the value, the own last bid, which bids the other has ever made, whether it is the last round",
        tuple(f"{when} {value} {rest}" for when in ("early", "last") for value in VALUES for rest in past),
        ACTIONS,
        _key,
        learn=_learn,
    )


ABSTRACTIONS = {"bids": bids}
"""All abstractions of the game by name."""
