"""From scores of episodes to the metrics of an audit, clustered by deal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from equipoise.adapters.scores import INVALID, feature_names
from equipoise.auditing.panel import Panel
from equipoise.auditing.sampled import sampled_bounds, sampled_measures
from equipoise.games.base import GameInfo
from equipoise.objective.safety import Objective

__all__ = ["Scored", "figures", "panel_of"]


class Scored(NamedTuple):
    """One episode, or the mean of several of the same deal, seat and opponent.

    Attributes:
        opponent: Name of the opponent.
        deal: Index of the deal.
        seat: Seat of the policy.
        scores: What ``episode_scores`` gives; terms that do not apply may be missing.
    """

    opponent: str
    deal: int
    seat: int
    scores: Mapping[str, float]


def panel_of(rows: Iterable[Scored], opponents: Iterable[str], info: GameInfo) -> Panel | None:
    """Return the deals that were played from every seat against every opponent; None if there are none.

    Args:
        rows: The episodes, in any order.
        opponents: Everybody that is to be met.
        info: The game's declaration.
    """
    names, everyone = feature_names(info), tuple(dict.fromkeys(opponents))
    found = {(row.opponent, row.deal, row.seat): row.scores for row in rows}
    seats = range(info.seats)
    deals = [
        deal
        for deal in sorted({deal for _, deal, _ in found})
        if all((name, deal, seat) in found for name in everyone for seat in seats)
    ]
    if not deals:
        return None
    features = {
        who: np.array(
            [
                [[float(found[who, deal, seat].get(name, 0.0)) for name in names] for seat in seats]
                for deal in deals
            ]
        )
        for who in everyone
    }
    invalid = {
        who: np.array([[float(found[who, deal, seat][INVALID]) for seat in seats] for deal in deals])
        for who in everyone
    }
    return Panel(features, invalid)


def figures(panel: Panel | None, objective: Objective, info: GameInfo, level: float) -> dict[str, float]:
    """Return the metrics of a panel with the ends of their intervals, and the number of deals.

    ``NAME`` is the value, ``NAME_low`` and ``NAME_high`` are the interval at the level; metrics that do not
    apply are left out, and so is what must be solved for. Without a whole deal there are no metrics.
    """
    found: dict[str, float] = {"deals": 0.0 if panel is None else float(panel.deals)}
    if panel is None:
        return found
    measures = sampled_measures(panel, objective, info, None)
    estimates = {name: one.estimate(level) for name, one in measures.items() if one is not None}
    for name, estimate in {**estimates, **sampled_bounds(panel, info, level)}.items():
        ends = {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
        found |= {key: float(value) for key, value in ends.items() if value is not None}
    return found
