"""The numbers that every metric is made of: one vector a finished round, seen from one seat.

Expected features per round against one opponent are all that the objective needs: it is a function of
their means. The order of the vector is fixed by the constants below; a game's diagnostics follow.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equipoise.games.base import GameInfo
from equipoise.types import RoundOutcome, Seat

__all__ = [
    "ABS_OPPONENT",
    "ABS_OWN",
    "COLLUSION",
    "EXTERNALITY",
    "OPPONENT",
    "OWN",
    "REWARD_FEATURES",
    "Features",
    "bounds",
    "feature_count",
    "features",
]

Features = NDArray[np.float64]
"""A feature vector, or an array whose last axis is one."""

OWN, OPPONENT, COLLUSION, EXTERNALITY, ABS_OWN, ABS_OPPONENT = range(6)
REWARD_FEATURES = 4
"""Rewards are linear in the first four features."""


def feature_count(info: GameInfo) -> int:
    """Return the length of a game's feature vector."""
    return 6 + len(info.diagnostics)


def features(outcome: RoundOutcome, seat: Seat) -> Features:
    """Return the feature vector of a round as seen from a seat.

    The opponent's payoff is the mean over the other seats, 0 if there are none. Terms that do not apply
    are 0.
    """
    payoffs = outcome.payoffs
    others = [payoff for s, payoff in enumerate(payoffs) if s != seat] or [0.0]
    other = sum(others) / len(others)
    own = payoffs[seat]
    return np.array(
        [
            own,
            other,
            outcome.collusion[seat] if outcome.collusion else 0.0,
            outcome.externality[seat] if outcome.externality else 0.0,
            abs(own),
            sum(abs(payoff) for payoff in others) / len(others),
            *(values[seat] for values in outcome.diagnostics),
        ]
    )


def bounds(info: GameInfo) -> tuple[Features, Features]:
    """Return lower and upper bounds of a game's feature vector (terms and diagnostics lie in [0, 1])."""
    low, high = info.payoff_bounds
    top = max(abs(low), abs(high))
    rest = len(info.diagnostics)
    lower = [low, low, 0.0, 0.0, 0.0, 0.0, *([0.0] * rest)]
    upper = [high, high, 1.0, 1.0, top, top, *([1.0] * rest)]
    return np.array(lower), np.array(upper)
