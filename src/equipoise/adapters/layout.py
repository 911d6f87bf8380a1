"""The columns and the numbered actions of every game, for learners that want arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from equipoise.adapters.extent import extent_of
from equipoise.adapters.fields import Field, Number, Past, Progress, Word, encode
from equipoise.errors import RequestError
from equipoise.games import auction, commons, ipd, kuhn, multi_issue, split
from equipoise.games.base import Game
from equipoise.types import Action, Seat

__all__ = ["Layout", "layout_of"]

LABEL = 1024
"""Bytes of an observation of a game without columns of its own."""


@dataclass(frozen=True)
class Layout:
    """How a game is shown as arrays.

    Attributes:
        actions: Every action that is ever legal; its place is its number.
        fields: The fields of an observation; empty where it is the label of the information state in UTF-8.
    """

    actions: tuple[Action, ...]
    fields: tuple[Field, ...] = ()

    @property
    def size(self) -> int:
        """Length of an observation."""
        return sum(field.size for field in self.fields) or LABEL

    def observation(
        self, game: Game, seat: Seat, seen: Hashable, history: tuple[Hashable, ...]
    ) -> NDArray[np.float32] | NDArray[np.uint8]:
        """Return what a seat knows: float32 in [0, 1], or bytes.

        Raises:
            RequestError: The game has no columns, and the label of the information state is too long.
        """
        if self.fields:
            return np.array(encode(self.fields, game.info(seat, seen, history)), dtype=np.float32)
        text = game.label(seen, history).encode()
        if len(text) > LABEL:
            raise RequestError(
                f"{game.name}: an information state takes {len(text)} bytes, {LABEL} is the most there can be"
            )
        return np.frombuffer(text.ljust(LABEL, b"\0"), dtype=np.uint8).copy()

    def action(self, number: int) -> Action:
        """Return the action of a number.

        Raises:
            RequestError: There is none.
        """
        if not 0 <= int(number) < len(self.actions):
            raise RequestError(f"action {number}: actions are numbered 0 to {len(self.actions) - 1}")
        return self.actions[int(number)]

    def mask(self, legal: tuple[Action, ...]) -> NDArray[np.int8]:
        """Return 1 for every action that is legal."""
        allowed = set(legal)
        return np.array([action in allowed for action in self.actions], dtype=np.int8)


def layout_of(game: Game) -> Layout:
    """Return the layout of a game: its own, or actions as they are found and labels for observations.

    Raises:
        RequestError: The game is unknown here and too large to find its actions.
    """
    make = _LAYOUTS.get(game.name)
    return Layout(extent_of(game).actions) if make is None else make(game)


def _ipd(game: Game) -> Layout:
    rounds, word = game.options.rounds, Word("", ipd.ACTIONS)
    return Layout(ipd.ACTIONS, (Progress(rounds), _past("own", rounds, word), _past("other", rounds, word)))


def _auction(game: Game) -> Layout:
    rounds, bid = game.options.rounds, Word("", auction.ACTIONS)
    fields = (
        Progress(rounds),
        Word("value", auction.VALUES),
        _past("own_values", rounds, Word("", auction.VALUES)),
        _past("own_bids", rounds, bid),
        _past("other_bids", rounds, bid),
        _past("won", rounds, Word("", (False, True))),
    )
    return Layout(auction.ACTIONS, fields)


def _split(game: Game) -> Layout:
    rounds, demand = game.options.rounds, Number("", split.PIE)
    return Layout(
        split.DEMANDS, (Progress(rounds), _past("own", rounds, demand), _past("other", rounds, demand))
    )


def _multi_issue(game: Game) -> Layout:
    rounds, most, items = game.options.rounds, multi_issue.MOST, len(multi_issue.ITEMS)
    demand = Number("", most, items)
    fields = (
        Progress(rounds),
        Number("pool", most, items),
        Number("values", multi_issue.TOTAL, items),
        _past("own", rounds, demand),
        _past("other", rounds, demand),
    )
    return Layout(tuple(product(range(most + 1), repeat=items)), fields)


def _kuhn(game: Game) -> Layout:
    actions = (kuhn.PASS, kuhn.BET, kuhn.CALL, kuhn.FOLD)
    fields: tuple[Field, ...] = (Word("card", kuhn.CARDS), Word("bets", ("", "p", "b", "pb")))
    if game.options.memory:
        rounds = game.options.rounds
        hand = (
            Word("", kuhn.CARDS),
            Word("", ("pp", "bp", "bb", "pbp", "pbb")),
            Word("", (False, True)),
            Word("", (None, *kuhn.CARDS)),
        )
        fields = (*fields, Progress(rounds), Past("hands", rounds, hand))
    return Layout(actions, fields)


def _commons(game: Game) -> Layout:
    rounds, word = game.options.rounds, Word("", commons.ACTIONS)
    fields = (
        Progress(rounds),
        Number("stock", commons.CAPACITY),
        _past("own", rounds, word),
        _past("other", rounds, word),
    )
    return Layout(commons.ACTIONS, fields)


_LAYOUTS: Mapping[str, Callable[[Game], Layout]] = {
    "ipd": _ipd,
    "auction": _auction,
    "split": _split,
    "multi_issue": _multi_issue,
    "kuhn": _kuhn,
    "commons": _commons,
}


def _past(key: str, rounds: int, entry: Word | Number) -> Past:
    return Past(key, rounds, (entry,))
