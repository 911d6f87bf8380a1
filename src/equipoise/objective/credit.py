"""Who is credited for what: from groups of rollouts to one advantage a decision.

``per_pool`` is the gradient of J: J is a weighted sum of expectations over streams, so every stream's own
decisions are trained on that stream's own reward-to-go,

    ∇J = Σ_o E_o[ Σ_t ∇log π(a_t | h_t) · (1/T) Σ_{k >= round(t)} r_k ],

an exploiter's reward being −λe·(s/|ℰ|)·g_o·(opponent − own) and so on (``Objective.coefficients``). The
batch estimate divides each stream's sum by that stream's number of episodes; token or row averages would
re-weight streams by length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.objective.advantages import leave_one_out, returns_to_go
from equipoise.objective.groups import Group
from equipoise.objective.safety import Objective, Stream

__all__ = ["Credit", "per_pool"]


@dataclass(frozen=True)
class Credit:
    """Advantages of a batch.

    Attributes:
        advantages: For each group, for each rollout, (D,) one number a decision.
        episodes: Episodes of each stream, by which its sum is divided.
        dead: Keys at which a group had nothing to compare.
        keys: Keys in all.
    """

    advantages: list[list[NDArray[np.float64]]]
    episodes: dict[Stream, int]
    dead: int
    keys: int


def per_pool(
    groups: Sequence[Group],
    objective: Objective,
    gates: Sequence[float] | Mapping[str, float],
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
    advantages: list[list[NDArray[np.float64]]] = []
    episodes: Counter[Stream] = Counter()
    dead = keys = 0
    for index, group in enumerate(groups):
        name = group.stream[1]
        gate = gates.get(name, 0.0) if isinstance(gates, Mapping) else gates[index]
        parts = objective.coefficients(dict.fromkeys(objective.pools.exploiter, gate))[group.stream]
        chosen = [v for k, v in parts.items() if components is None or k in components]
        weight = np.sum(chosen, axis=0) if chosen else np.zeros(group.rollouts[0].features.shape[1])
        returns = [returns_to_go(r.features @ weight, independent) for r in group.rollouts]
        found, still = leave_one_out(group, returns)
        advantages.append(found)
        episodes[group.stream] += len(group.rollouts)
        dead += still
        keys += len({(t, n) for r in group.rollouts for t, n in zip(r.rounds, r.steps, strict=True)})
    return Credit(advantages, dict(episodes), dead, keys)
