"""From rewards to advantages, within one group of rollouts.

A decision's return is the reward from its round on, over the number of rounds:
``(1/T) Σ_{k >= round} r_k`` (ending with the round where rounds are independent). Its advantage is the
return minus the leave-one-out mean of the other members' returns at the same *key* (round, n-th own
decision of the round), or, if no other member has the key, minus the others' mean return from the start
of that round. The others are independent of the decision's action, so the baseline adds no bias. There
is no division by a standard deviation: in an exploiter group every reward carries λe, and it would cancel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.objective.groups import Group, Rollout

__all__ = ["leave_one_out", "returns_to_go"]

Array = NDArray[np.float64]


def returns_to_go(rewards: Sequence[float] | Array, independent: bool) -> Array:
    """Return (T,): the reward from each round on, over T.

    Sums are correctly rounded, so that equal multisets of rewards give equal returns to the last bit.

    Args:
        rewards: (T,) reward of each round.
        independent: Whether a return ends with its round.
    """
    values = [float(reward) for reward in rewards]
    count = len(values)
    if independent:
        return np.array(values) / max(count, 1)
    return np.array([math.fsum(values[k:]) / count for k in range(count)])


def leave_one_out(group: Group, returns: Sequence[Array]) -> tuple[list[Array], int]:
    """Return the advantages of every decision of every rollout, and how many keys were dead.

    Args:
        group: The rollouts.
        returns: For each rollout (T,) returns from each round on.

    Returns:
        One (D,) array a rollout; and the number of dead keys, at which all members have the same return
        and every advantage is exactly 0.
    """
    keys = [_keys(rollout) for rollout in group.rollouts]
    advantages: list[Array] = []
    dead: set[tuple[int, int]] = set()
    for i, rollout in enumerate(group.rollouts):
        row = np.zeros(len(rollout.rounds))
        for n, key in enumerate(zip(rollout.rounds.tolist(), rollout.steps.tolist(), strict=True)):
            row[n], spread = _advantage(i, key, keys, returns)
            if not spread:
                dead.add(key)
        advantages.append(row)
    return advantages, len(dead)


def _advantage(
    i: int, key: tuple[int, int], keys: Sequence[set[tuple[int, int]]], returns: Sequence[Array]
) -> tuple[float, bool]:
    """Return one decision's advantage, and whether any member's return differs from its own."""
    round_ = key[0]
    others = [j for j in range(len(returns)) if j != i and key in keys[j]]
    if not others:
        others = [j for j in range(len(returns)) if j != i and round_ < len(returns[j])]
    if not others:
        return 0.0, False
    own = float(returns[i][round_])
    differences = [own - float(returns[j][round_]) for j in others]
    return math.fsum(differences) / len(differences), any(differences)


def _keys(rollout: Rollout) -> set[tuple[int, int]]:
    return set(zip(rollout.rounds.tolist(), rollout.steps.tolist(), strict=True))
