"""Credit that keeps the penalties apart from the decisions that cause them.

Both estimators train on episodes of the train pool only. What exploiters and collusive partners cost is
measured on their episodes and added to the rewards of train-pool rollouts, as the SEPO paper (arXiv
2605.30854) describes and ablates; |𝒯| opponents share the penalty as they share the utility, so the rewards
of a batch still add up to J. They are here to be measured against ``per_pool``
(``equipoise study credit``): the episodes behind a penalty are independent of the decisions it is added
to, given the policy, so neither moves the policy out of an exploiter's reach. What a train-pool rollout
costs outsiders itself (its own externality) is part of its reward under every estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import RequestError, unknown
from equipoise.objective.credit import (
    Credit,
    Estimator,
    Gates,
    credit_returns,
    own_returns,
    per_pool,
    reward_weights,
)
from equipoise.objective.groups import Group
from equipoise.objective.safety import Objective, Stream

__all__ = ["CONSTANT", "ESTIMATORS", "estimator_named", "per_rollout", "shared"]

Array = NDArray[np.float64]
TRAIN = "train"
_Penalties = Callable[[Group], Array]


def shared(
    groups: Sequence[Group],
    objective: Objective,
    gates: Gates,
    independent: bool,
    components: Sequence[str] | None = None,
) -> Credit:
    """Add one penalty, the batch's mean, to every train-pool rollout (see ``credit.Estimator``).

    A constant over a group cancels in its advantages: the penalties have exactly no gradient.
    """
    weights = reward_weights(groups, objective, gates, components)
    costs: dict[Stream, list[float]] = {}
    for group, weight in zip(groups, weights, strict=True):
        if group.stream[0] != TRAIN:
            costs.setdefault(group.stream, []).extend(_means(group, weight))
    penalty = sum(float(np.mean(found)) for found in costs.values())
    return _credit_train(
        groups, weights, objective, independent, lambda group: np.full(len(group.rollouts), penalty)
    )


def per_rollout(
    groups: Sequence[Group],
    objective: Objective,
    gates: Gates,
    independent: bool,
    components: Sequence[str] | None = None,
) -> Credit:
    """Add to each train-pool rollout the penalty of episodes of its own (see ``credit.Estimator``).

    They are the exploiter and collusive episodes with the rollout's deal, seat and number. Their expectation
    does not depend on what the rollout did: on average the penalties have no gradient, only noise.

    Raises:
        RequestError: A train-pool rollout has no such episode with one of the opponents.
    """
    weights = reward_weights(groups, objective, gates, components)
    costs: dict[Stream, dict[tuple[int, int], list[float]]] = {}
    for group, weight in zip(groups, weights, strict=True):
        if group.stream[0] != TRAIN:
            costs.setdefault(group.stream, {})[group.seat, group.deal] = _means(group, weight)

    def penalties(group: Group) -> Array:
        total = np.zeros(len(group.rollouts))
        for stream, found in costs.items():
            rows = found.get((group.seat, group.deal), [])
            if len(rows) < len(total):
                raise RequestError(
                    f"credit = 'per_rollout': deal {group.deal}, seat {group.seat} has {len(rows)} episodes "
                    f"with {stream[0]} {stream[1]!r} for {len(total)} rollouts with {group.stream[1]!r}: "
                    "play every opponent as often as the others, or use credit = 'per_pool'"
                )
            total += rows[: len(total)]
        return total

    return _credit_train(groups, weights, objective, independent, penalties)


def _credit_train(
    groups: Sequence[Group],
    weights: Sequence[Array],
    objective: Objective,
    independent: bool,
    penalties: _Penalties,
) -> Credit:
    """Return the credit of the train pool with (G,) penalties added to the returns of each group."""
    train = objective.pools.train
    returns: list[list[Array] | None] = []
    for group, weight in zip(groups, weights, strict=True):
        if group.stream[0] != TRAIN:
            returns.append(None)
            continue
        share = train.count(group.stream[1]) / len(train)
        own = own_returns(group, weight, independent)
        returns.append([row + share * by for row, by in zip(own, penalties(group), strict=True)])
    return credit_returns(groups, returns)


def _means(group: Group, weight: Array) -> list[float]:
    """Return each rollout's mean reward per round."""
    return [float((rollout.features @ weight).mean()) for rollout in group.rollouts]


ESTIMATORS: Mapping[str, Estimator] = {"per_pool": per_pool, "per_rollout": per_rollout, "shared": shared}
"""All credit estimators by name, the default first."""

CONSTANT = frozenset({"shared"})
"""Those that give all members of a group the same penalty, which cancels whatever was played."""


def estimator_named(name: str) -> Estimator:
    """Return the credit estimator of a name.

    Raises:
        RequestError: There is none; the message names the nearest.
    """
    if name not in ESTIMATORS:
        raise unknown("credit", name, ESTIMATORS)
    return ESTIMATORS[name]
