"""Metrics of sampled panels: formulas by hand, and how often their intervals hold the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

from equipoise.auditing.metrics import difference
from equipoise.auditing.panel import Panel
from equipoise.auditing.sampled import opponent_estimates, sampled_bounds, sampled_measures
from equipoise.games.base import Game
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools, default_pools
from equipoise.opponents.registry import get_strategy
from equipoise.types import Estimate, Kind
from tests.auditing.oracle import (
    Mixture,
    episode_features,
    lines,
    named,
    playing,
    random_table,
    reading,
    terms,
)

Array = np.ndarray[Any, np.dtype[np.float64]]
LEVEL = 0.95
DEALS = 40
REPETITIONS = 1000
WEIGHTS = {"ipd": (2.4, 1.0, 1.8), "kuhn": (1.5, 0.0, 0.0)}


@cache
def game_of(name: str) -> Game:
    return make_game(name, rounds=3 if name == "ipd" else 1)


def pools_of(name: str) -> Pools:
    return replace(default_pools(name), shift=())


def policy_of(case: str) -> Mixture:
    """Return a policy: ``GAME SEED`` is a random table, anything else a strategy."""
    name, rest = case.split()
    game = game_of(name)
    return reading(game, random_table(game, int(rest))) if rest.isdigit() else named(game, rest)


@cache
def distribution(case: str, opponent: str, seat: int) -> tuple[Array, Array]:
    """Return the cumulative probabilities and the features of all episodes at a seat."""
    game = game_of(case.split()[0])
    pair = (policy_of(case), playing(get_strategy(game.name, opponent)))
    found = list(lines(game, pair if seat == 0 else pair[::-1]))
    rows = np.array([episode_features(outcomes, seat) for _, outcomes in found])
    order = np.lexsort(rows.T)
    return np.cumsum([float(found[i][0]) for i in order]), rows[order]


def panels(case: str, seed: int) -> Iterator[Panel]:
    """Yield repetitions of an audit: in each deal, all opponents and both seats share their luck."""
    pools = pools_of(case.split()[0])
    names = dict.fromkeys(name for _, names in pools for name in names)
    u = np.random.default_rng(seed).random((REPETITIONS, DEALS))
    drawn = {}
    for name in names:
        by_seat = []
        for seat in (0, 1):
            cumulative, rows = distribution(case, name, seat)
            by_seat.append(rows[np.minimum(np.searchsorted(cumulative, u, side="right"), len(rows) - 1)])
        drawn[name] = np.stack(by_seat, axis=2)
    for repetition in range(REPETITIONS):
        features = {name: array[repetition] for name, array in drawn.items()}
        yield Panel(features, {name: np.zeros((DEALS, 2)) for name in names})


def measures(case: str, panel: Panel) -> dict[str, Any]:
    name = case.split()[0]
    game = game_of(name)
    objective = Objective.of(game.info_record, pools_of(name))
    return sampled_measures(panel, objective, game.info_record, None)


def covers(estimate: Estimate, truth: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low - 1e-12 <= truth <= estimate.high + 1e-12


@cache
def truth(case: str) -> dict[str, float]:
    name = case.split()[0]
    found = terms(game_of(name), policy_of(case), pools_of(name), WEIGHTS[name])
    return {"utility": found["u"], "exploitability": found["e"], "safety": found["J"]}


# ``kuhn nash`` has a gap of exactly 0, the kink of the hinge.
@pytest.mark.parametrize("case", ["ipd 0", "ipd 3", "ipd tit_for_tat", "kuhn 0", "kuhn 7", "kuhn nash"])
def test_intervals_hold_the_truth_about_as_often_as_they_say(case: str) -> None:
    hits = dict.fromkeys(("utility", "exploitability", "safety"), 0)
    for panel in panels(case, seed=1):
        found = measures(case, panel)
        for metric in hits:
            hits[metric] += covers(found[metric].estimate(LEVEL), truth(case)[metric])
    # At a true 95 % the share has a standard deviation of 0.7 %.
    assert all(hit / REPETITIONS >= 0.93 for hit in hits.values()), hits


@pytest.mark.parametrize(("a", "b"), [("ipd 0", "ipd 3"), ("kuhn 7", "kuhn nash")])
def test_intervals_of_paired_differences_do_too(a: str, b: str) -> None:
    hits = dict.fromkeys(("utility", "exploitability", "safety"), 0)
    for first, second in zip(panels(a, seed=2), panels(b, seed=2), strict=True):
        one, other = measures(a, first), measures(b, second)
        for metric in hits:
            found = difference(one[metric], other[metric], LEVEL)
            hits[metric] += covers(found, truth(a)[metric] - truth(b)[metric])
    assert all(hit / REPETITIONS >= 0.93 for hit in hits.values()), hits


def test_an_interval_is_no_wider_than_it_must_be() -> None:
    # The utility's half width, against that of the population's own spread.
    widths, spreads = [], []
    for panel in panels("ipd 0", seed=3):
        utility = measures("ipd 0", panel)["utility"]
        estimate = utility.estimate(LEVEL)
        widths.append(estimate.high - estimate.low)
        spreads.append(utility.values.mean())
    wanted = 2 * 2.02 * np.std(spreads, ddof=1)  # t at 39 degrees of freedom
    assert np.mean(widths) == pytest.approx(wanted, rel=0.1)


def panel_of(rows: dict[str, list[list[float]]]) -> Panel:
    """Return a panel in which both seats of a deal see the same features."""
    features = {name: np.repeat(np.array(values)[:, None, :], 2, axis=1) for name, values in rows.items()}
    return Panel(features, {name: np.zeros(array.shape[:2]) for name, array in features.items()})


# own, opponent, c, x, |own|, |opponent|, cooperation rate; two deals
ROWS = {
    "t": [[3.0, 3.0, 0.0, 0.0, 3.0, 3.0, 1.0], [1.0, 3.0, 0.5, 0.25, 1.0, 3.0, 0.5]],
    "e": [[0.0, 5.0, 0.0, 0.5, 0.0, 5.0, 1.0], [1.0, 4.0, 1.0, 0.25, 1.0, 4.0, 0.0]],
    "c": [[5.0, 0.0, 1.0, 0.0, 5.0, 0.0, 0.0], [4.0, 1.0, 0.5, 0.0, 4.0, 1.0, 0.5]],
    "s": [[2.0, 2.0, 0.0, 0.0, 2.0, 2.0, 1.0], [2.5, 2.0, 0.0, 0.0, 2.5, 2.0, 1.0]],
}
POOLS = Pools(("t",), ("e",), ("c",), ("s",))


class TestFormulas:
    def found(self) -> dict[str, Any]:
        info = make_game("ipd").info_record
        objective = Objective.of(info, POOLS)
        return sampled_measures(panel_of(ROWS), objective, info, {"e": 1.5})

    def test_point_values(self) -> None:
        found = {name: None if m is None else m.value for name, m in self.found().items()}
        assert found == pytest.approx(
            {
                "utility": 2.0,
                "exploitability": (5.0 + 3.0) / 2,
                "collusion": 0.75,
                "externality": (0.0 + 0.25 + 0.5 + 0.25) / 4,
                "safety": 2.0 - 2.4 * 4.0 - 0.75 - 1.8 * 0.25,
                "robustness": 2.25,
                "welfare": 5.0,
                "nra": (2.0 - 3.0) / (2.0 + 3.0),
                "regret": 1.5 - 0.5,
                "invalid_rate": 0.0,
                "cooperation_rate": 0.75,
            }
        )

    def test_episodes_behind_each_metric(self) -> None:
        counts = {name: m.episodes for name, m in self.found().items()}
        # Two deals from both seats against each opponent of the pools a metric reads.
        assert counts["utility"] == counts["exploitability"] == counts["collusion"] == 4
        assert counts["externality"] == 8
        assert counts["safety"] == 12
        assert counts["invalid_rate"] == 16

    def test_what_does_not_apply_is_none(self) -> None:
        info = make_game("kuhn").info_record
        objective = Objective.of(info, Pools(("t",)))
        rows = {"t": [row[:6] for row in ROWS["t"]]}
        found = sampled_measures(panel_of(rows), objective, info, None)
        for metric in ("exploitability", "collusion", "externality", "robustness", "regret"):
            assert found[metric] is None
        assert found["safety"].value == pytest.approx(1.5 * 2.0)  # type: ignore[union-attr]

    def test_nra_is_undefined_without_payoffs(self) -> None:
        info = make_game("kuhn").info_record
        rows = {"t": [[0.0] * 6, [0.0] * 6]}
        found = sampled_measures(panel_of(rows), Objective.of(info, Pools(("t",))), info, None)
        assert found["nra"] is None

    def test_nra_has_the_interval_of_a_ratio(self) -> None:
        # Delta method: ratio + (lead - ratio · size) / mean size, one observation a deal.
        rows = {
            "t": [[3.0, 1.0, 0, 0, 3.0, 1.0, 0], [1.0, 2.0, 0, 0, 1.0, 2.0, 0], [0.0, 5.0, 0, 0, 0, 5.0, 0]]
        }
        info = make_game("ipd").info_record
        found = sampled_measures(panel_of(rows), Objective.of(info, Pools(("t",))), info, None)["nra"]
        lead, size = np.array([2.0, -1.0, -5.0]), np.array([4.0, 3.0, 5.0])
        ratio = lead.sum() / size.sum()
        assert found is not None
        assert found.values == pytest.approx(ratio + (lead - ratio * size) / 4.0)

    def test_bounds_come_from_the_strongest_opponent(self) -> None:
        info = make_game("ipd").info_record
        rows = {name: [row[:] for row in ROWS[name] for _ in range(20)] for name in ("t", "e", "c")}
        found = sampled_bounds(panel_of(rows), info, LEVEL)
        best, secure = found["best_response"], found["security"]
        assert (best.kind, best.value, best.high) == (Kind.LOWER_BOUND, 4.5, None)
        assert (secure.kind, secure.value, secure.low) == (Kind.UPPER_BOUND, 0.5, None)
        # One-sided 95 %, shared by the three opponents; payoffs of "e" alternate between two values.
        half = stats.t.ppf(1 - 0.05 / 3, 39) * stats.sem([5.0, 4.0] * 20)
        assert best.low == pytest.approx(4.5 - half)
        assert secure.high == pytest.approx(0.5 + half)
        assert (best.n, best.clusters) == (3 * 2 * 40, 40)

    def test_one_opponent(self) -> None:
        info = make_game("ipd").info_record
        found = opponent_estimates(panel_of(ROWS), "e", info, LEVEL)
        values = {key: None if e is None else e.value for key, e in found.items()}
        assert values == {"own": 0.5, "opponent": 4.5, "collusion": 0.5, "externality": 0.375}
        kuhn = opponent_estimates(
            panel_of({"e": [row[:6] for row in ROWS["e"]]}), "e", make_game("kuhn").info_record, LEVEL
        )
        assert kuhn["collusion"] is None
        assert kuhn["externality"] is None
