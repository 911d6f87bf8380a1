"""J*, the largest value of the objective, as a linear programme.

With fixed pools J is concave and piecewise linear in the realisation plan y: its linear part and each gap
are linear in y, and each hinge is the smallest h with h >= gap, h >= 0. So

    max  Σ_σ y(σ)·r(σ) − (λe·s/|ℰ|)·Σ_o h_o    s.t.  y(∅) = 1,  Σ_a y(I, a) = y(parent(I)),  h_o >= gap_o(y)

over all policies with perfect recall (sequence-form linear programme, von Stengel 1996).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from equipoise.auditing.exact.compile import compile_tree
from equipoise.auditing.exact.tree import Tree
from equipoise.errors import EquipoiseError
from equipoise.games.base import Game
from equipoise.objective.features import OPPONENT, OWN, REWARD_FEATURES
from equipoise.objective.safety import Objective
from equipoise.opponents.base import Strategy

__all__ = ["Optimum", "objective_trees", "optimum"]


@dataclass(frozen=True)
class Optimum:
    """The solution.

    Attributes:
        value: J*.
        trees: The tables, one a seat.
        probabilities: (I, A) action probabilities of an optimal policy, one array a tree.
    """

    value: float
    trees: tuple[Tree, ...]
    probabilities: tuple[NDArray[np.float64], ...]


def objective_trees(
    game: Game, objective: Objective, strategies: Mapping[str, Strategy], limit: int = 100_000
) -> tuple[Tree, ...]:
    """Compile the tables that J reads, one for every seat that must be told apart."""
    names = dict.fromkeys(name for _, name in objective.streams)
    opponents = {name: strategies[name] for name in names}
    seats = (0,) if game.info_record.symmetric else range(game.info_record.seats)
    return tuple(compile_tree(game, opponents, seat, limit) for seat in seats)


def optimum(trees: Sequence[Tree], objective: Objective) -> Optimum:
    """Solve for J* over the given tables.

    Where regret is penalised there is no hinge: J is linear in y. ``best_response`` is not solved for: the
    largest lead is one over all strategies of the opponent, not over the exploiters of the tables.

    Raises:
        EquipoiseError: The solver failed, or the objective penalises ``best_response``.
    """
    if objective.penalised == "best_response":
        raise EquipoiseError("J* is not applicable where 'best_response' is penalised")
    hinged = objective.penalised == "opponent_advantage"
    exploiters = tuple(dict.fromkeys(objective.pools.exploiter)) if hinged else ()
    coefficients = objective.coefficients(dict.fromkeys(objective.exploiters, 1.0))
    fixed = objective.weights.e * objective.scale * float(np.mean(objective.replies)) if not hinged else 0.0
    costs, gaps = [], []
    for tree in trees:
        linear = np.zeros(len(tree.payoff))
        for stream, parts in coefficients.items():
            chosen = [v for k, v in parts.items() if k != "exploitability" or not hinged]
            weight = sum(chosen, np.zeros(REWARD_FEATURES))
            linear += tree.payoff[:, tree.opponents.index(stream[1]), :REWARD_FEATURES] @ weight
        columns = [tree.opponents.index(name) for name in exploiters]
        lead = tree.payoff[:, columns, OPPONENT] - tree.payoff[:, columns, OWN]
        costs.append(-linear / len(trees))
        gaps.append(sparse.csr_array(lead.T / len(trees)))
    hinge = [coefficients["exploiter", name]["exploitability"][OWN] for name in exploiters]
    minus = -sparse.eye_array(len(exploiters), format="csr")
    constraints = [_flow(tree) for tree in trees]
    solved = linprog(
        np.concatenate([*costs, np.array(hinge)]),
        A_ub=sparse.hstack([*gaps, minus]) if exploiters else None,
        b_ub=np.zeros(len(exploiters)) if exploiters else None,
        A_eq=sparse.hstack(
            [
                sparse.block_diag([matrix for matrix, _ in constraints]),
                sparse.csr_array((sum(len(b) for _, b in constraints), len(exploiters))),
            ]
        ),
        b_eq=np.concatenate([b for _, b in constraints]),
        method="highs",
    )
    if not solved.success:
        raise EquipoiseError(f"the linear programme for J* failed: {solved.message}")
    return Optimum(float(-solved.fun) - fixed, tuple(trees), tuple(_policies(trees, solved.x)))


def _flow(tree: Tree) -> tuple[sparse.csr_array, NDArray[np.float64]]:
    """Return A, b of A·y = b: the empty sequence is 1, actions sum to their parent sequence."""
    rows, actions = np.nonzero(tree.mask)
    states = np.arange(len(tree.keys))
    data = np.concatenate([np.ones(len(rows)), -np.ones(len(states)), [1.0]])
    i = np.concatenate([rows, states, [len(states)]])
    j = np.concatenate([tree.sequences[rows, actions], tree.parents, [0]])
    matrix = sparse.csr_array((data, (i, j)), shape=(len(states) + 1, len(tree.payoff)))
    target = np.zeros(len(states) + 1)
    target[-1] = 1.0
    return matrix, target


def _policies(trees: Sequence[Tree], x: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Turn realisation plans into action probabilities; uniform where a plan never goes."""
    found, start = [], 0
    for tree in trees:
        y = np.clip(x[start : start + len(tree.payoff)], 0.0, None)
        start += len(tree.payoff)
        mask = tree.mask
        plan = np.where(mask, y[tree.sequences], 0.0)
        total = plan.sum(axis=1, keepdims=True)
        uniform = mask / mask.sum(axis=1, keepdims=True)
        found.append(np.where(total > 1e-12, plan / np.maximum(total, 1e-12), uniform))
    return found
