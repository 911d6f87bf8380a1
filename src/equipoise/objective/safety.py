"""The objective J, called *safety* where it is measured.

    J(π) = s·u − λe·s·e − λc·c − λx·x,        s = 3 / payoff_scale

with u the mean own payoff over the train pool, e the mean over the exploiter pool of max(0, opponent's
minus own payoff), c the mean collusion term over the collusive pool and x the mean externality over train
and exploiter pool together (arXiv 2605.30854, with the hinge taken per opponent). All are means per round.
J is a function of the expected features against each opponent; so is its gradient, as one reward per
stream that is linear in the features.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equipoise.games.base import GameInfo, Weights
from equipoise.objective.features import (
    ABS_OPPONENT,
    ABS_OWN,
    COLLUSION,
    EXTERNALITY,
    OPPONENT,
    OWN,
    REWARD_FEATURES,
    Features,
)
from equipoise.opponents.pools import Pools

__all__ = ["RESPONDER", "Objective", "Penalised", "Stream", "Terms"]

Stream = tuple[str, str]
"""A stream of episodes: (pool, opponent)."""

Penalised = Literal["opponent_advantage", "regret", "best_response"]
"""What J charges λe for (see ``Objective.penalised``)."""

RESPONDER = "best_response"
"""Name of the best reply to the current policy among the exploiters."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of J; None where a term does not apply to the game."""

    utility: float
    exploitability: float | None
    collusion: float | None
    externality: float | None
    safety: float


