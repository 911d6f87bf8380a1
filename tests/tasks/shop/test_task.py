"""The task: options, deals and what it declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.policies.registry import load_game
from equipoise.tasks.registry import NOBODY, task_pools
from equipoise.tasks.shop.goals import SPLITS, goals
from equipoise.tasks.shop.task import Shop
from tests.tasks.shop.build import SHOP


def chance(draw: float) -> object:
    return lambda round_, purpose: draw if purpose == "price cap" else 0.5


@pytest.mark.parametrize("split", SPLITS)
def test_deals_go_through_the_goals_of_a_split_in_turn(split: str) -> None:
    task = Shop.create(split=split)
    count = len(task.dealt)
    found = [task.start(k, chance(0.0)).scenario for k in range(count + 1)]  # type: ignore[arg-type]
    assert found[:count] == [one.id for one in goals() if one.split == split]
    assert found[count] == found[0]
    assert task.scenario_ids() == tuple(found[:count])


def test_the_price_cap_is_a_draw_of_the_deal() -> None:
    task = Shop.create(only=["daycream-1"])
    caps = {task.start(0, chance(draw)).wanted.cap for draw in (0.0, 0.3, 0.6, 0.9)}  # type: ignore[arg-type]
    assert caps == {20.0, 22.0, 24.0, 26.0}


def test_it_is_found_by_name_and_has_one_seat() -> None:
    task = load_game("shop", {"only": ["daycream-1"]})
    assert isinstance(task, Shop)
    info = task.info_record
    assert (info.seats, info.payoff_bounds, info.externality, info.collusion) == (1, (0.0, 1.0), None, None)
    assert dict(task_pools("shop"))["train"] == (NOBODY,)


def test_info_and_label_tell_the_view() -> None:
    episode = SHOP.start(0, chance(0.0))  # type: ignore[arg-type]
    info = SHOP.info(0, episode.view(0), ())
    assert (info["game"], info["scenario"], info["options"]) == ("shop", "warm", ("search[words]",))
    assert SHOP.label(episode.view(0), ()) == "warm Shopper 0"


def test_wrong_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="unknown option 'splt': did you mean 'split'"):
        Shop.create(splt="hard")
    with pytest.raises(RequestError, match="unknown goal 'daycrem-1': did you mean 'daycream-1'"):
        Shop.create(only=["daycrem-1"]).start(0, chance(0.0))  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="items_shuffle"):
        Shop.create(webshop=str(tmp_path))
