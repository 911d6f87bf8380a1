"""Scenarios of rounds and of selection are never shared."""

from __future__ import annotations

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.tasks.base import Task
from equipoise.tasks.registry import make_task
from equipoise.training.epo.scenarios import check_disjoint, split_scenarios


@pytest.mark.parametrize("rounds", [1, 3, 5])
def test_rounds_and_selection_share_nothing_and_leave_nothing_out(rounds: int) -> None:
    task = make_task("social", families=("price", "items"))
    found = split_scenarios(task, rounds, seed=1)
    parts = [one.scenario_ids() for one in (found.selection, *found.rounds) if isinstance(one, Task)]
    assert len(parts) == rounds + 1
    assert all(parts)
    assert sorted(one for part in parts for one in part) == sorted(task.scenario_ids())
    assert split_scenarios(task, rounds, seed=1).selection.options == found.selection.options
    assert split_scenarios(task, rounds, seed=2).selection.options != found.selection.options


def test_games_are_the_same_in_every_round() -> None:
    game = make_game("ipd")
    found = split_scenarios(game, 3, seed=0)
    assert found.rounds == (game,) * 3
    assert found.selection is game


def test_too_few_scenarios_are_refused() -> None:
    task = make_task("social")
    few = make_task("social", only=task.scenario_ids()[:3])
    with pytest.raises(RequestError, match="3 scenarios are too few for 4 rounds and a selection"):
        split_scenarios(few, 4, seed=0)


def test_a_shared_scenario_is_named() -> None:
    check_disjoint([["a"], ["b", "c"]])
    with pytest.raises(RequestError, match="scenario 'b' would be used twice"):
        check_disjoint([["a", "b"], ["b", "c"]])
