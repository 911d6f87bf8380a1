"""Differences over several games: pairing, Holm, what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from equipoise.auditing.compare import compare_results, differences, holm
from equipoise.auditing.metrics import Measure
from equipoise.auditing.result import Difference, GameResult, paired
from equipoise.auditing.statistics.intervals import Range
from equipoise.auditing.tables import settled
from equipoise.errors import RequestError
from equipoise.types import Kind

WEIGHTS = {"e": 1.0, "c": 1.0, "x": 1.0, "scale": 1.0}


def result(game: str, policy: str, values: Any, panel: str | None = "p", **changes: Any) -> GameResult:
    """Return a result with one measured metric, sampled or (for a number) exact."""
    exact = isinstance(values, float)
    measure = Measure.exact(values) if exact else Measure(values, Range(-1e6, 1e6), 2 * len(values))
    settings: dict[str, Any] = {} if exact or panel is None else {"panel": panel}
    fields: dict[str, Any] = {
        "game": game,
        "version": 1,
        "policy": policy,
        "metrics": {"safety": measure.estimate(0.95)},
        "per_opponent": {"train": {"o": {}}},
        "weights": WEIGHTS,
        "settings": settings,
        "measures": {"safety": measure},
    }
    return GameResult(**{**fields, **changes})


def by_game(*results: GameResult) -> Mapping[str, GameResult]:
    return {one.game: one for one in results}


def sample(seed: int, shift: float = 0.0, count: int = 30) -> Any:
    return np.random.default_rng(seed).normal(shift, size=count)


class TestHolm:
    def test_a_textbook_example(self) -> None:
        # Holm (1979), the step-down by hand: 4 · 0.005, 3 · 0.01, 2 · 0.03 and 1 · 0.04 raised to 0.06.
        assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])

    def test_nothing_exceeds_1_and_one_alone_stays(self) -> None:
        assert holm([0.6, 0.9]) == [1.0, 1.0]
        assert holm([0.3]) == [0.3]
        assert holm([]) == []

    @settings(max_examples=100, derandomize=True, deadline=None)
    @given(values=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8))
    def test_between_the_plain_and_bonferronis(self, values: list[float]) -> None:
        adjusted = holm(values)
        for p, found in zip(values, adjusted, strict=True):
            assert p <= found <= min(1.0, len(values) * p) + 1e-12
        ranks = np.argsort(values, kind="stable")
        assert np.all(np.diff(np.array(adjusted)[ranks]) >= 0.0)


class TestFamily:
    def test_games_of_one_metric_are_tested_together(self) -> None:
        names = ("auction", "ipd", "kuhn")
        shifts = (0.5, 0.42, 0.0)
        pairs = [
            (result(g, "a", sample(i, s)), result(g, "b", sample(100 + i)))
            for i, (g, s) in enumerate(zip(names, shifts, strict=True))
        ]
        rows = differences(pairs, 0.95)
        plain = [stats.ttest_rel(a.measures["safety"].values, b.measures["safety"].values) for a, b in pairs]
        tests = [row.test for row in rows]
        assert [t.p for t in tests if t] == pytest.approx([found.pvalue for found in plain], rel=1e-6)
        assert [t.p_holm for t in tests if t] == pytest.approx(
            holm([found.pvalue for found in plain]), rel=1e-6
        )
        for row, found in zip(rows, plain, strict=True):
            each, together = found.confidence_interval(0.95), found.confidence_interval(1 - 0.05 / 3)
            assert row.test is not None
            assert (row.estimate.low, row.estimate.high) == pytest.approx((each.low, each.high))
            assert (row.test.low, row.test.high) == pytest.approx((together.low, together.high))
            assert (row.test.family, row.test.pairing) == (3, "deal")

    def test_exact_differences_are_outside_the_family(self) -> None:
        pairs = [
            (result("ipd", "a", 1.0), result("ipd", "b", 0.5)),
            (result("kuhn", "a", sample(1, 0.9)), result("kuhn", "b", 0.0)),
        ]
        first, second = differences(pairs, 0.95)
        assert (first.test, first.estimate.kind, settled(first)) == (None, Kind.EXACT, "higher")
        assert second.test is not None
        assert (second.test.family, second.test.p_holm) == (1, second.test.p)
        assert settled(second) == "higher"

    def test_what_one_game_shows_may_not_hold_among_many(self) -> None:
        pairs = [(result("ipd", "a", sample(0, 0.45)), result("ipd", "b", 0.0))]
        (alone,) = differences(pairs, 0.95)
        assert settled(alone) == "higher"
        more = [(result(f"g{i}", "a", sample(10 + i)), result(f"g{i}", "b", 0.0)) for i in range(6)]
        row = differences([*pairs, *more], 0.95)[0]
        assert row.test is not None
        assert row.estimate == alone.estimate
        assert (settled(row) == "not settled") == (row.test.p_holm > 0.05)
        assert row.test.p_holm > row.test.p

    def test_a_difference_survives_json(self) -> None:
        (row,) = differences([(result("ipd", "a", sample(0)), result("ipd", "b", sample(1)))], 0.95)
        assert Difference.from_json(row.to_json()) == row


class TestPanels:
    A, B = result("ipd", "a", sample(0, 1.0)), result("ipd", "b", sample(1), panel="q")

    def test_other_deals_are_never_paired_silently(self) -> None:
        message = r"ipd: a and b were not sampled on the same deals \(panels p and q\)"
        with pytest.raises(RequestError, match=message):
            paired(self.A, self.B, ("a", "b"), 0.95)
        with pytest.raises(RequestError, match=message):
            differences([(self.A, self.B)], 0.95)
        with pytest.raises(RequestError, match=message):
            compare_results(by_game(self.A), by_game(self.B), 0.95, paired=True)

    def test_they_are_compared_by_welch_with_a_note(self) -> None:
        found = compare_results(by_game(self.A), by_game(self.B), 0.95)
        (row,) = found.differences
        a, b = (one.measures["safety"].values for one in (self.A, self.B))  # type: ignore[union-attr]
        wanted = stats.ttest_ind(a, b, equal_var=False)
        ends = wanted.confidence_interval(0.95)
        assert (row.estimate.low, row.estimate.high) == pytest.approx((ends.low, ends.high))
        assert row.test is not None
        assert row.test.pairing == "none"
        assert row.test.p == pytest.approx(wanted.pvalue, rel=1e-6)
        assert list(found.notes) == ["Not paired, other deals: ipd. Welch's interval on the means of deals."]
        assert "differences (a minus b)" in str(found)

    def test_a_sample_goes_with_exact_values(self) -> None:
        found = compare_results(by_game(self.A), by_game(result("ipd", "b", 0.25)), 0.95, paired=True)
        (row,) = found.differences
        alone = self.A.measures["safety"].estimate(0.95)  # type: ignore[union-attr]
        assert alone.low is not None
        assert row.estimate.low == pytest.approx(alone.low - 0.25)


class TestRequests:
    BASE = result("ipd", "a", 1.0)

    @pytest.mark.parametrize(
        ("change", "what"),
        [
            ({"version": 2}, "version"),
            ({"settings": {"options": {"rounds": 3}}}, "options"),
            ({"weights": {**WEIGHTS, "e": 2.0}}, "weights"),
            ({"per_opponent": {"train": {"other": {}}}}, "opponents"),
            ({"settings": {"opponents": {"python:mine.py:sniper": "another version"}}}, "opponents"),
        ],
    )
    def test_what_does_not_mean_the_same_is_refused(self, change: dict[str, Any], what: str) -> None:
        with pytest.raises(RequestError, match=f"ipd: audited with other {what}"):
            compare_results(by_game(self.BASE), by_game(result("ipd", "b", 1.0, **change)), 0.95)

    def test_no_common_game(self) -> None:
        with pytest.raises(RequestError, match="no common game: ipd on one side, kuhn on the other"):
            compare_results(by_game(self.BASE), by_game(result("kuhn", "b", 1.0)), 0.95)

    def test_an_unknown_metric_is_named(self) -> None:
        with pytest.raises(RequestError, match=r"unknown metric 'safty': did you mean 'safety'\?"):
            compare_results(by_game(self.BASE), by_game(self.BASE), 0.95, ["safty"])

    def test_a_metric_that_neither_has(self) -> None:
        with pytest.raises(RequestError, match="no metric to compare in ipd"):
            compare_results(by_game(self.BASE), by_game(self.BASE), 0.95, ["regret"])

    def test_games_of_one_side_and_equal_names_are_said(self) -> None:
        both = by_game(self.BASE, result("kuhn", "a", 1.0))
        found = compare_results(by_game(self.BASE), both, 0.95)
        assert list(found.notes) == ["Audited on one side only, not compared: kuhn."]
        assert [(row.a, row.b) for row in found.differences] == [("a (a)", "a (b)")]
