"""Extremes over wordings: intervals that hold although the extremes were picked."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from equipoise.auditing.metrics import Measure
from equipoise.auditing.result import AuditResult, GameResult
from equipoise.auditing.spreads import Spread, spreads
from equipoise.auditing.statistics.hinge import Gap
from equipoise.auditing.statistics.intervals import Range
from equipoise.types import Kind

WIDE = Range(-1e6, 1e6)
Array = np.ndarray[Any, np.dtype[np.float64]]
# Not in order, so that nothing can be right by position.
TABLE = {
    "plain": [1.0, 2.0, 1.5, 1.2, 1.9],
    "formal": [0.1, 0.9, 0.4, 0.2, 1.1],
    "listed": [1.1, 2.2, 1.4, 1.6, 2.0],
}


def result(wording: str, **measures: Measure | None) -> GameResult:
    return GameResult("g", 1, f"m [{wording}]", {}, {}, {}, {}, measures=measures)


def sampled(table: dict[str, Any], within: Range = WIDE) -> dict[str, GameResult]:
    return {
        name: result(name, safety=Measure(np.array(values, dtype=float), within, episodes=2 * len(values)))
        for name, values in table.items()
    }


def exact(**values: float) -> dict[str, GameResult]:
    return {name: result(name, utility=Measure.exact(value)) for name, value in values.items()}


def t(values: Array, level: float) -> tuple[float, float]:
    low, high = stats.t.interval(level, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    return float(low), float(high)


def test_exact_values_have_an_exact_spread() -> None:
    (found,) = spreads(exact(plain=0.25, formal=-1.0, record=0.125), 0.95)
    assert (found.game, found.metric) == ("g", "utility")
    assert (found.lowest, found.highest) == ("formal", "plain")
    assert (found.low.value, found.high.value, found.spread.value) == (-1.0, 0.25, 1.25)
    assert {found.low.kind, found.high.kind, found.spread.kind} == {Kind.EXACT}
    assert (found.spread.low, found.spread.high) == (1.25, 1.25)


def test_extremes_hold_at_once_over_all_wordings() -> None:
    (found,) = spreads(sampled(TABLE), 0.95)
    assert (found.lowest, found.highest) == ("formal", "listed")
    # Three wordings: each at 1 - 0.05 / 3.
    ends = [t(np.array(values), 1 - 0.05 / 3) for values in TABLE.values()]
    assert (found.low.low, found.low.high) == pytest.approx(
        (min(e[0] for e in ends), min(e[1] for e in ends))
    )
    assert (found.high.low, found.high.high) == pytest.approx(
        (max(e[0] for e in ends), max(e[1] for e in ends))
    )
    assert found.low.value == pytest.approx(np.mean(TABLE["formal"]))
    assert (found.low.level, found.low.n, found.low.clusters) == (0.95, 10, 5)


def test_the_spread_is_paired_by_deal_and_holds_at_once_over_all_pairs() -> None:
    (found,) = spreads(sampled(TABLE), 0.9)
    # Four wordings would have six pairs; three have three, each at 1 - 0.1 / 3.
    ends = [t(np.array(TABLE[a]) - np.array(TABLE[b]), 1 - 0.1 / 3) for a, b in combinations(TABLE, 2)]
    lows = [0.0, *(low for low, _ in ends), *(-high for _, high in ends)]
    highs = [*(high for _, high in ends), *(-low for low, _ in ends)]
    assert found.spread.value == pytest.approx(np.mean(TABLE["listed"]) - np.mean(TABLE["formal"]))
    assert (found.spread.low, found.spread.high) == pytest.approx((max(lows), max(highs)))
    # The deals have much in common: unpaired intervals could not settle that there is a spread.
    assert found.spread.low is not None
    assert found.spread.low > 0.5


def test_the_interval_of_a_spread_covers_where_a_naive_one_fails() -> None:
    """Eight wordings that are the same policy: the true spread is 0, the observed one never is."""
    random = np.random.default_rng(7)
    naive = honest = 0
    runs = 200
    for _ in range(runs):
        table = {str(name): random.normal(size=30) for name in range(8)}
        (found,) = spreads(sampled(table), 0.9)
        assert found.spread.value > 0.0
        honest += found.spread.low == 0.0
        picked = np.array(table[found.highest]) - np.array(table[found.lowest])
        naive += t(picked, 0.9)[0] <= 0.0
    assert honest >= 0.9 * runs
    assert naive < 0.5 * runs


@pytest.mark.parametrize("gaps", [(0.0, 0.3, 0.6), (0.0, 0.0, 1.0)])
def test_extremes_cover_the_true_ones_as_often_as_they_say(gaps: tuple[float, ...]) -> None:
    random = np.random.default_rng(3)
    runs, hits = 200, np.zeros(3)
    for _ in range(runs):
        deals = random.normal(size=20)
        table = {str(i): gap + deals + 0.5 * random.normal(size=20) for i, gap in enumerate(gaps)}
        (found,) = spreads(sampled(table), 0.9)
        for i, (estimate, truth) in enumerate(
            ((found.low, min(gaps)), (found.high, max(gaps)), (found.spread, max(gaps) - min(gaps)))
        ):
            assert estimate.low is not None
            assert estimate.high is not None
            hits[i] += estimate.low <= truth <= estimate.high
    assert np.all(hits >= 0.9 * runs)


def undecided(seed: int) -> Measure:
    """Return a measure with a hinge whose gap may be of either sign."""
    lead = np.random.default_rng(seed).normal(0.0, 1.0, 20)
    gap = Gap("o", lead - lead.mean(), WIDE, 1.0)
    return Measure(np.zeros(20), Range(0, 0), 20, (gap,))


def test_undecided_hinges_add_to_the_spread_what_the_level_of_all_pairs_asks_for() -> None:
    two = {name: result(name, safety=undecided(seed)) for seed, name in enumerate("ab")}
    four = {name: result(name, safety=undecided(seed)) for seed, name in enumerate("abcd")}
    ends = [spreads(results, 0.95)[0].spread.high for results in (two, four)]
    # All values are 0, and yet the gaps may be of any size that their samples allow.
    assert ends[0] is not None
    assert ends[1] is not None
    assert 0.0 < ends[0] < ends[1]


def test_no_spread_is_wider_than_the_bounds_of_its_metric() -> None:
    lead = Gap("o", np.array([-5.0, 5.0]), Range(-5, 5), 0.5)
    other = Gap("o", np.array([5.0, -5.0]), Range(-5, 5), 0.5)
    results = {
        name: result(name, exploitability=Measure(np.zeros(2), Range(0, 0), 4, (gap,)))
        for name, gap in (("a", lead), ("b", other))
    }
    (found,) = spreads(results, 0.95)
    # Half of a lead that is 5 at most; the interval of two observations knows nothing.
    assert found.spread.high == 2.5


def test_a_metric_that_one_wording_lacks_has_no_spread() -> None:
    results = {
        "a": result(
            "a", utility=Measure.exact(1.0), collusion=None, safety=Measure.exact(0.0), nra=Measure.exact(1.0)
        ),
        "b": result("b", utility=Measure.exact(1.0), collusion=Measure.exact(0.5), safety=Measure.exact(1.0)),
    }
    assert [found.metric for found in spreads(results, 0.95)] == ["utility", "safety"]


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    rows=st.lists(st.lists(st.floats(-100, 100), min_size=4, max_size=4), min_size=2, max_size=5),
    level=st.floats(0.5, 0.99),
)
def test_values_lie_in_their_intervals_and_order_does_not_matter(
    rows: list[list[float]], level: float
) -> None:
    table = {str(i): values for i, values in enumerate(rows)}
    (found,) = spreads(sampled(table), level)
    means = [float(np.mean(values)) for values in rows]
    for estimate, value in (
        (found.low, min(means)),
        (found.high, max(means)),
        (found.spread, max(means) - min(means)),
    ):
        assert estimate.value == pytest.approx(value, abs=1e-9)
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low - 1e-9 <= estimate.value <= estimate.high + 1e-9
    (again,) = spreads(sampled(dict(reversed(table.items()))), level)
    assert again.spread == found.spread
    assert (again.low, again.high) == (found.low, found.high)


def test_a_spread_survives_json_within_an_audit() -> None:
    results = sampled(TABLE)
    audit = AuditResult([*results.values()], spreads=spreads(results, 0.95))
    data = json.loads(json.dumps(audit.to_json(), allow_nan=False))
    assert data["schema"] == 1
    (row,) = data["spreads"]
    assert set(row) == {"game", "metric", "lowest", "highest", "spread"}
    assert row["lowest"]["wording"] == "formal"
    assert set(row["spread"]) == {"value", "low", "high", "level", "n", "clusters", "kind"}
    assert [Spread.from_json(row)] == list(audit.spreads)
    assert "spreads" not in AuditResult([*results.values()]).to_json()
