"""Compiles rules and opponents into the sequence-form tables of ``tree``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.exact.dynamics import Cloud, Dynamics, TooLargeError
from equipoise.auditing.exact.tree import InformationKey, Tree
from equipoise.games.base import Game
from equipoise.opponents.base import Strategy
from equipoise.types import Action, Seat

__all__ = ["TooLargeError", "compile_tree"]


class _Builder:
    """Grows the tables depth first; one instance compiles one tree."""

    def __init__(self, game: Game, opponents: Mapping[str, Strategy], seat: Seat, limit: int) -> None:
        self.dynamics = Dynamics(game, tuple(opponents.values()), seat)
        self.limit = limit
        self.keys: list[InformationKey] = []
        self.legal: list[tuple[Action, ...]] = []
        self.sequences: list[list[int]] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self.rounds: list[int] = []
        self.steps: list[int] = []
        self.reach: list[NDArray[np.float64]] = []
        self.payoff: list[NDArray[np.float64]] = []

    def build(self) -> None:
        moves = self.dynamics
        root = self._sequence()
        stack = [(root, -1, found) for found in moves.settle(self.payoff[root], {(): moves.start()})]
        while stack:
            if len(self.keys) + len(stack) > self.limit:
                raise TooLargeError(
                    f"{moves.game.name}: more than {self.limit} information states, too many to solve exactly"
                )
            parent, above, (key, cloud) = stack.pop()
            row = self._information_state(key, cloud, parent, above)
            for action in self.legal[row]:
                sequence = self._sequence()
                self.sequences[row].append(sequence)
                earned = self.payoff[sequence]
                moved = moves.act(earned, key[1], cloud, action)
                stack += [(sequence, row, found) for found in moves.settle(earned, moved)]

    def _sequence(self) -> int:
        self.payoff.append(self.dynamics.nothing())
        return len(self.payoff) - 1

    def _information_state(self, key: InformationKey, cloud: Cloud, parent: int, above: int) -> int:
        """Add a row below the row ``above`` (−1: none); return its number."""
        state = next(iter(cloud))[0]
        reach = np.zeros(len(self.dynamics.strategies))
        for (_, _, number), weight in cloud.items():
            reach[number] += weight
        same_round = above >= 0 and self.rounds[above] == state.round
        self.keys.append(key)
        self.legal.append(state.legal_actions(self.dynamics.seat))
        self.sequences.append([])
        self.parents.append(parent)
        self.depths.append(self.depths[above] + 1 if above >= 0 else 0)
        self.rounds.append(state.round)
        self.steps.append(self.steps[above] + 1 if same_round else 0)
        self.reach.append(reach)
        return len(self.keys) - 1


def compile_tree(game: Game, opponents: Mapping[str, Strategy], seat: Seat, limit: int = 100_000) -> Tree:
    """Compile the tables of a seat against several opponents at once.

    Args:
        game: The rules; pass ``game.stage()`` where rounds are independent.
        opponents: Opponents by name, in finite-memory form.
        seat: The seat the tables are for.
        limit: Largest number of information states.

    Raises:
        TooLargeError: There are more.
    """
    builder = _Builder(game, opponents, seat, limit)
    builder.build()
    width = max((len(row) for row in builder.sequences), default=0)
    padded = np.full((len(builder.keys), width), -1, dtype=np.int64)
    for row, numbers in enumerate(builder.sequences):
        padded[row, : len(numbers)] = numbers
    return Tree(
        game=game,
        seat=seat,
        opponents=tuple(opponents),
        keys=tuple(builder.keys),
        legal=tuple(builder.legal),
        sequences=padded,
        parents=np.array(builder.parents, dtype=np.int64),
        depths=np.array(builder.depths, dtype=np.int64),
        rounds=np.array(builder.rounds, dtype=np.int64),
        steps=np.array(builder.steps, dtype=np.int64),
        reach=np.array(builder.reach).reshape(len(builder.keys), len(opponents)),
        payoff=np.array(builder.payoff),
    )
