"""Rollouts of TRL as episodes: what is told, what is paid, what a wrong call costs."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from equipoise.adapters.trl import environments
from equipoise.adapters.trl.environment import GameEnvironment
from equipoise.adapters.trl.gates import EpisodeGates
from equipoise.errors import RequestError


def played(factory: Any, pool: str, opponent: str, *actions: str, seat: int = 0, deal: int = 0) -> float:
    environment = factory()
    environment.reset(prompt=[], pool=pool, opponent=opponent, seat=seat, deal=deal)
    for action in actions:
        environment.play(action)
    reward: float = environment.get_reward()
    return reward


def test_the_only_tool_is_to_play() -> None:
    found = [name for name, _ in inspect.getmembers(GameEnvironment, predicate=inspect.isfunction)]
    assert [name for name in found if not name.startswith("_")] == ["get_reward", "play", "reset"]


def test_a_game_is_told_step_by_step() -> None:
    environment = environments("ipd", rounds=2)()
    told = environment.reset(pool="train", opponent="tit_for_tat", seat=0, deal=0)
    assert told == "Round 1 of 2. Past: none"
    assert environment.play("DEFECT") == "Round 2 of 2. Past: DC"
    assert environment.play("Action: cooperate") == "The game is over."
    assert environment.play("DEFECT") == "The game is over."


@pytest.mark.parametrize(
    ("pool", "opponent", "actions", "wanted"),
    # objective.md and domains.md, two rounds, seven streams, s = 1, weights 2.4, 1.0, 1.8. Externality counts
    # 1.8/6 in the four train and two exploiter streams; the gate of a first exploiter episode is open.
    [
        # Both cooperate: own 3, x 0; utility counts 1/4.
        ("train", "tit_for_tat", ("COOPERATE", "COOPERATE"), 7 * (3 / 4)),
        # Own 5 then 1, x 1/6 then 2/3.
        ("train", "tit_for_tat", ("DEFECT", "DEFECT"), 7 * (3 / 4 - 1.8 / 6 * 5 / 12)),
        # A cooperator is 5 behind each round: 2.4 / 2 * 5, and x 1/6.
        ("exploiter", "always_defect", ("COOPERATE", "COOPERATE"), 7 * (-1.2 * 5 - 1.8 / 6 / 6)),
        # One defection of two on a trusting partner.
        ("collusive", "always_cooperate", ("COOPERATE", "DEFECT"), 7 * -0.5),
    ],
)
def test_the_reward_is_the_penalised_return(
    pool: str, opponent: str, actions: tuple[str, ...], wanted: float
) -> None:
    factory = environments("ipd", rounds=2)
    assert len(factory.objective.streams) == 7
    assert played(factory, pool, opponent, *actions) == pytest.approx(wanted)


def test_rows_are_all_streams_from_both_seats() -> None:
    factory = environments("ipd")
    rows = factory.rows(deals=1)
    assert len(rows) == 14
    rewards = []
    for row in rows:
        environment = factory()
        environment.reset(**row)
        for _ in range(8):
            environment.play("DEFECT")
        rewards.append(environment.get_reward())
    fixed = [reward for row, reward in zip(rows, rewards, strict=True) if row["opponent"] not in _DRAWING]
    # Per stream, times seven: tit for tat and grim pay 5 once, then 1; x is 1/6 once, then 2/3.
    tit = 7 * ((5 + 7) / 8 / 4 - 1.8 / 6 * (1 / 6 + 7 * 2 / 3) / 8)
    itself = 7 * (-1.8 / 6 * 2 / 3)
    assert sorted(fixed) == pytest.approx(
        sorted([tit] * 4 + [itself] * 2 + [_alternating(1.0)] * 2 + [-7.0] * 2)
    )
    # generous_tit_for_tat and mixed_half draw: each round pays 5 or 1.
    drawn = [reward for row, reward in zip(rows, rewards, strict=True) if row["opponent"] in _DRAWING]
    assert len(drawn) == 4
    assert all(7 * (1 / 4 - 1.8 / 6 * 2 / 3) <= reward <= 7 * 5 / 4 for reward in drawn)


_DRAWING = ("mixed_half", "generous_tit_for_tat")


def _alternating(gate: float) -> float:
    """Return the reward of always defecting on alternating_defect: own 1, 5, 1, 5 …, other 1, 0, 1, 0 …"""
    return 7 * (-1.2 * gate * (0.5 - 3.0) - 1.8 / 6 * (2 / 3 + 1 / 6) / 2)


def test_an_exploiter_that_lost_elsewhere_is_gated() -> None:
    factory = environments("ipd", rounds=1)
    # It leads by -5 on deal 0, which is unknown on deal 0 itself and known on deal 1.
    first = played(factory, "exploiter", "alternating_defect", "DEFECT", deal=0)
    again = played(factory, "exploiter", "alternating_defect", "DEFECT", deal=1)
    assert first == again == pytest.approx(7 * (-1.8 / 6 * 2 / 3))
    gates = EpisodeGates(deals=2)
    gates.add("one", 0, 0, -5.0)
    assert (gates.gate("one", 0), gates.gate("one", 1), gates.gate("other", 1)) == (1.0, 0.0, 1.0)
    gates.add("one", 1, 1, 9.0)
    # The mean over seats of -5 and 9 is positive.
    assert gates.gate("one", 2) == 1.0
    for deal in (3, 4):
        gates.add("one", 1, deal, -9.0)
    # Two deals a seat are kept: the 9 is forgotten.
    assert gates.gate("one", 2) == 0.0


def test_a_wrong_action_is_asked_again_once_and_then_forfeits() -> None:
    environment = environments("kuhn", rounds=2)()
    environment.reset(pool="train", opponent="nash", seat=0, deal=0)
    told = environment.play("raise")
    assert told.startswith("That is no legal action. Legal now: ")
    assert environment.play("CALL or FOLD") == "That is no legal action. You forfeit the game."
    # Two hands at -2, s = 3/2, three train opponents among six streams.
    assert environment.get_reward() == pytest.approx(6 * 1.5 / 3 * -2.0)


def test_what_is_not_played_is_forfeited() -> None:
    factory = environments("ipd", rounds=2)
    # One round of mutual cooperation, one at the lower bound of 0.
    assert played(factory, "train", "tit_for_tat", "COOPERATE") == pytest.approx(7 * (1.5 / 4))


def test_rollouts_of_a_row_share_its_deal() -> None:
    factory = environments("kuhn", rounds=1)
    (row,) = [
        one
        for one in factory.rows(deals=1)
        if (one["opponent"], one["seat"], one["pool"]) == ("nash", 0, "train")
    ]
    told = {factory().reset(**row) for _ in range(5)}
    assert len(told) == 1
    assert len({factory().reset(**{**row, "deal": deal}) for deal in range(20)}) > 1
    assert "tool `play`" in row["prompt"][0]["content"]


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: environments("social"), "'social' is a free-text task"),
        (
            lambda: environments("ipd", pools={"train": ["http:http://localhost:1"]}),
            "answers in its own time",
        ),
        (lambda: environments("ipd", weights={"z": 1.0}), "unknown weight 'z'"),
        (
            lambda: played(environments("ipd"), "train", "always_defect"),
            "unknown stream 'train/always_defect'",
        ),
        (lambda: played(environments("ipd"), "train", "tit_for_tat", seat=2), "seat 2: ipd has the seats 0"),
        (lambda: environments("ipd")().play("DEFECT"), "reset the environment"),
    ],
)
def test_what_does_not_fit_is_said(make: Any, error: str) -> None:
    with pytest.raises(RequestError, match=error):
        make()
