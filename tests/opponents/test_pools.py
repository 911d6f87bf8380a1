"""Pools: who is in them (``domains.md``), that they exist, and that shift is held out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import game_names
from equipoise.opponents import pools as pools_module
from equipoise.opponents import registry
from equipoise.opponents.base import Classifier, MemoryOne, certain
from equipoise.opponents.pools import POOL_NAMES, Pools, default_pools, register_pools
from equipoise.opponents.registry import get_strategy, register_strategy, strategies

# domains.md.
GOLDEN = {
    "ipd": {
        "train": ("tit_for_tat", "generous_tit_for_tat", "mixed_half", "grim_trigger"),
        "exploiter": ("always_defect", "alternating_defect"),
        "collusive": ("always_cooperate",),
        "shift": ("suspicious_tit_for_tat", "pavlov", "tit_for_two_tats", "random_75"),
    },
    "kuhn": {
        "train": ("nash", "tight_passive", "loose_aggressive"),
        "exploiter": ("max_exploiter", "always_bet", "nash"),
        "collusive": (),
        "shift": ("always_pass", "random"),
    },
    "auction": {
        "train": ("shaded", "conservative", "rational_random"),
        "exploiter": ("aggressive", "adaptive"),
        "collusive": ("collusive_low",),
        "shift": ("always_high", "sniper"),
    },
    "split": {
        "train": ("fair", "balanced", "concede", "hardball"),
        "exploiter": ("selfish", "hardball"),
        "collusive": ("fair",),
        "shift": ("complement", "random_3_7"),
    },
    "multi_issue": {
        "train": ("fair", "tit_for_tat", "concede"),
        "exploiter": ("greedy", "hardball"),
        "collusive": ("fair",),
        "shift": ("residual", "specialist"),
    },
    "commons": {
        "train": ("medium", "scarcity_aware", "reciprocal"),
        "exploiter": ("high", "late_grabber"),
        "collusive": ("high",),
        "shift": ("low", "random"),
    },
}

mine = MemoryOne("mine", Classifier(memory_depth=0), "a test", act=lambda memory, view: certain("COOPERATE"))


@pytest.fixture(autouse=True)
def _own_registries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools_module, "_POOLS", dict(pools_module._POOLS))
    monkeypatch.setattr(
        registry, "_STRATEGIES", {g: dict(known) for g, known in registry._STRATEGIES.items()}
    )


@pytest.mark.parametrize("game", GOLDEN)
def test_the_default_pools_are_those_of_the_domain(game: str) -> None:
    assert dict(default_pools(game)) == GOLDEN[game]


@pytest.mark.parametrize("game", game_names())
def test_every_opponent_named_in_a_pool_exists(game: str) -> None:
    for _, names in default_pools(game):
        for name in names:
            assert get_strategy(game, name).name == name


@pytest.mark.parametrize("game", game_names())
def test_nothing_that_is_trained_on_is_in_the_shift_pool(game: str) -> None:
    pools = default_pools(game)
    used = {*pools.train, *pools.exploiter, *pools.collusive}
    assert pools.shift
    assert not used & set(pools.shift)


@pytest.mark.parametrize("game", game_names())
def test_every_game_has_someone_to_train_on_and_to_be_exploited_by(game: str) -> None:
    assert default_pools(game).train
    assert default_pools(game).exploiter


def test_pools_are_multisets() -> None:
    kuhn = default_pools("kuhn")
    assert "nash" in kuhn.train
    assert "nash" in kuhn.exploiter
    assert Pools(train=("a", "a")).train == ("a", "a")


def test_pools_come_in_a_fixed_order() -> None:
    assert tuple(name for name, _ in default_pools("ipd")) == POOL_NAMES
    assert POOL_NAMES == ("train", "exploiter", "collusive", "shift")


def test_some_pools_can_be_replaced() -> None:
    old = default_pools("ipd")
    new = old.replace({"exploiter": ["always_defect", "python:mine.py:sniper"]})
    assert new.exploiter == ("always_defect", "python:mine.py:sniper")
    assert (new.train, new.collusive, new.shift) == (old.train, old.collusive, old.shift)
    assert old == default_pools("ipd")


def test_an_unknown_pool_is_answered_with_the_nearest() -> None:
    with pytest.raises(RequestError, match=r"unknown pool 'exploiters': did you mean 'exploiter'\?"):
        default_pools("ipd").replace({"exploiters": ["always_defect"]})


def test_the_train_pool_cannot_be_empty() -> None:
    with pytest.raises(RequestError, match=r"pools\.train is empty"):
        default_pools("ipd").replace({"train": []})


def test_a_single_name_is_not_a_list_of_letters() -> None:
    try:
        pools = default_pools("ipd").replace({"exploiter": "always_defect"})
    except RequestError:
        return
    assert pools.exploiter == ("always_defect",)


def test_the_shift_pool_cannot_be_trained_on() -> None:
    with pytest.raises(RequestError, match="pavlov"):
        default_pools("ipd").replace({"train": ["pavlov"]})


def test_a_game_without_pools_is_met_by_random() -> None:
    assert default_pools("theirs").train == ("random",)
    assert get_strategy("theirs", "random").name == "random"


def test_a_game_without_pools_holds_shift_out_as_well() -> None:
    pools = default_pools("theirs")
    assert not {*pools.train, *pools.exploiter, *pools.collusive} & set(pools.shift)


def test_pools_can_be_registered() -> None:
    register_pools("theirs", Pools(train=("mine",)))
    assert default_pools("theirs").train == ("mine",)


def test_a_strategy_can_be_registered() -> None:
    assert register_strategy("ipd", mine) is mine
    assert get_strategy("ipd", "mine") is mine
    assert "mine" not in strategies("kuhn")


def test_packages_offer_strategies_through_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    def entry_points(group: str) -> list[Any]:
        assert group == "equipoise.opponents"
        return [SimpleNamespace(name="kuhn.theirs", load=lambda: mine)]

    monkeypatch.setattr(registry, "entry_points", entry_points)
    assert get_strategy("kuhn", "theirs") is mine
    assert "theirs" not in strategies("ipd")


def test_an_unknown_strategy_is_answered_with_the_nearest() -> None:
    with pytest.raises(
        RequestError, match=r"unknown ipd strategy 'tit_for_tatt': did you mean 'tit_for_tat'\?"
    ):
        get_strategy("ipd", "tit_for_tatt")


@pytest.mark.parametrize("game", game_names())
def test_random_is_uniform_over_whatever_is_legal(game: str) -> None:
    given = get_strategy(game, "random").probabilities(None, None, ("a", "b", "c"))
    assert given == dict.fromkeys("abc", 1.0 / 3.0)