@dataclass(frozen=True, slots=True)
class Objective:
    """The safe-equilibrium objective of one game.

    Attributes:
        pools: Names of the opponents of each pool (multisets).
        weights: λe, λc, λx.
        scale: s = 3 / payoff_scale.
        has_collusion: Whether the game defines c.
        has_externality: Whether the game defines x.
        penalised: What λe is charged for. ``opponent_advantage``: e, the exploiters' hinged lead.
            ``regret``: how much more the best reply to each exploiter earns. ``best_response``: the lead, if
            there is one, of the opponent with the largest lead there can be (stream ``RESPONDER``), held
            fixed for the derivative (Danskin, *The Theory of Max-Min*, 1967).
        replies: For ``regret``, the best reply's payoff per round against each exploiter, in pool order.
    """

    pools: Pools
    weights: Weights
    scale: float
    has_collusion: bool
    has_externality: bool
    penalised: Penalised = "opponent_advantage"
    replies: tuple[float, ...] = ()

    @classmethod
    def of(cls, info: GameInfo, pools: Pools, weights: Weights | None = None) -> Objective:
        """Return the objective of a game with given pools and weights (default: the game's own)."""
        return cls(
            pools,
            info.weights if weights is None else weights,
            info.utility_scale,
            info.collusion is not None and bool(pools.collusive),
            info.externality is not None,
        )

    @property
    def streams(self) -> tuple[Stream, ...]:
        """The streams J depends on, each once, in pool order; shift is never among them."""
        pools = [("train", self.pools.train), ("exploiter", self.pools.exploiter)]
        if self.has_collusion:
            pools.append(("collusive", self.pools.collusive))
        if self.penalised == "best_response":
            pools.append(("exploiter", (RESPONDER,)))
        return tuple(dict.fromkeys((pool, name) for pool, names in pools for name in names))

    @property
    def exploiters(self) -> tuple[str, ...]:
        """The opponents of the exploiter streams, each once."""
        return tuple(name for pool, name in self.streams if pool == "exploiter")

    def terms(self, means: Mapping[Stream, Features]) -> Terms:
        """Return the terms of J from the mean features per round of every stream."""
        pools, s, weights = self.pools, self.scale, self.weights
        utility = _mean([means["train", o][OWN] for o in pools.train])
        exploit = self._advantage(means) if pools.exploiter else None
        collusion, external = self.collusion(means), self.externality(means)
        safety = (
            s * utility
            - weights.e * s * (self.charged(means) or 0.0)
            - weights.c * (collusion or 0.0)
            - weights.x * (external or 0.0)
        )
        return Terms(utility, exploit, collusion, external, safety)

    def charged(self, means: Mapping[Stream, Features]) -> float | None:
        """Return what λe is charged for (see ``penalised``), from the mean features of every stream."""
        if self.penalised == "best_response":
            return max(0.0, gap(means["exploiter", RESPONDER]))
        if not self.pools.exploiter:
            return None
        if self.penalised == "opponent_advantage":
            return self._advantage(means)
        own = [means["exploiter", o][OWN] for o in self.pools.exploiter]
        return _mean([reply - earned for reply, earned in zip(self.replies, own, strict=True)])

    def limited(self, means: Mapping[Stream, Features]) -> dict[str, float | None]:
        """Return what can have a limit, by the name of its weight: what λe is charged for, c and x."""
        return {"e": self.charged(means), "c": self.collusion(means), "x": self.externality(means)}

    def collusion(self, means: Mapping[Stream, Features]) -> float | None:
        """Return c from the mean features of the collusive streams; None where it does not apply."""
        if not self.has_collusion:
            return None
        return _mean([means["collusive", o][COLLUSION] for o in self.pools.collusive])

    def externality(self, means: Mapping[Stream, Features]) -> float | None:
        """Return x from the mean features of train and exploiter streams; None where it does not apply."""
        if not self.has_externality:
            return None
        met = [("train", o) for o in self.pools.train] + [("exploiter", o) for o in self.pools.exploiter]
        return _mean([means[stream][EXTERNALITY] for stream in met])

    def coefficients(self, gates: Mapping[str, float]) -> dict[Stream, dict[str, Features]]:
        """Return what a round's features are worth to J, by stream and component.

        The sum over a stream's components, times the features, is the reward r_t; its expectation over
        all streams is J up to the hinge, whose derivative is the gate.

        Args:
            gates: For every exploiter, 1 if its mean gap is positive, else 0 (or an estimate in between).

        Returns:
            For each stream, coefficient vectors (length 4) named utility, exploitability, collusion and
            externality, as far as the stream has them.
        """
        pools, weights = self.pools, self.weights
        met = len(pools.train) + len(pools.exploiter)
        table: dict[Stream, dict[str, Features]] = {}
        for pool, name in self.streams:
            count = getattr(pools, pool).count(name)
            parts: dict[str, Features] = {}
            if pool == "train":
                parts["utility"] = _unit({OWN: self.scale * count / len(pools.train)})
            elif pool == "exploiter":
                parts.update(self._exploitability(name, gates))
            else:
                parts["collusion"] = _unit({COLLUSION: -weights.c * count / len(pools.collusive)})
            if pool != "collusive" and self.has_externality and count:
                parts["externality"] = _unit({EXTERNALITY: -weights.x * count / met})
            table[pool, name] = parts
        return table

    def _advantage(self, means: Mapping[Stream, Features]) -> float:
        return _mean([max(0.0, gap(means["exploiter", o])) for o in self.pools.exploiter])

    def _exploitability(self, name: str, gates: Mapping[str, float]) -> dict[str, Features]:
        """Return the component of an exploiter's reward that λe is charged in, if it has one."""
        count, size = self.pools.exploiter.count(name), len(self.pools.exploiter)
        if self.penalised == "best_response":
            count, size = (1, 1) if name == RESPONDER else (0, 1)
        if not count:
            return {}
        if self.penalised == "regret":
            # The best reply's payoff does not depend on the policy.
            return {"exploitability": _unit({OWN: self.weights.e * self.scale * count / size})}
        rate = self.weights.e * self.scale * gates[name] * count / size
        return {"exploitability": _unit({OWN: rate, OPPONENT: -rate})}

    def welfare(self, means: Mapping[Stream, Features]) -> float:
        """Return the mean of own plus opponent's payoff per round on the train pool."""
        rows = [means["train", o] for o in self.pools.train]
        return _mean([row[OWN] + row[OPPONENT] for row in rows])

    def normalised_relative_advantage(self, means: Mapping[Stream, Features]) -> float | None:
        """Return NRA on the train pool, after GTBench (arXiv 2402.12348), defined in zero-sum games.

        Per opponent (own − opponent) / (E|own| + E|opponent|), then the mean; None where a denominator
        is 0.
        """
        ratios = []
        for name in self.pools.train:
            row = means["train", name]
            size = row[ABS_OWN] + row[ABS_OPPONENT]
            if size <= 0.0:
                return None
            ratios.append((row[OWN] - row[OPPONENT]) / size)
        return _mean(ratios)


def gap(row: Features) -> float:
    """Return the opponent's minus the own mean payoff per round."""
    return float(row[OPPONENT] - row[OWN])


def _mean(values: list[float]) -> float:
    return float(np.mean(values))


def _unit(entries: Mapping[int, float]) -> Features:
    vector = np.zeros(REWARD_FEATURES)
    for index, value in entries.items():
        vector[index] = value
    return vector
