"""Control variates: less noise from the same deals, at no bias.

Every draw of an episode (of chance, of an opponent or of the policy) has a known distribution p. Whatever
V is, Σ_a p(a)·V(a) − V(a taken) has expectation 0, so it may be added to the episode's features; with V near
the expected features that follow it takes away what the draw contributed by luck. This is AIVAT (Burch,
Schmid, Moravčík, Morrill and Bowling, AAAI 2018, arXiv 1612.06915) with V fitted to earlier deals only: a
table of mean features to go, by what was known and drawn. A deal never meets a V that it helped to fit.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.statistics.replay import Draw, draws_of
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.objective.features import feature_count, features
from equipoise.policies.base import AnyPolicy, Policy
from equipoise.types import Episode

__all__ = ["ValueTable", "Variates"]

Vector = NDArray[np.float64]

FAITH = 4.0
"""Observations that the mean of all actions counts in the value of one."""

ROWS = 50_000
"""(key, action) pairs kept at most; draws beyond them are not corrected."""


class ValueTable:
    """Mean features that follow a draw, by key and what was drawn; shrunk to the mean of the key."""

    def __init__(self, width: int) -> None:
        """Take the number of features."""
        self._width = width
        self._rows: dict[Hashable, dict[Hashable, Vector]] = {}
        self._count = 0

    def learn(self, key: Hashable, taken: Hashable, togo: Vector) -> None:
        """Take what followed a draw."""
        if key not in self._rows and self._count >= ROWS:
            return
        row = self._rows.setdefault(key, {})
        if taken not in row:
            row[taken] = np.zeros(self._width + 1)
            self._count += 1
        row[taken][0] += 1.0
        row[taken][1:] += togo

    def correction(self, draw: Draw, key: Hashable) -> Vector:
        """Return Σ p·V − V(taken), 0 where nothing is known."""
        row = self._rows.get(key)
        if row is None:
            return np.zeros(self._width)
        total = np.sum(list(row.values()), axis=0)
        mean = total[1:] / total[0]
        # Only differences from the key's mean count: whatever was never seen is worth that mean.
        return np.asarray(
            sum(
                (draw.probabilities.get(drawn, 0.0) - (drawn == draw.taken)) * _lead(sums, mean)
                for drawn, sums in row.items()
            )
        )


class Variates:
    """Corrections of one audit's episodes, which must come in the order of their deals."""

    def __init__(self, game: Game, policy: AnyPolicy, opponents: Mapping[str, AnyPolicy]) -> None:
        """Take the game and who plays.

        Raises:
            RequestError: Neither the policy nor chance nor an opponent draws from known distributions.
        """
        self._game, self._alone = game, game.info_record.independent_rounds
        self._table = ValueTable(feature_count(game.info_record))
        self._policy, self._opponents = _gives(policy), {n: _gives(o) for n, o in opponents.items()}
        self._deal, self._waiting = -1, list[tuple[Hashable, Hashable, Vector]]()
        if not self._policy and not any(self._opponents.values()):
            raise RequestError("--control-variates needs a policy or opponents that give probabilities")

    def correction(self, episode: Episode) -> Vector:
        """Return (F,): what to add to an episode's mean features; its expectation is 0."""
        if episode.deal != self._deal:
            for seen in self._waiting:
                self._table.learn(*seen)
            self._deal, self._waiting = episode.deal, []
        rows = np.array([features(outcome, episode.seat) for outcome in episode.rounds]) / len(episode.rounds)
        togo = rows if self._alone else np.cumsum(rows[::-1], axis=0)[::-1]
        total = np.zeros(rows.shape[1])
        for draw in draws_of(self._game, episode, self._seats(episode)):
            key = (episode.opponent, draw.key)
            total += self._table.correction(draw, key)
            self._waiting.append((key, draw.taken, togo[min(draw.round, len(togo) - 1)]))
        return total

    def _seats(self, episode: Episode) -> frozenset[int]:
        others = range(len(episode.policies)) if self._opponents[episode.opponent] else ()
        found = {seat for seat in others if seat != episode.seat}
        return frozenset(found | ({episode.seat} if self._policy else set()))


def _gives(player: AnyPolicy) -> bool:
    """Tell whether a player's answers, if they carry probabilities, always do: never a matter of luck."""
    return isinstance(player, Policy) and (player.always_legal or player.strict)


def _lead(sums: Vector, mean: Vector) -> Vector:
    count = sums[0]
    return np.asarray(count / (count + FAITH) * (sums[1:] / count - mean))
