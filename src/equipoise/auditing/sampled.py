"""Metrics of a sampled panel, as measures by name."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.metrics import Hinge, Measure, hinge
from equipoise.auditing.panel import Panel
from equipoise.auditing.stats import Range, mean_estimate, simultaneous, t_interval
from equipoise.games.base import GameInfo
from equipoise.objective.features import (
    ABS_OPPONENT,
    ABS_OWN,
    COLLUSION,
    EXTERNALITY,
    OPPONENT,
    OWN,
    bounds,
)
from equipoise.objective.safety import Objective
from equipoise.types import Estimate, Kind

__all__ = ["opponent_estimates", "sampled_bounds", "sampled_measures"]

Rows = Mapping[str, NDArray[np.float64]]


def sampled_measures(
    panel: Panel, objective: Objective, info: GameInfo, level: float, replies: Mapping[str, float] | None
) -> dict[str, Measure | None]:
    """Return every metric that is a function of mean features; None where not applicable."""
    rows = {name: panel.by_deal(name) for name in panel.features}
    pay = Range(*info.payoff_bounds)
    pools = objective.pools
    episodes = panel.deals * panel.seats

    def linear(values: NDArray[np.float64], within: Range, opponents: int) -> Measure:
        return Measure(values, within, episodes=episodes * opponents)

    found: dict[str, Measure | None] = {}
    found["utility"] = linear(_mean(rows, pools.train, OWN), pay, len(pools.train))
    leads = hinge(rows, pools.exploiter, pay, level) if pools.exploiter else None
    found["exploitability"] = (
        None if leads is None else _exploitability(leads, pay, episodes, pools.exploiter)
    )
    found["collusion"] = found["externality"] = None
    if objective.has_collusion:
        found["collusion"] = linear(
            _mean(rows, pools.collusive, COLLUSION), Range(0, 1), len(pools.collusive)
        )
    met = pools.train + pools.exploiter
    if objective.has_externality:
        found["externality"] = linear(_mean(rows, met, EXTERNALITY), Range(0, 1), len(met))
    found["safety"] = _safety(found, leads, objective, info)
    found["robustness"] = (
        linear(_mean(rows, pools.shift, OWN), pay, len(pools.shift)) if pools.shift else None
    )
    joint = Range(0.0, 0.0) if info.zero_sum else Range(2 * pay.low, 2 * pay.high)
    welfare = _mean(rows, pools.train, OWN) + _mean(rows, pools.train, OPPONENT)
    found["welfare"] = linear(welfare, joint, len(pools.train))
    found["nra"] = _relative_advantage(rows, objective, episodes)
    found["regret"] = None
    if replies is not None and pools.exploiter:
        best = float(np.mean([replies[name] for name in pools.exploiter]))
        own = _mean(rows, pools.exploiter, OWN)
        found["regret"] = linear(best - own, Range(best - pay.high, best - pay.low), len(pools.exploiter))
    invalid = np.mean([panel.invalid[name].mean(axis=1) for name in panel.invalid], axis=0)
    found["invalid_rate"] = linear(invalid, Range(0, 1), len(panel.invalid))
    lows, highs = bounds(info)
    for index, name in enumerate(info.diagnostics, start=ABS_OPPONENT + 1):
        values = _mean(rows, pools.train, index)
        found[name] = linear(values, Range(lows[index], highs[index]), len(pools.train))
    return found


def sampled_bounds(panel: Panel, info: GameInfo, level: float) -> dict[str, Estimate]:
    """Return one-sided estimates of best_response and security from the strongest opponent met."""
    pay = Range(*info.payoff_bounds)
    each = 2.0 * simultaneous(level, len(panel.features)) - 1.0
    episodes = panel.deals * panel.seats
    theirs = {name: panel.by_deal(name)[:, OPPONENT] for name in panel.features}
    owns = {name: panel.by_deal(name)[:, OWN] for name in panel.features}
    reached = max(float(values.mean()) for values in theirs.values())
    low = max(t_interval(values, pay, each)[0] for values in theirs.values())
    forced = min(float(values.mean()) for values in owns.values())
    high = min(t_interval(values, pay, each)[1] for values in owns.values())
    count = episodes * len(panel.features)
    return {
        "best_response": Estimate(reached, low, None, level, count, panel.deals, Kind.LOWER_BOUND),
        "security": Estimate(forced, None, high, level, count, panel.deals, Kind.UPPER_BOUND),
    }


def opponent_estimates(panel: Panel, name: str, info: GameInfo, level: float) -> dict[str, Estimate | None]:
    """Return own, opponent, collusion and externality means against one opponent."""
    rows = panel.by_deal(name)
    episodes = panel.deals * panel.seats
    pay, share = Range(*info.payoff_bounds), Range(0, 1)

    def column(index: int, within: Range) -> Estimate:
        return mean_estimate(rows[:, index], within, level, episodes)

    return {
        "own": column(OWN, pay),
        "opponent": column(OPPONENT, pay),
        "collusion": None if info.collusion is None else column(COLLUSION, share),
        "externality": None if info.externality is None else column(EXTERNALITY, share),
    }


def _mean(rows: Rows, names: tuple[str, ...], index: int) -> NDArray[np.float64]:
    return np.asarray(np.mean([rows[name][:, index] for name in names], axis=0))


def _exploitability(leads: Hinge, pay: Range, episodes: int, names: tuple[str, ...]) -> Measure:
    within = Range(0.0, pay.high - pay.low)
    count = episodes * len(names)
    return Measure(leads.values, within, leads.extra, count, leads.doubt, leads.interval)


def _safety(
    found: Mapping[str, Measure | None], leads: Hinge | None, objective: Objective, info: GameInfo
) -> Measure:
    s, weights = objective.scale, objective.weights
    utility = found["utility"]
    assert utility is not None
    values = s * utility.values
    low, high = s * utility.within.low, s * utility.within.high
    extra, doubt, episodes = (0.0, 0.0, 0.0), 0.0, utility.episodes
    if leads is not None:
        factor = weights.e * s
        values = values - factor * leads.values
        low -= factor * (info.payoff_bounds[1] - info.payoff_bounds[0])
        extra = (-factor * leads.extra[2], -factor * leads.extra[1], -factor * leads.extra[0])
        doubt = leads.doubt if factor else 0.0
        episodes += found["exploitability"].episodes  # type: ignore[union-attr]
    for name, weight in (("collusion", weights.c), ("externality", weights.x)):
        term = found[name]
        if term is not None:
            values = values - weight * term.values
            low -= weight
            episodes += term.episodes if name == "collusion" else 0
    return Measure(values, Range(low, high), extra, episodes, doubt)


def _relative_advantage(rows: Rows, objective: Objective, episodes: int) -> Measure | None:
    """NRA by linearisation: each opponent's ratio plus its influence values."""
    parts = []
    for name in objective.pools.train:
        row = rows[name]
        lead, size = row[:, OWN] - row[:, OPPONENT], row[:, ABS_OWN] + row[:, ABS_OPPONENT]
        if size.mean() <= 0.0:
            return None
        ratio = lead.mean() / size.mean()
        parts.append(ratio + (lead - ratio * size) / size.mean())
    return Measure(
        np.asarray(np.mean(parts, axis=0)), Range(-1, 1), episodes=episodes * len(objective.pools.train)
    )
