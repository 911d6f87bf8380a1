"""From rewards to advantages: within one group of rollouts (SEPO), or over the turns of a strategist (EPO).

**SEPO.** A decision's return is the reward from its round on, over the number of rounds:
``(1/T) Σ_{k >= round} r_k`` (ending with the round where rounds are independent). Its advantage is the
return minus the leave-one-out mean of the other members' returns at the same *key* (round, n-th own
decision of the round), or, if no other member has the key, minus the others' mean return from the start
of that round. The others are independent of the decision's action, so the baseline adds no bias. There
is no division by a standard deviation: in an exploiter group every reward carries λe, and it would cancel.

**EPO** (arXiv 2502.12486). A turn that the judge calls decisive has reward 1, any other 0, and
``R_t = Σ_{k >= t} γ^{k−t} r_k`` is its return. ``maxabs`` is the paper's: each trajectory's returns over its
largest one, so that advantages are never negative and failures are reinforced as much as successes. ``loo``
and ``group`` compare trajectories of the same start instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.objective.groups import Group, Rollout

__all__ = [
    "discounted",
    "group",
    "leave_one_out",
    "loo",
    "maxabs",
    "outcome_at_end",
    "returns_to_go",
]

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


def outcome_at_end(rewards: Sequence[float] | Array, score: float) -> Array:
    """Return the rewards with the outcome as the last turn's, unless that turn has a reward already.

    The public code of EPO does this; the paper does not mention it.

    Args:
        rewards: (T,) reward of each turn.
        score: The trajectory's final score, in [0, 1].
    """
    found = np.array(rewards, dtype=np.float64)
    if len(found) and found[-1] == 0.0:
        found[-1] = score
    return found


def discounted(rewards: Sequence[float] | Array, gamma: float) -> Array:
    """Return (T,): ``Σ_{k >= t} γ^{k−t} r_k``, counted in the strategist's turns."""
    found = np.zeros(len(rewards))
    after = 0.0
    for t in range(len(found) - 1, -1, -1):
        after = float(rewards[t]) + gamma * after
        found[t] = after
    return found


def maxabs(rewards: Sequence[float] | Array, gamma: float = 0.99) -> Array:
    """Return (T,): each turn's return over the largest of the trajectory in size; all zero stays all zero.

    EPO's own (arXiv 2502.12486). The scale of the outcome is lost: whether it was 0.2 or 1.
    """
    returns = discounted(rewards, gamma)
    largest = float(np.abs(returns).max(initial=0.0))
    return returns / largest if largest > 0.0 else returns


def loo(rewards: Sequence[Sequence[float] | Array], gamma: float = 0.99) -> list[Array]:
    """Return each turn's return minus the mean of the other trajectories' at the same turn.

    Trajectories that ended before count with what they got from there on: nothing. The others are independent
    of the turn's words, so the baseline adds no bias. A trajectory without others keeps its returns.

    Args:
        rewards: For each trajectory of one start, (T_i,) reward of each turn.
        gamma: Discount a turn.
    """
    returns = [discounted(row, gamma) for row in rewards]
    found = []
    for i, own in enumerate(returns):
        others = [row for j, row in enumerate(returns) if j != i]
        found.append(own - _mean_at(others, len(own)) if others else own)
    return found


def group(rewards: Sequence[Sequence[float] | Array], gamma: float = 0.99) -> list[Array]:
    """Return each turn's return, centred and scaled by mean and spread of all turns' returns of the group.

    As in GRPO with process supervision (arXiv 2402.03300, section 4.1.3); biased, since a turn is compared
    with itself among others, and without a scale of its own. Equal returns give exactly 0.
    """
    returns = [discounted(row, gamma) for row in rewards]
    values = np.concatenate([np.zeros(0), *returns])
    spread = float(values.std()) if len(values) else 0.0
    # Below this, what differs is rounding.
    if spread <= 1e-12 * float(np.abs(values).max(initial=0.0)):
        return [np.zeros_like(row) for row in returns]
    return [(row - values.mean()) / spread for row in returns]


def _mean_at(rows: Sequence[Array], count: int) -> Array:
    total = np.zeros(count)
    for row in rows:
        shared = min(count, len(row))
        total[:shared] += row[:shared]
    return total / len(rows)
