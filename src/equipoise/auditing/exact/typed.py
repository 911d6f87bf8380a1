"""Exact values in games whose hidden part is one type a seat (``games.base.HiddenTypes``).

The pairs of types of a deal are far too many to follow one by one, but a strategy treats most of them alike.
So a node holds a *block* of types a seat: those that have answered alike so far, which splits only when their
answers part. Within a block types keep their prior proportions, since the seats' types are independent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.exact.dynamics import TooLargeError
from equipoise.games.base import Game, HiddenTypes, State
from equipoise.objective.features import Features, feature_count
from equipoise.opponents.base import Strategy
from equipoise.types import Action, Seat

__all__ = ["Block", "Board", "Split", "typed_features"]

Block = tuple[int, ...]
"""Numbers of types."""


class Split(NamedTuple):
    """The types of a block that answer alike: which, their share of the block, and how they answer."""

    block: Block
    share: float
    actions: tuple[Action, ...]
    weights: tuple[float, ...]


class Board:
    """One deal: its types, positions with any types in place, and tables of mean features.

    Attributes:
        hidden: The game's declaration.
        deal: The deal.
        steps: Joint actions looked at so far: what the work costs.
    """

    def __init__(self, hidden: HiddenTypes, deal: Hashable) -> None:
        """Take the declaration and a deal."""
        self.hidden, self.deal, self.steps = hidden, deal, 0
        self._types, chances = zip(*hidden.types(deal), strict=True)
        self.chances = np.array(chances)
        self.whole: Block = tuple(range(len(self._types)))
        self.first = hidden.first(deal, (self._types[0], self._types[0]))
        self._tables: dict[object, NDArray[np.float64]] = {}

    def split(self, strategy: Strategy, memory: Any, state: State, seat: Seat, block: Block) -> list[Split]:
        """Return the parts of a block that answer alike at a position."""
        parts: dict[tuple[tuple[Action, float], ...], list[int]] = defaultdict(list)
        other = self._types[0]
        for number in block:
            own = self._types[number]
            here = self.hidden.retype(state, (own, other) if seat == 0 else (other, own))
            row = strategy.probabilities(memory, here.observation(seat), here.legal_actions(seat))
            parts[tuple((action, p) for action, p in row.items() if p > 0.0)].append(number)
        total = self.chances[list(block)].sum()
        return [
            Split(
                tuple(numbers),
                float(self.chances[numbers].sum() / total),
                tuple(action for action, _ in row),
                tuple(p for _, p in row),
            )
            for row, numbers in parts.items()
        ]

    def means(
        self, first: Block, second: Block, a: tuple[Action, ...], b: tuple[Action, ...]
    ) -> NDArray[np.float64]:
        """Return (A, B, F): mean features of a round, kept for the next time."""
        key = (first, second, a, b)
        found = self._tables.get(key)
        if found is None:
            found = self._tables[key] = self.hidden.means(self.deal, (first, second), (a, b))
        return found


def boards(game: Game, hidden: HiddenTypes) -> Iterator[tuple[Board, float]]:
    """Yield the deals of a game with their probabilities."""
    for deal, chance in hidden.deals():
        yield Board(hidden, deal), chance


def typed_features(game: Game, policy: Strategy, opponent: Strategy, limit: int | None = None) -> Features:
    """Return E[(1/T) Σ_t features] of ``policy`` at seat 0 against ``opponent``.

    Args:
        game: A game with hidden types.
        policy: The strategy that is valued.
        opponent: Whom it meets.
        limit: Largest number of joint actions to follow; None sets no limit.

    Raises:
        TooLargeError: There are more.
    """
    hidden = game.hidden_types()
    assert hidden is not None
    total = np.zeros(feature_count(game.info_record))
    taken = 0
    for board, chance in boards(game, hidden):
        left = None if limit is None else limit - taken
        total += chance * _value(game, board, (policy, opponent), left)
        taken += board.steps
    return total


_Node = tuple[Hashable, Hashable, Block, Block]
"""Both memories and both blocks; the round is the same for all nodes of a deal."""


def _value(game: Game, board: Board, pair: tuple[Strategy, Strategy], limit: int | None) -> Features:
    total = np.zeros(feature_count(game.info_record))
    nodes: dict[_Node, float] = {
        (m0, m1, board.whole, board.whole): p0 * p1
        for m0, p0 in pair[0].start()
        for m1, p1 in pair[1].start()
    }
    state = board.first
    while not state.is_over:
        following: dict[_Node, float] = defaultdict(float)
        weight = game.round_weight(state.round)
        after = state
        for (m0, m1, block0, block1), mass in nodes.items():
            for own in board.split(pair[0], m0, state, 0, block0):
                for other in board.split(pair[1], m1, state, 1, block1):
                    here = mass * own.share * other.share
                    table = board.means(own.block, other.block, own.actions, other.actions)
                    total += weight * here * np.einsum("a,abf,b->f", own.weights, table, other.weights)
                    board.steps += len(own.actions) * len(other.actions)
                    if limit is not None and board.steps > limit:
                        raise TooLargeError(f"{game.name} takes too many steps to be valued exactly")
                    after = _follow(following, state, pair, (m0, m1), own, other, here)
        nodes, state = following, after
    return total


def _follow(
    following: dict[_Node, float],
    state: State,
    pair: tuple[Strategy, Strategy],
    memories: tuple[Any, Any],
    own: Split,
    other: Split,
    mass: float,
) -> State:
    """Add what every joint action leads to; return the position that follows."""
    after = state
    for a, p in zip(own.actions, own.weights, strict=True):
        for b, q in zip(other.actions, other.weights, strict=True):
            step = state.apply({0: a, 1: b})
            m0, m1 = memories
            if step.signals:
                m0, m1 = pair[0].update(m0, step.signals[0]), pair[1].update(m1, step.signals[1])
            following[m0, m1, own.block, other.block] += mass * p * q
            after = step.state
    return after
