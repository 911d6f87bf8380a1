"""The exact gradient of J in a policy's action probabilities, from the compiled tables.

∂J/∂π(a|I) = y(parent of I) · Q(I, a): the policy's own probability of getting to I, times what the action is
worth from there on with chance and opponents folded in, under the rewards of ``Objective.coefficients`` with
exact gates. This is the all-actions (expected) form of the policy gradient; there is no sampling noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.behaviour import tree_decisions
from equipoise.auditing.exact.tree import InformationKey, Tree
from equipoise.objective.features import REWARD_FEATURES, Features
from equipoise.objective.gates import exact_gates
from equipoise.objective.safety import Objective, Terms, gap
from equipoise.opponents.recall import TableStrategy
from equipoise.policies.base import Policy
from equipoise.training.batch import Batch
from equipoise.types import Action, Decision

__all__ = ["Book", "ExactStep", "exact_batch"]

Matrix = NDArray[np.float64]


class Book:
    """The information states of several trees, numbered once, and the numbers of each tree's own.

    An opponent may have trees of its own (a responder); together the trees cover every seat.
    """

    def __init__(self, trees: Sequence[Tree]) -> None:
        """Number the information states in order of appearance."""
        self.trees = tuple(trees)
        self.seats = len({tree.seat for tree in trees})
        self.index: dict[InformationKey, int] = {}
        self.decisions: list[Decision] = []
        self.legal: list[tuple[Action, ...]] = []
        self.rows: list[NDArray[np.int64]] = []
        for tree in trees:
            for key, decision in zip(tree.keys, tree_decisions(tree, tree.seat), strict=True):
                if self.index.setdefault(key, len(self.legal)) == len(self.legal):
                    self.decisions.append(decision)
                    self.legal.append(decision.legal or ())
            self.rows.append(np.array([self.index[key] for key in tree.keys], dtype=np.int64))
        self.width = max(len(actions) for actions in self.legal)

    def tabulate(self, policy: Policy) -> Matrix:
        """Ask a policy at every information state, in one batch; return (N, A) probabilities."""
        table = np.zeros((len(self.legal), self.width))
        for row, (legal, answer) in enumerate(
            zip(self.legal, policy.probabilities(self.decisions), strict=True)
        ):
            for column, action in enumerate(legal):
                table[row, column] = answer.get(action, 0.0)
        return table

    def strategy(self, name: str, table: Matrix) -> TableStrategy:
        """Return a table as a strategy."""
        values = table.tolist()
        return TableStrategy(
            name,
            {key: dict(zip(self.legal[row], values[row], strict=False)) for key, row in self.index.items()},
        )

    def means(self, table: Matrix) -> dict[str, Features]:
        """Return the expected features against every opponent, averaged over seats."""
        found: dict[str, Features] = {}
        for tree, rows in zip(self.trees, self.rows, strict=True):
            values = tree.values(table[rows, : tree.sequences.shape[1]]) / self.seats
            for name, row in zip(tree.opponents, values, strict=True):
                found[name] = found[name] + row if name in found else row
        return found

    def terms(self, table: Matrix, objective: Objective) -> Terms:
        """Return the terms of J."""
        means = self.means(table)
        return objective.terms({stream: means[stream[1]] for stream in objective.streams})


@dataclass(frozen=True)
class ExactStep:
    """The exact gradient and what it was computed from.

    Attributes:
        batch: Decisions and weights.
        terms: The terms of J.
        gates: The gate of each exploiter.
        limited: What can have a limit: what λe is charged for, c and x.
    """

    batch: Batch
    terms: Terms
    gates: dict[str, float]
    limited: dict[str, float | None]

    @property
    def charged(self) -> float | None:
        """What λe is charged for."""
        return self.limited["e"]


def exact_batch(
    book: Book, table: Matrix, objective: Objective, components: Sequence[str] | None = None
) -> ExactStep:
    """Return the exact gradient of J as a batch.

    Args:
        book: The information states and their trees.
        table: (N, A) the policy.
        objective: The objective.
        components: Only these components of the reward (default: all of them).
    """
    means = book.means(table)
    by_stream = {stream: means[stream[1]] for stream in objective.streams}
    gates = exact_gates({name: gap(means[name]) for name in objective.exploiters})
    coefficients = objective.coefficients(gates)
    weights = np.zeros_like(table)
    visits = np.zeros(len(table))
    for tree, rows in zip(book.trees, book.rows, strict=True):
        width = tree.sequences.shape[1]
        probabilities = table[rows, :width]
        rewards = np.zeros(len(tree.payoff))
        for (_, name), parts in coefficients.items():
            if name in tree.opponents:
                chosen = [v for k, v in parts.items() if components is None or k in components]
                weight = np.sum(chosen, axis=0) if chosen else np.zeros(REWARD_FEATURES)
                rewards += tree.payoff[:, tree.opponents.index(name), :REWARD_FEATURES] @ weight
        own = tree.realisation(probabilities)[tree.parents]
        q = tree.action_values(probabilities, rewards / book.seats)
        np.add.at(weights, (rows[:, None], np.arange(width)[None, :]), own[:, None] * q)
        met = np.array([sum(name == other for _, other in coefficients) for name in tree.opponents])
        np.add.at(visits, rows, own * (tree.reach @ met))
    share = visits / max(float(visits.sum()), 1e-300)
    batch = Batch(tuple(book.decisions), np.zeros_like(weights), weights, share)
    return ExactStep(batch, objective.terms(by_stream), gates, objective.limited(by_stream))
