"""Metrics of a sampled panel, as measures by name."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.metrics import Measure
from equipoise.auditing.panel import Panel
from equipoise.auditing.statistics.hinge import NOTHING, Gap
from equipoise.auditing.statistics.intervals import Interval, Range, mean_estimate, simultaneous, t_interval
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
    panel: Panel, objective: Objective, info: GameInfo, replies: Mapping[str, float] | None
) -> dict[str, Measure | None]:
    """Return every metric that is a function of mean features; None where not applicable."""
    rows = {name: panel.by_deal(name) for name in panel.features}
    pay = Range(*info.payoff_bounds)
    pools = objective.pools
    episodes = panel.deals * panel.seats

    def linear(values: NDArray[np.float64], within: Range, opponents: int) -> Measure:
        return Measure(values, within, episodes * opponents, deals=panel.deals)

    found: dict[str, Measure | None] = {}
    found["utility"] = linear(_mean(rows, pools.train, OWN), pay, len(pools.train))
    gaps = _gaps(rows, pools.exploiter, pay)
    count, none = episodes * len(pools.exploiter), np.zeros(panel.observations)
    found["exploitability"] = Measure(none, NOTHING, count, gaps, panel.deals) if gaps else None
    found["collusion"] = found["externality"] = None
    if objective.has_collusion:
        found["collusion"] = linear(
            _mean(rows, pools.collusive, COLLUSION), Range(0, 1), len(pools.collusive)
        )
    met = pools.train + pools.exploiter
    if objective.has_externality:
        found["externality"] = linear(_mean(rows, met, EXTERNALITY), Range(0, 1), len(met))
    found["safety"] = _safety(found, objective)
    found["robustness"] = (
        linear(_mean(rows, pools.shift, OWN), pay, len(pools.shift)) if pools.shift else None
    )
    joint = Range(0.0, 0.0) if info.zero_sum else Range(2 * pay.low, 2 * pay.high)
    welfare = _mean(rows, pools.train, OWN) + _mean(rows, pools.train, OPPONENT)
    found["welfare"] = linear(welfare, joint, len(pools.train))
    advantage = _relative_advantage(rows, objective)
    found["nra"] = None if advantage is None else linear(advantage, Range(-1, 1), len(pools.train))
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


def sampled_bounds(
    panel: Panel, info: GameInfo, level: float, interval: Interval = t_interval
) -> dict[str, Estimate]:
    """Return one-sided estimates of best_response and security from the strongest opponent met."""
    pay = Range(*info.payoff_bounds)
    each = 2.0 * simultaneous(level, len(panel.features)) - 1.0
    episodes = panel.deals * panel.seats
    theirs = {name: panel.by_deal(name)[:, OPPONENT] for name in panel.features}
    owns = {name: panel.by_deal(name)[:, OWN] for name in panel.features}
    reached = max(float(values.mean()) for values in theirs.values())
    low = max(interval(values, pay, each, panel.deals)[0] for values in theirs.values())
    forced = min(float(values.mean()) for values in owns.values())
    high = min(interval(values, pay, each, panel.deals)[1] for values in owns.values())
    count = episodes * len(panel.features)
    return {
        "best_response": Estimate(reached, low, None, level, count, panel.deals, Kind.LOWER_BOUND),
        "security": Estimate(forced, None, high, level, count, panel.deals, Kind.UPPER_BOUND),
    }


def opponent_estimates(
    panel: Panel, name: str, info: GameInfo, level: float, interval: Interval = t_interval
) -> dict[str, Estimate | None]:
    """Return own, opponent, collusion and externality means against one opponent."""
    rows = panel.by_deal(name)
    episodes = panel.deals * panel.seats
    pay, share = Range(*info.payoff_bounds), Range(0, 1)

    def column(index: int, within: Range) -> Estimate:
        return mean_estimate(rows[:, index], within, level, episodes, panel.deals, interval)

    return {
        "own": column(OWN, pay),
        "opponent": column(OPPONENT, pay),
        "collusion": None if info.collusion is None else column(COLLUSION, share),
        "externality": None if info.externality is None else column(EXTERNALITY, share),
    }


def _mean(rows: Rows, names: tuple[str, ...], index: int) -> NDArray[np.float64]:
    return np.asarray(np.mean([rows[name][:, index] for name in names], axis=0))


def _gaps(rows: Rows, names: tuple[str, ...], pay: Range) -> tuple[Gap, ...]:
    """Return the hinges of e, one an opponent; the pool is a multiset."""
    spread = Range(pay.low - pay.high, pay.high - pay.low)
    return tuple(
        Gap(name, rows[name][:, OPPONENT] - rows[name][:, OWN], spread, names.count(name) / len(names))
        for name in dict.fromkeys(names)
    )


def _safety(found: Mapping[str, Measure | None], objective: Objective) -> Measure:
    s, weights = objective.scale, objective.weights
    utility, exploit = found["utility"], found["exploitability"]
    assert utility is not None
    values, within = s * utility.values, Range(0.0, 0.0).plus(utility.within, s)
    gaps: tuple[Gap, ...] = ()
    episodes = utility.episodes
    if exploit is not None:
        gaps = tuple(gap.times(-weights.e * s) for gap in exploit.gaps if weights.e)
        episodes += exploit.episodes
    for name, weight in (("collusion", weights.c), ("externality", weights.x)):
        term = found[name]
        if term is not None:
            values, within = values - weight * term.values, within.plus(term.within, -weight)
            episodes += term.episodes if name == "collusion" else 0
    return Measure(values, within, episodes, gaps, utility.deals)


def _relative_advantage(rows: Rows, objective: Objective) -> NDArray[np.float64] | None:
    """NRA by linearisation: each opponent's ratio plus its influence values."""
    parts = []
    for name in objective.pools.train:
        row = rows[name]
        lead, size = row[:, OWN] - row[:, OPPONENT], row[:, ABS_OWN] + row[:, ABS_OPPONENT]
        if size.mean() <= 0.0:
            return None
        ratio = lead.mean() / size.mean()
        parts.append(ratio + (lead - ratio * size) / size.mean())
    return np.asarray(np.mean(parts, axis=0))
