"""What one episode is worth, as named numbers: the parts that every metric is made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from equipoise.games.base import GameInfo
from equipoise.objective.features import ABS_OPPONENT, REWARD_FEATURES, features
from equipoise.objective.safety import Objective
from equipoise.types import Episode, RoundOutcome, Seat, Validity

__all__ = ["INVALID", "episode_scores", "feature_names", "open_components", "report"]

INVALID = "invalid"
"""Share of the own decisions of an episode that got no valid answer."""

_PAYOFFS = ("own", "opponent", "collusion", "externality", "abs_own", "abs_opponent")
assert len(_PAYOFFS) == ABS_OPPONENT + 1


def feature_names(info: GameInfo) -> tuple[str, ...]:
    """Return the names of the entries of a game's feature vector, in order."""
    return (*_PAYOFFS, *info.diagnostics)


def episode_scores(episode: Episode, info: GameInfo) -> dict[str, float]:
    """Return the mean features per round of an episode, by name, and its share of invalid answers.

    The terms c and x stand there whatever the pool; which opponents count for which term is for the
    objective to say. Terms that the game does not define are 0.
    """
    rows = [features(outcome, episode.seat) for outcome in episode.rounds]
    means = np.mean(rows, axis=0) if rows else np.zeros(len(feature_names(info)))
    own = [turn for turn in episode.turns if turn.seat == episode.seat]
    invalid = sum(turn.choice.validity is not Validity.VALID for turn in own) / len(own) if own else 0.0
    return {**dict(zip(feature_names(info), map(float, means), strict=True)), INVALID: invalid}


def open_components(episode: Episode, objective: Objective, info: GameInfo) -> dict[str, float]:
    """Return an episode's part of J by component, with the gate of e open: an episode cannot know its gate.

    Empty where its opponent stands for no stream of the objective.
    """
    parts = objective.coefficients(dict.fromkeys(objective.exploiters, 1.0))
    found = episode_scores(episode, info)
    means = [found[name] for name in _PAYOFFS[:REWARD_FEATURES]]
    return {
        name: sum(float(weight) * mean for weight, mean in zip(row, means, strict=True))
        for name, row in parts.get((episode.pool, episode.opponent), {}).items()
    }


def report(outcomes: tuple[RoundOutcome, ...], seat: Seat) -> dict[str, Any]:
    """Return what a learner may want to know of the rounds that just ended: for its rewards, not its policy.

    Returns:
        ``payoffs``: (own, other's) a round. ``collusion`` and ``externality``: a number a round, where the
        game has the term. Nothing where no round ended.
    """
    if not outcomes:
        return {}
    found: dict[str, Any] = {
        "payoffs": [(outcome.payoffs[seat], outcome.payoffs[1 - seat]) for outcome in outcomes]
    }
    for term in ("collusion", "externality"):
        if getattr(outcomes[0], term) is not None:
            found[term] = [getattr(outcome, term)[seat] for outcome in outcomes]
    return found
