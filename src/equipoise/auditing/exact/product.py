"""The value of one finite-memory strategy against another, exactly.

The episode runs on the product of the rules' state and both memories: a distribution over such nodes is
pushed forward, equal nodes are merged, and each finished round adds the weight E[1/T] to its outcome; at the
end the outcomes, far fewer than the rounds they ended, are turned into features.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from equipoise.auditing.exact.dynamics import TooLargeError, check_end
from equipoise.auditing.exact.typed import typed_features
from equipoise.games.base import Game, State, Step
from equipoise.objective.features import Features, feature_count, features
from equipoise.opponents.base import Strategy
from equipoise.types import Action, RoundOutcome, Seat

__all__ = ["expected_features", "joint_actions", "placed_features"]

Node = tuple[State, tuple[Hashable, ...]]


def expected_features(
    game: Game, policy: Strategy, opponent: Strategy, seat: Seat, limit: int | None = None
) -> Features:
    """Return E[(1/T) Σ_t features] of ``policy`` at ``seat`` against ``opponent``.

    Args:
        game: The rules.
        policy: The strategy that is valued.
        opponent: Whom it meets.
        seat: Where it sits.
        limit: Largest number of steps to take; None sets no limit.

    Raises:
        TooLargeError: It takes more steps.
    """
    if game.hidden_types() is not None:
        # Such games are symmetric: a policy is worth the same at both seats.
        return typed_features(game, policy, opponent, limit)
    pair = (policy, opponent) if seat == 0 else (opponent, policy)
    masses: dict[RoundOutcome, float] = defaultdict(float)
    taken = 0
    nodes: dict[Node, float] = defaultdict(float)
    for m0, p0 in pair[0].start():
        for m1, p1 in pair[1].start():
            nodes[game.initial_state(), (m0, m1)] += p0 * p1
    while nodes:
        following: dict[Node, float] = defaultdict(float)
        for (state, memories), weight in nodes.items():
            for step, probability in _successors(state, memories, pair):
                mass = weight * probability
                taken += 1
                if step.outcome is not None:
                    check_end(game, state, step)
                    masses[step.outcome] += mass * game.round_weight(state.round)
                if not step.state.is_over:
                    following[step.state, _learn(pair, memories, step)] += mass
            if limit is not None and taken > limit:
                raise TooLargeError(f"{game.name}: more than {limit} steps, too many to value exactly")
        nodes = following
    total = np.zeros(feature_count(game.info_record))
    for outcome, mass in masses.items():
        total += mass * features(outcome, seat)
    return total


def placed_features(
    game: Game, placed: Sequence[tuple[Strategy, Seat]], opponent: Strategy, limit: int | None = None
) -> Features:
    """Return the expected features of a policy against an opponent, mean over its placements.

    Args:
        game: The rules.
        placed: The policy in finite-memory form and the seat it sits at, once for every placement.
        opponent: Whom it meets.
        limit: Largest number of steps to take for a placement; None sets no limit.

    Raises:
        TooLargeError: It takes more steps.
    """
    rows = [expected_features(game, strategy, opponent, seat, limit) for strategy, seat in placed]
    return np.asarray(np.mean(rows, axis=0))


def joint_actions(
    state: State, distributions: Mapping[Seat, Mapping[Action, float]]
) -> Iterator[tuple[dict[Seat, Action], float]]:
    """Yield every joint action of positive probability with that probability."""
    combinations: list[tuple[dict[Seat, Action], float]] = [({}, 1.0)]
    for seat, distribution in distributions.items():
        combinations = [
            ({**actions, seat: action}, weight * p)
            for actions, weight in combinations
            for action, p in distribution.items()
            if p > 0.0
        ]
    yield from combinations


def _successors(
    state: State, memories: tuple[Any, ...], pair: tuple[Strategy, ...]
) -> Iterator[tuple[Step, float]]:
    if state.chance is not None:
        for outcome, probability in state.chance_outcomes():
            if probability > 0.0:
                yield state.apply_chance(outcome), probability
        return
    distributions = {
        seat: pair[seat].probabilities(memories[seat], state.observation(seat), state.legal_actions(seat))
        for seat in state.players_to_move
    }
    if all(len(distribution) == 1 for distribution in distributions.values()):
        # Nothing is drawn: what most scripted strategies do.
        certain = {seat: action for seat, (action,) in distributions.items()}
        yield state.apply(certain), prod(p for row in distributions.values() for p in row.values())
        return
    for actions, probability in joint_actions(state, distributions):
        yield state.apply(actions), probability


def _learn(pair: tuple[Strategy, ...], memories: tuple[Any, ...], step: Step) -> tuple[Any, ...]:
    if not step.signals:
        return memories
    return tuple(
        strategy.update(memory, signal)
        for strategy, memory, signal in zip(pair, memories, step.signals, strict=True)
    )
