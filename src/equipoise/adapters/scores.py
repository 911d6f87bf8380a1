"""What one episode is worth, as named numbers: the parts that every metric is made of."""

from __future__ import annotations

import numpy as np

from equipoise.games.base import GameInfo
from equipoise.objective.features import ABS_OPPONENT, features
from equipoise.types import Episode, Validity

__all__ = ["INVALID", "episode_scores", "feature_names"]

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
