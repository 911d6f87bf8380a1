"""Best replies in games whose hidden part is one type a seat, by belief (see ``beliefs`` and ``typed``).

What the responder has seen tells it about the opponent's type and memory, whatever its own type is: so a node
is a belief over the opponent's memory and block of types, and its worth is a vector over own types.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.exact.dynamics import TooLargeError
from equipoise.auditing.exact.numbering import Numbering
from equipoise.auditing.exact.typed import Block, Board, Split, boards
from equipoise.games.base import Game, State
from equipoise.opponents.base import Strategy
from equipoise.types import Action

__all__ = ["typed_best"]

_Particle = tuple[Hashable, Block]
"""The opponent's memory and block of types."""

_Belief = dict[_Particle, float]
"""Probability of each."""


@dataclass
class _Node:
    """What the opponent does at a belief, and where each own action leads.

    Attributes:
        parts: The ways in which the opponent answers, with their probability.
        edges: For each own action, the probability of each node of the next level.
    """

    parts: list[tuple[float, Split]]
    edges: list[dict[int, float]] = field(default_factory=list)


def typed_best(
    game: Game, opponent: Strategy, rewards: NDArray[np.float64], limit: int | None = None
) -> NDArray[np.float64]:
    """Return (R,): the largest expected reward per round that a responder can have, for each reward.

    Args:
        game: A game with hidden types.
        opponent: The opponent in finite-memory form.
        rewards: (R, F) what a round's features are worth to the responder.
        limit: Largest number of joint actions to follow; None sets no limit.

    Raises:
        TooLargeError: There are more.
    """
    hidden = game.hidden_types()
    assert hidden is not None
    total, taken = np.zeros(len(rewards)), 0
    for board, chance in boards(game, hidden):
        search = _Search(game, board, opponent, rewards, None if limit is None else limit - taken)
        total += chance * search.value()
        taken += board.steps
    return total


class _Search:
    """The beliefs that are possible under one deal."""

    def __init__(
        self, game: Game, board: Board, opponent: Strategy, rewards: NDArray[np.float64], limit: int | None
    ) -> None:
        self.game, self.board, self.opponent = game, board, opponent
        self.rewards, self.limit = rewards, limit
        self._earned = cache(self._earn)

    def value(self) -> NDArray[np.float64]:
        """Return (R,): the best rewards, mean over own types."""
        state = self.board.first
        frontier: list[_Belief] = [{(m, self.board.whole): p for m, p in self.opponent.start()}]
        levels: list[tuple[State, list[_Node]]] = []
        while not state.is_over:
            here = state
            nodes, frontier, state = self._expand(state, frontier)
            levels.append((here, nodes))
        worth = np.zeros((0, len(self.rewards), len(self.board.whole)))
        for here, nodes in reversed(levels):
            worth = np.array([self._worth(here, node, worth) for node in nodes])
        return np.asarray(worth[0] @ self.board.chances)

    def _worth(self, state: State, node: _Node, below: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (R, I): what a node is worth to each own type."""
        legal = state.legal_actions(0)
        rows = [p * self._earned(legal, part.block, part.actions, part.weights) for p, part in node.parts]
        q = self.game.round_weight(state.round) * np.sum(rows, axis=0)
        for action, edges in enumerate(node.edges):
            for child, p in edges.items():
                q[:, :, action] += p * below[child]
        return np.asarray(q.max(axis=2))

    def _earn(
        self, legal: tuple[Action, ...], block: Block, actions: tuple[Action, ...], weights: tuple[float, ...]
    ) -> NDArray[np.float64]:
        """Return (R, I, A): what a round earns each own type, against one way of answering."""
        rows = [
            np.tensordot(self.board.means((own,), block, legal, actions), weights, axes=(1, 0))
            for own in self.board.whole
        ]
        return np.moveaxis(np.array(rows) @ self.rewards.T, 2, 0)

    def _expand(self, state: State, frontier: list[_Belief]) -> tuple[list[_Node], list[_Belief], State]:
        """Split every belief by how the opponent answers, and follow every action."""
        following: Numbering[_Particle] = Numbering()
        nodes, after = [], state
        for belief in frontier:
            memories, node = [], _Node([])
            for (memory, block), weight in belief.items():
                for part in self.board.split(self.opponent, memory, state, 1, block):
                    node.parts.append((weight * part.share, part))
                    memories.append(memory)
            for action in state.legal_actions(0):
                clouds, after = self._follow(state, node.parts, memories, action)
                node.edges.append({} if after.is_over else following.add(clouds.values()))
            nodes.append(node)
        return nodes, following.beliefs, after

    def _follow(
        self, state: State, parts: list[tuple[float, Split]], memories: list[Hashable], action: Action
    ) -> tuple[dict[Hashable, _Belief], State]:
        """Return what the responder may believe after an action, by what it learns."""
        clouds: dict[Hashable, _Belief] = defaultdict(lambda: defaultdict(float))
        after = state
        for (weight, part), memory in zip(parts, memories, strict=True):
            self.board.steps += len(part.actions)
            if self.limit is not None and self.board.steps > self.limit:
                raise TooLargeError(f"{self.game.name} takes too many steps to be solved exactly")
            for answer, p in zip(part.actions, part.weights, strict=True):
                step = state.apply({0: action, 1: answer})
                learned: Hashable = ()
                following = memory
                if step.signals:
                    learned = step.signals[0]
                    following = self.opponent.update(memory, step.signals[1])
                clouds[learned][following, part.block] += weight * p
                after = step.state
        return clouds, after
