"""λ by constraint: multipliers that dual ascent sets so that e, c and x end within limits.

The penalised objective is the Lagrangian of a constrained problem, maximise s·u subject to e <= ε_e,
c <= ε_c, x <= ε_x (E. Altman, *Constrained Markov Decision Processes*, 1999). The policy ascends it at the
multipliers in force, and between its steps they follow the constraints,

    λ <- clip(λ + η · (estimate − ε), 0, λ_max)

(the primal-dual method of Tessler et al., arXiv 1805.11074, and Ray, Achiam and Amodei, *Benchmarking Safe
Exploration in Deep Reinforcement Learning*, 2019; the problem is that of constrained policy optimisation,
arXiv 1705.10528). A term without a limit keeps its weight.

Estimates may be noisy and come from the very episodes that the gradient was taken on: what they set is the
multiplier of the *next* step, whose episodes are independent of them, so no cross-fitting is needed. The
hinge of a noisy mean errs upward, which makes λ err to the safe side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equipoise.errors import RequestError
from equipoise.games.base import Weights
from equipoise.objective.features import Features
from equipoise.objective.groups import Group
from equipoise.objective.safety import Objective, Stream

__all__ = ["TERMS", "DualAscent", "constrained", "mean_features"]

TERMS = ("e", "c", "x")
"""The terms of J that can have a limit, in the order of the weights."""


class DualAscent:
    """The multipliers of a constrained run.

    Attributes:
        weights: The multipliers in force, λe, λc and λx.
        limits: The limits ε by term; a term without one keeps its weight.
    """

    def __init__(self, weights: Weights, limits: Mapping[str, float], lr: float, top: float) -> None:
        """Start at given weights, those of limited terms clipped to the largest one allowed.

        Args:
            weights: The weights to start from.
            limits: Limits by term.
            lr: η, the step size.
            top: λ_max.
        """
        self.limits = dict(limits)
        self._lr, self._top = lr, top
        self.weights = weights.replace({name: min(getattr(weights, name), top) for name in self.limits})

    def update(self, found: Mapping[str, float | None]) -> None:
        """Take a dual step.

        Args:
            found: The estimate of every limited term; None where nobody is met who would tell, which leaves
                the multiplier as it is.
        """
        moved = {}
        for name, limit in self.limits.items():
            value = found[name]
            if value is None:
                continue
            raised = getattr(self.weights, name) + self._lr * (value - limit)
            moved[name] = min(max(raised, 0.0), self._top)
        self.weights = self.weights.replace(moved)

    def excess(self, found: Mapping[str, float | None], scale: float) -> float:
        """Return by how much the limits are broken in all, in the units of J: e counts s times.

        Args:
            found: The estimate of every limited term.
            scale: s of the objective.
        """
        total = 0.0
        for name, limit in self.limits.items():
            value = found[name]
            assert value is not None
            total += (scale if name == "e" else 1.0) * max(0.0, value - limit)
        return total

    def state_dict(self) -> dict[str, Any]:
        """Return the multipliers."""
        return {name: getattr(self.weights, name) for name in TERMS}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` returned."""
        self.weights = Weights(**{name: float(state[name]) for name in TERMS})


def constrained(objective: Objective, limits: Mapping[str, float], game: str) -> dict[str, float]:
    """Return limits, after a check that the game has the terms.

    Args:
        objective: The objective.
        limits: Limits by term.
        game: Name of the game.

    Raises:
        RequestError: A limit is set on a term that does not apply.
    """
    has = {
        "e": bool(objective.exploiters),
        "c": objective.has_collusion,
        "x": objective.has_externality,
    }
    for name in limits:
        if not has[name]:
            known = ", ".join(term for term in TERMS if has[term]) or "none"
            raise RequestError(
                f"limits.{name} = {limits[name]:g}: {name} is not applicable to {game} with these pools, "
                f"limit what is ({known})"
            )
    return dict(limits)


def mean_features(groups: Sequence[Group]) -> dict[Stream, Features]:
    """Return each stream's mean features per round, averaged over the seats that were played.

    The hinge is then taken of an opponent's mean, as in audits, never of an episode.
    """
    rows: dict[Stream, dict[int, list[Features]]] = {}
    for group in groups:
        seats = rows.setdefault(group.stream, {})
        seats.setdefault(group.seat, []).extend(r.features.mean(axis=0) for r in group.rollouts)
    return {
        stream: np.mean([np.mean(found, axis=0) for found in seats.values()], axis=0)
        for stream, seats in rows.items()
    }
