"""Means and paired differences over seeds, against scipy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from equipoise.auditing.result import GameResult
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.training.ablations.result import METRICS, Ablation, AblationRow, ranges, summarise
from equipoise.training.ablations.tables import markdown
from equipoise.types import Estimate, Kind

GAME = make_game("ipd")
WITHIN = ranges(GAME.info_record, Objective.of(GAME.info_record, default_pools("ipd")))
FULL = [1.7, 1.75, 1.6]
OTHER = [1.1, 1.3, 0.9]


def results(values: list[float], kind: Kind = Kind.EXACT) -> dict[int, GameResult]:
    def estimate(value: float) -> Estimate:
        low, high = (value, None) if kind is Kind.LOWER_BOUND else (value, value)
        return Estimate(value, low, high, 1.0, 4, 4, kind)

    return {
        seed: GameResult("ipd", 1, "row", dict.fromkeys(METRICS, estimate(value)), {}, {}, {})
        for seed, value in enumerate(values)
    }


def student(values: list[float]) -> tuple[float, float]:
    found = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
    return float(found[0]), float(found[1])


def test_intervals_over_seeds_are_students_and_differences_are_paired() -> None:
    row = summarise("ipd", "shared", results(OTHER), results(FULL), WITHIN, 0.95)
    found, difference = row.metrics["safety"], row.differences["safety"]
    assert found is not None
    assert difference is not None
    assert found.value == pytest.approx(1.1)
    assert (found.low, found.high) == pytest.approx(student(OTHER))
    gaps = [a - b for a, b in zip(OTHER, FULL, strict=True)]
    assert (difference.low, difference.high) == pytest.approx(student(gaps))
    # Pairing pays: the difference is known better than its two sides.
    assert difference.high - difference.low < found.high - found.low  # type: ignore[operator]
    assert (found.kind, found.n, found.clusters, row.seeds) == (Kind.SAMPLE, 12, 3, (0, 1, 2))


def test_seeds_that_agree_in_one_metric_get_no_interval_of_width_zero() -> None:
    given = results([1.0] * 3)
    given[0] = replace(given[0], metrics={**given[0].metrics, "safety": Estimate.exact(0.5)})
    row = summarise("ipd", "x", given, results(FULL), WITHIN, 0.95)
    found = row.metrics["utility"]
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low < 1.0 < found.high


def test_where_nothing_is_drawn_seeds_are_one_run() -> None:
    row = summarise("ipd", "x", results([1.0] * 3), results(FULL), WITHIN, 0.95)
    assert row.metrics["safety"] == results([1.0])[0].metrics["safety"]
    assert row.seeds == (0, 1, 2)
    # Samples that agree are no proof of that.
    row = summarise("ipd", "x", results([1.0] * 3, Kind.SAMPLE), results(FULL), WITHIN, 0.95)
    found = row.metrics["safety"]
    assert found is not None
    assert found.low is not None
    assert found.low < 1.0


def test_one_seed_keeps_its_own_estimate_and_has_no_difference() -> None:
    row = summarise("ipd", "x", results([1.0]), results([2.0]), WITHIN, 0.95)
    assert row.metrics["safety"] == results([1.0])[0].metrics["safety"]
    assert row.differences["safety"] is None


def test_a_mean_of_lower_bounds_is_one_and_no_difference_of_bounds_is_given() -> None:
    row = summarise("ipd", "x", results(OTHER, Kind.LOWER_BOUND), results(FULL), WITHIN, 0.95)
    found = row.metrics["best_response"]
    assert found is not None
    assert (found.kind, found.value, found.high) == (Kind.LOWER_BOUND, pytest.approx(1.1), None)
    assert row.differences["best_response"] is None


def test_values_lie_in_their_ranges() -> None:
    # The safety of always_cooperate in the dilemma, objective.md, is about the worst of those listed.
    assert WITHIN["safety"].low < -6.475 < 1.8798828125 < WITHIN["safety"].high
    assert WITHIN["utility"] == (0.0, 5.0)


def test_tables_say_what_is_not_applicable_and_why(tmp_path: Path) -> None:
    full = results(FULL)
    rows = [
        summarise("ipd", "full", full, full, WITHIN, 0.95),
        summarise("ipd", "shared", results(OTHER), full, WITHIN, 0.95),
        AblationRow("ipd", "exact", "too large"),
    ]
    found = Ablation("mine", tmp_path, rows, 0.95)
    lines = markdown(found).splitlines()
    assert lines[0] == "**ipd, 3 seeds**"
    assert lines[2] == "| row | J | u | e | c | x | best response | J − full |"
    assert lines[4].startswith("| `full` | 1.683 [")
    assert lines[4].endswith("|  |")
    # Gaps of -0.6, -0.45, -0.7: mean -0.5833, standard error 0.0726, quantile of Student's 2 degrees 4.303.
    assert lines[5].endswith("| -0.583 [-0.896, -0.271] |")
    assert lines[6] == f"| `exact` {'| n/a ' * 7}|"
    assert "- exact is not applicable: too large" in lines
    assert any("Student's 95% interval over seeds" in line for line in lines)
    found.save()
    assert (tmp_path / "ablation.md").read_text(encoding="utf-8") == markdown(found)
    data = found.to_json()
    assert data["results"][2]["not_applicable"] == "too large"
    assert data["results"][1]["differences"]["safety"]["value"] == pytest.approx(-0.58333, abs=1e-4)
    assert data["results"][0]["differences"] == {}
