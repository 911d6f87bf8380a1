"""Best replies by belief: what a responder knows matters only through what it makes likely.

Two histories after which the hidden node (state and the opponent's memory) has the same distribution have
the same future, so they are one node here. Against a strategy with a short memory that leaves few nodes where
the tree of histories has millions (the belief-state argument of Smallwood and Sondik, *Operations Research*
21, 1973, on the product of rules and memory).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.exact.dynamics import Cloud, Dynamics, Particle
from equipoise.auditing.exact.numbering import Numbering
from equipoise.games.base import Game
from equipoise.objective.features import Features
from equipoise.opponents.base import Strategy
from equipoise.types import Seat

__all__ = ["Beliefs", "beliefs"]


@dataclass
class _Level:
    """The nodes with one number of own decisions behind them.

    Attributes:
        starts: Number of each node's first action.
        rewards: (K, F) expected features that each action earns at once.
        actions: (E,) the action that each edge belongs to.
        children: (E,) the node of the next level it leads to.
        weights: (E,) its probability.
    """

    starts: list[int] = field(default_factory=list)
    rewards: list[Features] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    children: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Beliefs:
    """The graph of a responder's beliefs about one opponent, ready for any reward.

    Attributes:
        levels: Nodes by the number of own decisions behind them.
        first: (F,) features earned before the first decision.
        roots: (N,) probability of each node of the first level.
        nodes: Number of nodes.
    """

    levels: list[_Level]
    first: Features
    roots: NDArray[np.float64]
    nodes: int

    def best(self, reward: Features) -> float:
        """Return the largest expected reward per round that the responder can have.

        Args:
            reward: (F,) what a round's features are worth to the responder.
        """
        worth = np.zeros(0)
        for level in reversed(self.levels):
            q = np.array(level.rewards) @ reward
            if level.actions:
                np.add.at(q, level.actions, np.array(level.weights) * worth[level.children])
            worth = np.maximum.reduceat(q, level.starts)
        return float(self.first @ reward) + float(self.roots @ worth)


def beliefs(game: Game, opponent: Strategy, seat: Seat, limit: int | None = None) -> Beliefs:
    """Return the graph of what a seat can come to believe about an opponent.

    Args:
        game: The rules; pass ``game.stage()`` where rounds are independent.
        opponent: The opponent in finite-memory form.
        seat: The seat of the responder.
        limit: Largest number of steps of the rules to take; None sets no limit.

    Raises:
        TooLargeError: It takes more steps.
    """
    moves = Dynamics(game, (opponent,), seat, limit)
    earned = moves.nothing()
    start: Numbering[Particle] = Numbering()
    roots = start.add(cloud for _, cloud in moves.settle(earned, {(): moves.start()}))
    frontier = start.beliefs
    first, chances = earned[0], np.array([roots[number] for number in range(len(frontier))])
    levels, nodes = [], 0
    while frontier:
        nodes += len(frontier)
        level, frontier = _expand(moves, frontier)
        levels.append(level)
    return Beliefs(levels, first, chances, nodes)


def _expand(moves: Dynamics, frontier: list[Cloud]) -> tuple[_Level, list[Cloud]]:
    """Try every action at every node; return the level and the nodes of the next."""
    level = _Level()
    following: Numbering[Particle] = Numbering()
    for cloud in frontier:
        level.starts.append(len(level.rewards))
        for action in next(iter(cloud))[0].legal_actions(moves.seat):
            earned = moves.nothing()
            found = moves.settle(earned, moves.act(earned, (), cloud, action))
            number = len(level.rewards)
            level.rewards.append(earned[0])
            for node, weight in following.add(cloud for _, cloud in found).items():
                level.actions.append(number)
                level.children.append(node)
                level.weights.append(weight)
    return level, following.beliefs
