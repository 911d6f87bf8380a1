"""Who is credited for what: from groups of rollouts to one advantage a decision.

``per_pool`` is the gradient of J: J is a weighted sum of expectations over streams, so every stream's own
decisions are trained on that stream's own reward-to-go,

    ∇J = Σ_o E_o[ Σ_t ∇log π(a_t | h_t) · (1/T) Σ_{k >= round(t)} r_k ],

an exploiter's reward being −λe·(s/|ℰ|)·g_o·(opponent − own) and so on (``Objective.coefficients``). The
batch estimate divides each stream's sum by that stream's number of episodes; token or row averages would
re-weight streams by length. Estimators that train on the train pool only are in ``penalties``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.objective.advantages import leave_one_out, returns_to_go
from equipoise.objective.groups import Group
from equipoise.objective.safety import Objective, Stream

__all__ = ["Credit", "Estimator", "Gates", "credit_returns", "own_returns", "per_pool", "reward_weights"]

Array = NDArray[np.float64]
Gates = Sequence[float] | Mapping[str, float]
"""The hinge's gate of each group, or of each exploiter."""


@dataclass(frozen=True)
class Credit:
    """Advantages of a batch.

    Attributes:
        advantages: For each group, for each rollout, (D,) one number a decision; nothing for a group that
            is not trained on.
        episodes: Episodes of each stream that is trained on, by which its sum is divided.
        dead: Keys at which a group had nothing to compare.
        keys: Keys in all.
    """

    advantages: list[list[Array]]
    episodes: dict[Stream, int]
    dead: int
    keys: int


class Estimator(Protocol):
    """Credits the decisions of a batch."""

    def __call__(
        self,
        groups: Sequence[Group],
        objective: Objective,
        gates: Gates,
        independent: bool,
        components: Sequence[str] | None = None,
    ) -> Credit:
        """Return the advantages of a batch under the objective.

        Args:
            groups: The batch.
            objective: The objective; its weights are not normalised away.
            gates: The hinge's gate of each group, or of each exploiter.
            independent: Whether a return ends with its round.
            components: Only these components of the reward (default: all of them).
        """
        ...


def per_pool(
    groups: Sequence[Group],
    objective: Objective,
    gates: Gates,
    independent: bool,
    components: Sequence[str] | None = None,
) -> Credit:
    """Train every stream on its own reward-to-go (see :class:`Estimator`): the gradient of J."""
    weights = reward_weights(groups, objective, gates, components)
    returns = [own_returns(g, w, independent) for g, w in zip(groups, weights, strict=True)]
    return credit_returns(groups, returns)


def reward_weights(
    groups: Sequence[Group], objective: Objective, gates: Gates, components: Sequence[str] | None = None
) -> list[Array]:
    """Return what a round's features are worth to J in each group, (F,) a group."""
    tables: dict[float, dict[Stream, dict[str, Array]]] = {}
    weights = []
    for index, group in enumerate(groups):
        gate = gates.get(group.stream[1], 0.0) if isinstance(gates, Mapping) else gates[index]
        if gate not in tables:
            tables[gate] = objective.coefficients(dict.fromkeys(objective.exploiters, gate))
        parts = tables[gate][group.stream]
        chosen = [vector for name, vector in parts.items() if components is None or name in components]
        zero = np.zeros(group.rollouts[0].features.shape[1])
        weights.append(np.sum(chosen, axis=0) if chosen else zero)
    return weights


def own_returns(group: Group, weight: Array, independent: bool) -> list[Array]:
    """Return, for each rollout, the (T,) returns from each round on of its own rewards."""
    return [returns_to_go(rollout.features @ weight, independent) for rollout in group.rollouts]


def credit_returns(groups: Sequence[Group], returns: Sequence[Sequence[Array] | None]) -> Credit:
    """Return the advantages of returns; a group without any is not trained on."""
    advantages: list[list[Array]] = []
    episodes: Counter[Stream] = Counter()
    dead = keys = 0
    for group, rows in zip(groups, returns, strict=True):
        if rows is None:
            advantages.append([])
            continue
        found, still = leave_one_out(group, rows)
        advantages.append(found)
        episodes[group.stream] += len(group.rollouts)
        dead += still
        keys += len({(t, n) for r in group.rollouts for t, n in zip(r.rounds, r.steps, strict=True)})
    return Credit(advantages, dict(episodes), dead, keys)
