"""The task as a whole: options, deals, audits."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import RequestError
from equipoise.policies.registry import load_game, load_policy
from equipoise.tasks.household.episode import HouseholdEpisode
from equipoise.tasks.household.task import Household
from equipoise.tasks.registry import make_task, task_pools
from equipoise.training.epo.scenarios import split_scenarios


def worlds_dealt(task: Household, count: int) -> list[str]:
    return [task.start(k, lambda r, p: 0.5).scenario for k in range(count)]


def test_deals_go_through_the_worlds_in_turn() -> None:
    task = Household.create(split="held_out")
    dealt = worlds_dealt(task, 40)
    assert dealt[:20] == dealt[20:]
    assert len(set(dealt)) == 20


def test_options_choose() -> None:
    assert worlds_dealt(Household.create(only=["fever", "tea-caravan"]), 2) == [
        "fever",
        "tea-caravan",
    ]
    assert {one.family for one in Household.create(families=["two"]).dealt} == {"two"}
    episode = Household.create(hints=False).start(0, lambda r, p: 0.5)
    assert isinstance(episode, HouseholdEpisode)
    assert episode.view(0).options == ()


def test_its_worlds_are_listed_and_can_be_dealt_out_to_rounds() -> None:
    task = Household.create(split="hard")
    assert len(task.scenario_ids()) == 20
    parts = split_scenarios(task, 3, seed=0)
    dealt = [part.scenario_ids() for part in (*parts.rounds, parts.selection) if isinstance(part, Household)]
    assert sorted(name for part in dealt for name in part) == sorted(task.scenario_ids())


def test_what_is_wrong_is_said_in_one_line() -> None:
    with pytest.raises(RequestError, match="household: unknown option 'hint': did you mean 'hints'"):
        Household.create(hint=True)
    with pytest.raises(RequestError, match="household: option split"):
        Household.create(split="test")
    with pytest.raises(RequestError, match="unknown world"):
        worlds_dealt(Household.create(only=["feverish"]), 1)


def test_it_is_found_by_name_and_has_one_seat() -> None:
    task = load_game("household", {"split": "hard"})
    assert isinstance(task, Household)
    info = task.info_record
    assert (info.seats, info.payoff_bounds, info.key) == (1, (0.0, 1.0), "household@1")
    assert task_pools("household").train == ("nobody",)


def test_what_a_seat_knows_is_a_plain_mapping() -> None:
    episode = Household.create(only=["fever"]).start(0, lambda r, p: 0.5)
    view = episode.view(0)
    info = episode.task.info(0, view, ())
    assert info["goal"] == "He is burning up. Cool a washcloth and put it on the sickbed."
    assert info["options"] == view.options
    assert "go to kitchen" in view.options
    assert episode.task.label(view, ()) == "fever Robin 0"


def test_an_audit_says_how_often_errands_are_done(tmp_path: Path) -> None:
    task = make_task("household", split="held_out")
    result = audit_game(task, load_policy("scripted:oracle", task), AuditConfig(episodes=20, out=tmp_path))
    utility = result.metrics["utility"]
    assert utility is not None
    assert utility.value == 1.0
    assert utility.low is not None
    assert utility.low < 1.0
