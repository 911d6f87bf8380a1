"""Best replies: to a fixed opponent, and of any opponent to a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.exact.beliefs import beliefs
from equipoise.auditing.exact.compile import compile_tree
from equipoise.auditing.exact.tree import InformationKey, Tree
from equipoise.auditing.exact.typed_reply import typed_best
from equipoise.games.base import Game
from equipoise.objective.features import OPPONENT, OWN, Features, feature_count
from equipoise.opponents.base import Strategy
from equipoise.opponents.recall import TableStrategy
from equipoise.types import Action, Seat

__all__ = ["WorstCase", "best_reply", "reply_table", "reply_value", "responder", "worst_case"]


def best_reply(tree: Tree, rewards: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return the value and the (I, A) choices of the plan that earns most.

    Args:
        tree: The tables.
        rewards: (S,) what each sequence earns.
    """
    below = np.zeros(len(tree.payoff))
    choice = np.zeros(tree.sequences.shape)
    mask = tree.mask
    for level in reversed(tree.levels):
        rows = tree.sequences[level]
        q = np.where(mask[level], rewards[rows] + below[rows], -np.inf)
        best = q.argmax(axis=1)
        choice[level, best] = 1.0
        np.add.at(below, tree.parents[level], q[np.arange(len(level)), best])
    return float(rewards[0] + below[0]), choice


def reply_table(name: str, tree: Tree, choice: NDArray[np.float64]) -> TableStrategy:
    """Turn (I, A) probabilities into a strategy that can be played and compiled."""
    return TableStrategy(
        name,
        {
            key: {action: float(p) for action, p in zip(legal, row, strict=False) if p > 0.0}
            for key, legal, row in zip(tree.keys, tree.legal, choice, strict=True)
        },
    )


@dataclass(frozen=True)
class WorstCase:
    """What the strongest opponents do to a policy, averaged over the policy's seats.

    Attributes:
        best_response: Largest mean payoff per round that an opponent can reach.
        security: Smallest own mean payoff per round that an opponent can force.
    """

    best_response: float
    security: float


def worst_case(game: Game, placed: Sequence[tuple[Strategy, Seat]], limit: int | None = None) -> WorstCase:
    """Return the policy's worst case, exactly.

    Args:
        game: The rules; pass ``game.stage()`` where rounds are independent.
        placed: The policy in finite-memory form and the seat it sits at, once for every placement.
        limit: Largest number of steps of the rules to take for a placement; None sets no limit.

    Raises:
        TooLargeError: It takes more.
    """
    rewards = np.array([_reward(game, OWN, 1.0), _reward(game, OPPONENT, -1.0)])
    rows = [_best(game, strategy, 1 - seat, rewards, limit) for strategy, seat in placed]
    gain, loss = np.mean(rows, axis=0)
    return WorstCase(float(gain), 0.0 - float(loss))


def reply_value(game: Game, opponent: Strategy, limit: int | None = None) -> float:
    """Return the largest payoff per round that any policy can have against an opponent, mean over seats.

    Args:
        game: The rules; pass ``game.stage()`` where rounds are independent.
        opponent: The opponent in finite-memory form.
        limit: Largest number of steps of the rules to take for a seat; None sets no limit.

    Raises:
        TooLargeError: It takes more.
    """
    rewards = np.array([_reward(game, OWN, 1.0)])
    return float(np.mean([_best(game, opponent, seat, rewards, limit)[0] for seat in _seats(game)]))


def _best(
    game: Game, opponent: Strategy, seat: Seat, rewards: NDArray[np.float64], limit: int | None
) -> NDArray[np.float64]:
    """Return (R,): the largest expected reward per round of a responder at a seat, for each reward."""
    if game.hidden_types() is not None:
        return typed_best(game, opponent, rewards, limit)
    graph = beliefs(game, opponent, seat, limit)
    return np.array([graph.best(reward) for reward in rewards])


def responder(
    game: Game, policy: Strategy, reward: Features, name: str, limit: int = 100_000, whole: bool = True
) -> Strategy:
    """Return the strategy, for both seats, that earns most against the policy.

    Args:
        game: The rules; pass ``game.stage()`` where rounds are independent.
        policy: The policy in finite-memory form.
        reward: (F,) what a round's features are worth to the responder.
        name: Name of the responder.
        limit: Largest number of the responder's information states.
        whole: Whether the table has the information states that the responder's own choices avoid, too.
    """
    table: dict[InformationKey, Mapping[Action, float]] = {}
    for seat in _seats(game):
        tree = compile_tree(game, {"policy": policy}, seat, limit)
        choice = best_reply(tree, tree.payoff[:, 0] @ reward)[1]
        rows = reply_table(name, tree, choice).table
        reached = tree.realisation(choice)[tree.parents] > 0.0
        table.update({key: rows[key] for key, y in zip(tree.keys, reached, strict=True) if whole or y})
    return TableStrategy(name, table)


def gap_reward(game: Game) -> Features:
    """Return the reward that makes a responder maximise its lead, own minus the policy's payoff."""
    return _reward(game, OWN, 1.0) + _reward(game, OPPONENT, -1.0)


def _reward(game: Game, feature: int, weight: float) -> Features:
    vector = np.zeros(feature_count(game.info_record))
    vector[feature] = weight
    return vector


def _seats(game: Game) -> tuple[Seat, ...]:
    return (0,) if game.info_record.symmetric else tuple(range(game.info_record.seats))
