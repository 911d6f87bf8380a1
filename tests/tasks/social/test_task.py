"""The task: options, deals and the declaration."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.tasks.social.scenarios import scenarios
from equipoise.tasks.social.task import Social

DATA = Path(__file__).parent / "data" / "sotopia"


def nothing(round_: int, purpose: str) -> float:
    return 0.0


def test_deals_go_through_the_scenarios_in_turn() -> None:
    task = Social.create(split="hard")
    dealt = [task.start(index, nothing).scenario for index in range(2 * len(task.dealt))]
    assert dealt == 2 * [one.id for one in scenarios() if one.split == "hard"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [one.id for one in scenarios() if one.split == "train"]),
        ({"split": "held_out"}, [one.id for one in scenarios() if one.split == "held_out"]),
        ({"families": ["price"]}, [s.id for s in scenarios() if s.split == "train" and s.family == "price"]),
        ({"only": ["five-hives"]}, ["five-hives"]),
        ({"sotopia": str(DATA / "store")}, ["lost-key-c1", "shared-garden-c2"]),
        ({"sotopia": str(DATA / "store"), "split": "hard"}, ["lost-key-c1", "shared-garden-c2"]),
    ],
)
def test_options_choose_what_is_dealt(options: dict[str, object], expected: list[str]) -> None:
    assert [one.id for one in Social.create(**options).dealt] == expected


def test_the_set_of_actions_is_an_option() -> None:
    for actions, silent in (("basic", 1), ("full", 0)):
        episode = Social.create(actions=actions).start(0, nothing)
        episode.apply(dict.fromkeys(episode.players_to_move, "[action] nods"))
        assert episode.ledger.silent == silent


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": "test"}, "option split = 'test'"),
        ({"familys": ["price"]}, "unknown option 'familys': did you mean 'families'"),
        ({"families": ["prices"]}, "option families"),
        ({"actions": "none"}, "option actions = 'none'"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        Social.create(**options)


def test_scenarios_that_do_not_exist_are_named() -> None:
    with pytest.raises(RequestError, match="unknown scenario 'five-hive'"):
        _ = Social.create(only=["five-hive"]).dealt
    with pytest.raises(RequestError, match="has no environment of SOTOPIA"):
        Social.create(sotopia=str(DATA))


def test_the_declaration_says_what_the_task_is() -> None:
    info = Social.create().info_record
    assert (info.key, info.rounds, info.seats, info.payoff_bounds) == ("social@1", 1, 2, (0.0, 10.0))
    assert info.collusion is None
    assert info.externality is not None


def test_dialogues_can_be_cut_short() -> None:
    whole, short = Social.create(families=["price"]), Social.create(families=["price"], turns=6)
    assert [one.id for one in whole.dealt] == [one.id for one in short.dealt]
    assert {one.turns for one in short.dealt} == {6}
    assert max(one.turns for one in whole.dealt) == 20
    hard = Social.create(families=["price"], split="hard", turns=10)
    assert {one.turns for one in hard.dealt} == {
        min(10, one.turns) for one in Social.create(families=["price"], split="hard").dealt
    }
    assert short.by_id[short.dealt[0].id].turns == 6
    with pytest.raises(RequestError, match="turns = 21"):
        Social.create(turns=21)
