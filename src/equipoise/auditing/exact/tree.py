"""The sequence form of a game against fixed opponents, compiled once into integer tables.

Seen from one seat with perfect recall, an episode is a walk through information states. Chance and the
opponents are folded into numbers: the features that each *sequence* (an action at an information state)
earns before the next own decision, weighted by the probability that chance and the opponent play their
part. The value of a policy is then linear in its realisation plan y (the product of its own probabilities
along a sequence): value = Σ_σ y(σ) · payoff(σ). Evaluation, gradients, best replies and the linear
programme all read the same tables (von Stengel, *Efficient computation of behavior strategies*, 1996).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equipoise.games.base import Game
from equipoise.objective.features import Features
from equipoise.types import Action, Seat

__all__ = ["InformationKey", "Tree"]

InformationKey = tuple[Hashable, tuple[Hashable, ...]]
"""An information state: (observation, history of signals)."""


@dataclass(frozen=True)
class Tree:
    """The tables, for one seat.

    Attributes:
        game: The game (its stage game where rounds are independent).
        seat: The seat they are compiled for.
        opponents: Names of the opponents, in the order of the payoff table's second axis.
        keys: Information states, parents before children.
        legal: Legal actions of each information state.
        sequences: (I, A) sequence number of each action; −1 where there is none.
        parents: (I,) sequence that leads to the information state; 0 is the empty sequence.
        depths: (I,) number of own decisions before it.
        rounds: (I,) the round it is in.
        steps: (I,) which own decision of its round it is.
        reach: (I, O) probability that chance and the opponent play their part to reach it.
        payoff: (S, O, F) expected features that each sequence earns.
    """

    game: Game
    seat: Seat
    opponents: tuple[str, ...]
    keys: tuple[InformationKey, ...]
    legal: tuple[tuple[Action, ...], ...]
    sequences: NDArray[np.int64]
    parents: NDArray[np.int64]
    depths: NDArray[np.int64]
    rounds: NDArray[np.int64]
    steps: NDArray[np.int64]
    reach: NDArray[np.float64]
    payoff: NDArray[np.float64]

    @cached_property
    def mask(self) -> NDArray[np.bool_]:
        """(I, A) whether the action exists."""
        return np.asarray(self.sequences >= 0)

    @cached_property
    def levels(self) -> list[NDArray[np.int64]]:
        """The numbers of the information states of each depth."""
        top = int(self.depths.max(initial=-1)) + 1
        return [np.flatnonzero(self.depths == depth) for depth in range(top)]

    def realisation(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return y, (S,), for a policy given as (I, A) action probabilities."""
        y = np.zeros(len(self.payoff))
        y[0] = 1.0
        for level in self.levels:
            rows = self.sequences[level]
            mask = rows >= 0
            products = y[self.parents[level]][:, None] * probabilities[level]
            y[rows[mask]] = products[mask]
        return y

    def values(self, probabilities: NDArray[np.float64]) -> Features:
        """Return (O, F): expected features per round against each opponent."""
        return np.tensordot(self.realisation(probabilities), self.payoff, axes=1)

    def action_values(
        self, probabilities: NDArray[np.float64], rewards: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return (I, A): what each action is worth from there on, times the others' reach.

        Args:
            probabilities: (I, A) the policy that is followed afterwards.
            rewards: (S,) what each sequence earns, e.g. payoff contracted with coefficients.
        """
        q = np.zeros(self.sequences.shape)
        below = np.zeros(len(self.payoff))
        mask = self.mask
        for level in reversed(self.levels):
            rows = self.sequences[level]
            q[level] = np.where(mask[level], rewards[rows] + below[rows], 0.0)
            worth = (probabilities[level] * q[level]).sum(axis=1)
            np.add.at(below, self.parents[level], worth)
        return q
