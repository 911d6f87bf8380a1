"""A symmetric equilibrium of the game between policies: who would be left if they were chosen by payoff.

The game is the symmetric bimatrix game (A, Aᵀ) of a payoff matrix A: both sides choose a policy, seats are
averaged. It has a symmetric equilibrium (J. Nash, *Non-cooperative games*, 1951). Up to ``FEW`` policies
every support is tried with nashpy's indifference equations; where ties leave these singular, the vertices
of the best-reply polytope are read instead, among which a symmetric equilibrium always is. Beyond, pure
ones and those that Lemke-Howson paths end at are taken. Of several, the one with the highest payoff is
returned, of these the one of fewest policies.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEW", "Profile", "equilibrium", "is_equilibrium"]

FEW = 8
"""Policies up to which all supports are tried."""

DIGITS = 12
"""Payoffs are rounded to this many decimals, so that what is equal by the rules is equal here."""

TOLERANCE = 1e-9

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Profile:
    """An equilibrium.

    Attributes:
        row: (N,) weights of the policies on the one side.
        column: (N,) weights on the other; the same in a symmetric equilibrium.
        found: How many symmetric equilibria were found; ties can hide infinitely many more.
        method: How.
    """

    row: Vector
    column: Vector
    found: int
    method: str

    @property
    def is_symmetric(self) -> bool:
        """Whether both sides choose alike."""
        return bool(np.allclose(self.row, self.column, atol=1e-9))


def equilibrium(payoff: Vector) -> Profile | None:
    """Return an equilibrium of the game between policies, a symmetric one wherever one is found.

    Args:
        payoff: (N, N) the row policy's own payoff against the column policy.

    Returns:
        The equilibrium, or None if the methods find none (more than ``FEW`` policies only).

    Raises:
        ImportError: nashpy is not installed.
    """
    a = np.round(payoff, DIGITS)
    if len(a) <= FEW:
        found, method = _distinct(_supports(a), a), "support enumeration"
        if not found:
            found, method = _distinct(_vertices(a), a), "vertex enumeration"
        return _best(found, a, method)
    ends = _paths(a)
    alike = [row for row, column in ends if np.allclose(row, column, atol=1e-9)]
    found = _distinct([*np.eye(len(a)), *alike], a)
    if found or not ends:
        return _best(found, a, "Lemke-Howson")
    return Profile(*ends[0], 0, "Lemke-Howson")


def is_equilibrium(payoff: Vector, row: Vector, column: Vector) -> bool:
    """Tell whether neither side gains by choosing otherwise (within rounding)."""
    slack = TOLERANCE * max(1.0, float(np.abs(payoff).max()))
    mine, theirs = payoff @ column, payoff @ row
    return bool(mine.max() - row @ mine <= slack and theirs.max() - column @ theirs <= slack)


def _distinct(candidates: Iterable[Vector], a: Vector) -> list[Vector]:
    """Return the symmetric equilibria among candidates, each once."""
    kept: list[Vector] = []
    for x in candidates:
        if is_equilibrium(a, x, x) and not any(np.allclose(x, known, atol=1e-7) for known in kept):
            kept.append(x)
    return kept


def _best(found: list[Vector], a: Vector, method: str) -> Profile | None:
    if not found:
        return None
    worth = [float(x @ a @ x) for x in found]
    top = max(worth) - TOLERANCE * max(1.0, float(np.abs(a).max()))
    best = min((x for x, w in zip(found, worth, strict=True) if w >= top), key=np.count_nonzero)
    return Profile(best, best, len(found), method)


def _supports(a: Vector) -> Iterator[Vector]:
    """Yield what makes every policy of a support indifferent between those of the support."""
    from nashpy.algorithms.support_enumeration import solve_indifference

    for size in range(1, len(a) + 1):
        for support in combinations(range(len(a)), size):
            # On the support alone: what is unused would come out a rounding error below 0, and be refused.
            used = solve_indifference(a[np.ix_(support, support)], range(size), range(size))
            if used is not False:
                x = np.zeros(len(a))
                x[list(support)] = used
                yield _weights(x)


def _vertices(a: Vector) -> Iterator[Vector]:
    """Yield the mixtures at which as many policies as possible are unused or best replies."""
    from nashpy.polytope import build_halfspaces, non_trivial_vertices
    from scipy.spatial import QhullError

    # Adding a constant changes no equilibrium; the polytope needs positive payoffs.
    try:
        for vertex, _ in non_trivial_vertices(build_halfspaces(a - a.min() + 1.0)):
            yield _weights(vertex)
    except QhullError:
        return


def _paths(a: Vector) -> list[tuple[Vector, Vector]]:
    """Return the equilibria at the ends of the Lemke-Howson paths from every label."""
    import nashpy

    game = nashpy.Game(a - a.min() + 1.0, (a - a.min() + 1.0).T)
    ends = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        for label in range(2 * len(a)):
            row, column = game.lemke_howson(initial_dropped_label=label)
            if row.shape == column.shape == (len(a),) and np.isfinite([row, column]).all():
                ends.append((_weights(row), _weights(column)))
    return [pair for pair in ends if is_equilibrium(a, *pair)]


def _weights(x: Vector) -> Vector:
    """Return a vector as a distribution without the dust that solving leaves."""
    kept = np.where(np.asarray(x, dtype=float) > 1e-12, x, 0.0)
    return np.asarray(kept / kept.sum(), dtype=float)
