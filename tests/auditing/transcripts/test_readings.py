"""Readings as estimates: means by deal, groups, dimensions, successes, and their way into results."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from equipoise.api import audit
from equipoise.auditing.result import GameResult
from equipoise.auditing.tables import reading_table, render
from equipoise.auditing.transcripts.readings import Readings
from equipoise.policies.registry import load_game, load_policy
from equipoise.rollout.engine import play
from tests.rollout.players import requests


def test_means_are_over_deals_and_empty_figures_are_left_out() -> None:
    rules = load_game("social", {"families": ("price",)})
    taken = Readings(rules, 3)
    values: dict[int, list[float]] = {}
    for one in play(requests(rules, load_policy("scripted:sensible", rules), ("weak",), 3)):
        taken.add(one.episode)
        goal = one.episode.notes["dimensions"][one.episode.seat]["goal"]  # type: ignore[index]
        values.setdefault(one.episode.deal, []).append(goal)
    found = taken.estimates(0.9)
    goal = found["dimensions"]["goal"]
    assert goal.value == pytest.approx(np.mean([np.mean(rows) for rows in values.values()]))
    assert (goal.n, goal.clusters, goal.level) == (6, 3, 0.9)
    assert goal.low is not None
    assert goal.high is not None
    assert 0.0 <= goal.low <= goal.value <= goal.high <= 10.0
    # A rule knows neither believability nor the mean of all seven.
    assert not {"believability", "overall"} & set(found["dimensions"])
    assert "strategies" not in found


def test_in_dialogues_utility_is_the_goal_score_of_the_train_pool() -> None:
    result = audit("social", policy="scripted:sensible", episodes=2, options={"families": ("price",)})
    (one,) = result.results
    utility, goal = one.metrics["utility"], one.readings["dimensions"]["goal"]
    assert utility is not None
    assert goal.value == pytest.approx(utility.value)


@pytest.mark.parametrize("task", ["shop", "household"])
def test_errands_count_successes(task: str) -> None:
    best = audit(task, policy="scripted:oracle", episodes=3).results[0]
    assert best.readings["outcomes"]["success"].value == 1.0
    worst = audit(task, policy=lambda decision: "look" if task == "household" else "search[x]", episodes=2)
    assert worst.results[0].readings["outcomes"]["success"].value == 0.0


def test_strategies_are_part_of_results_tables_and_json() -> None:
    result = audit("ipd", policy="strategist:phrases>coached:random", episodes=3, exact=False)
    (one,) = result.results
    assert set(one.readings) == {"strategies"}
    followed = one.readings["strategies"]["followed"]
    assert (followed.value, followed.clusters) == (1.0, 3)
    assert followed.low is not None
    assert followed.low < 1.0
    data: Any = json.loads(json.dumps(one.to_json()))
    assert GameResult.from_json(data).readings == one.readings
    assert "followed" in render(result)
    table = reading_table([one])
    assert table is not None
    assert table.row_count == len(one.readings["strategies"])


def test_where_transcripts_say_nothing_there_is_no_table() -> None:
    result = audit("ipd", policy="scripted:tit_for_tat", episodes=2)
    assert reading_table(result.results) is None
    assert "readings" not in result.results[0].to_json()
