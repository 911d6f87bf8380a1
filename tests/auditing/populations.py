"""Populations of deals with known means, and audits drawn from them, to see how often intervals are right.

A population is a pool of equally likely deals, each with the features of both seats against every opponent,
so its metrics are known exactly; an audit draws deals from it with replacement, the same for all opponents.
``benchmarks/coverage.py`` prints the table of ``docs/statistics.md`` from the same functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.metrics import Measure
from equipoise.auditing.opponents import Opponents
from equipoise.auditing.panel import Panel
from equipoise.auditing.run import AuditConfig
from equipoise.auditing.sampled import sampled_measures
from equipoise.auditing.sampling import Sampling
from equipoise.games.base import GameInfo
from equipoise.games.registry import make_game
from equipoise.objective.features import ABS_OPPONENT, ABS_OWN, COLLUSION, EXTERNALITY, OPPONENT, OWN
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools
from equipoise.policies.registry import load_policy
from equipoise.progress import silent

Array = NDArray[np.float64]
SIZE = 4000
IPD = make_game("ipd").info_record


@dataclass(frozen=True)
class Population:
    """A pool of deals.

    Attributes:
        features: For each opponent (N, S, F).
        info: The game's record, for bounds and terms.
        pools: The opponents of each pool.
    """

    features: Mapping[str, Array]
    info: GameInfo
    pools: Pools

    @property
    def objective(self) -> Objective:
        return Objective.of(self.info, self.pools)

    def measures(self, rows: Mapping[str, Array]) -> dict[str, Measure | None]:
        none = {name: np.zeros(array.shape[:2]) for name, array in rows.items()}
        replies = dict.fromkeys(self.pools.exploiter, 0.0)
        return sampled_measures(Panel(rows, none), self.objective, self.info, replies)

    def truth(self) -> dict[str, float]:
        """Return every metric of the whole pool: means are exact there, and hinges of means too."""
        return {k: m.value for k, m in self.measures(self.features).items() if m is not None}

    def audit(self, deals: NDArray[np.int64]) -> dict[str, Measure | None]:
        return self.measures({name: array[deals] for name, array in self.features.items()})


def draws(seed: int, audits: int, deals: int, size: int) -> Iterator[NDArray[np.int64]]:
    """Yield the deals of so many audits."""
    yield from np.random.default_rng(seed).integers(size, size=(audits, deals))


def synthetic(gaps: Sequence[float], noise: float = 1.0, size: int = SIZE, seed: int = 0) -> Population:
    """Return a dilemma whose exploiters lead by given means, with normal noise shared by the two seats.

    Args:
        gaps: Mean lead of each exploiter, opponent's minus own.
        noise: Standard deviation of a deal's lead.
        size: Deals in the pool.
        seed: Seed of the pool.
    """
    draw = np.random.default_rng(seed)
    names = [f"e{i}" for i in range(len(gaps))]
    features = {"t": _rows(draw, 0.3, 0.6, size), "c": _rows(draw, 0.0, 0.6, size)}
    for name, gap in zip(names, gaps, strict=True):
        features[name] = _rows(draw, gap, noise, size)
    return Population(features, IPD, Pools(("t",), tuple(names), ("c",), ()))


def rare(rate: float, size: int = SIZE) -> Population:
    """Return a population in which a share of the deals is collusive all through, the others not at all."""
    base = synthetic((-1.0,), size=size)
    rows = base.features["c"].copy()
    rows[:, :, COLLUSION] = 0.0
    rows[: round(rate * size), :, COLLUSION] = 1.0
    return replace(base, features={**base.features, "c": rows})


def shifted(base: Population, by: float, noise: float, seed: int = 1) -> Population:
    """Return another policy on the same deals: own payoff against ``t`` higher by a known mean."""
    draw = np.random.default_rng(seed)
    rows = base.features["t"].copy()
    extra = draw.normal(0.0, noise, size=len(rows))
    rows[:, :, OWN] += (by + extra - extra.mean())[:, None]
    return replace(base, features={**base.features, "t": rows})


def played(game: str, policy: str, deals: int, pools: Pools, **options: Any) -> Population:
    """Return a pool of deals that were really played."""
    rules = make_game(game, **options)
    config = AuditConfig(deals, pools=pools)
    opponents = Opponents.named(pools, rules, None)
    objective = Objective.of(rules.info_record, pools)
    sampling = Sampling(rules, objective, config, load_policy(f"scripted:{policy}", rules), opponents)
    found = sampling.run("population", silent())
    return Population(found.panel.features, rules.info_record, pools)


def _rows(draw: np.random.Generator, gap: float, noise: float, size: int) -> Array:
    """Return (N, 2, F): payoffs around 2.5 with a lead of mean ``gap`` exactly; c and x are small shares."""
    rows = np.zeros((size, 2, 6 + len(IPD.diagnostics)))
    lead = draw.normal(0.0, noise, size=(size, 1)) + draw.normal(0.0, 0.3, size=(size, 2))
    lead += gap - lead.mean()
    own = 2.5 + draw.normal(0.0, 0.4, size=(size, 2))
    rows[:, :, OWN], rows[:, :, OPPONENT] = own - lead / 2, own + lead / 2
    rows[:, :, ABS_OWN], rows[:, :, ABS_OPPONENT] = np.abs(rows[:, :, OWN]), np.abs(rows[:, :, OPPONENT])
    for index, mean in ((COLLUSION, 0.2), (EXTERNALITY, 0.3)):
        rows[:, :, index] = draw.binomial(8, mean, size=(size, 2)) / 8
    return rows
