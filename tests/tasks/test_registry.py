"""Tasks, actors and pools by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from equipoise.errors import RequestError
from equipoise.games.base import finite_game
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.registry import load_game, load_opponents, load_policy
from equipoise.policies.texts import ActorPolicy
from equipoise.tasks.registry import (
    Parts,
    get_actor,
    make_task,
    register_task,
    task_actors,
    task_names,
    task_pools,
)
from equipoise.tasks.social.task import Social


def test_a_task_is_found_where_games_are() -> None:
    assert isinstance(load_game("social", {"split": "hard"}), Social)
    assert load_game("kuhn").name == "kuhn"


def test_its_actors_are_policies_and_opponents() -> None:
    task = make_task("social")
    policy = load_policy("scripted:sensible", task)
    assert isinstance(policy, ActorPolicy)
    assert policy.name == "scripted:sensible"
    assert set(load_opponents(["tough", "scripted:weak"], task)) == {"tough", "scripted:weak"}


def test_its_pools_are_the_default_ones() -> None:
    assert default_pools("social") is task_pools("social")
    assert isinstance(task_pools("social"), Pools)
    assert set(task_pools("social").train) <= set(task_actors("social"))


def test_what_does_not_exist_is_named() -> None:
    with pytest.raises(RequestError, match="unknown task 'socal': did you mean 'social'"):
        make_task("socal")
    with pytest.raises(RequestError, match="unknown social actor 'toug': did you mean 'tough'"):
        get_actor("social", "toug")
    with pytest.raises(RequestError, match="unknown social actor"):
        load_policy("scripted:tit_for_tat", make_task("social"))
    with pytest.raises(RequestError, match="unknown task"):
        task_pools("kuhn")
    assert task_actors("kuhn") == {}


def test_what_needs_finite_actions_says_so() -> None:
    with pytest.raises(RequestError, match="'social' is a free-text task"):
        finite_game(make_task("social"))
    assert finite_game(load_game("kuhn")).name == "kuhn"


def test_a_task_of_ones_own_can_be_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.tasks.registry._TASKS", {})
    place = "equipoise.tasks.social"
    register_task(
        "mine", Parts(f"{place}.task:Social", f"{place}.actors:ACTORS", f"{place}.pools:POOLS", "json:loads")
    )
    assert task_names() == ("mine",)
    assert isinstance(make_task("mine"), Social)


def test_a_task_is_loaded_when_its_name_is_asked_for() -> None:
    code = (
        "import sys, equipoise.policies.registry; "
        "print(any(name.startswith('equipoise.tasks.social') for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
