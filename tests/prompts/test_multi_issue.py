"""Words of the negotiation over several items."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from equipoise.games.match import Match
from equipoise.games.multi_issue import Bundle, MultiIssue, pools
from equipoise.prompts.multi_issue import MultiIssuePrompts
from tests.helpers import Constant

RENDERER = MultiIssuePrompts()
LEGAL = tuple(product(range(3), range(2), range(4)))


def situation(*rounds: tuple[Bundle, Bundle], seat: int = 0) -> str:
    match = Match(MultiIssue.create(pool=(2, 1, 3)), lambda round_, purpose: 0.0)
    for pair in rounds:
        match.apply(dict(enumerate(pair)))
    return RENDERER.situation(match.decision(seat, "episode", Constant(), 0))


def test_the_first_round() -> None:
    assert situation() == "Pool: 2 1 3. Your values: 1 1 8. Round 1 of 4. Past: none"


def test_past_rounds_are_told_from_the_seat_that_is_asked_and_the_last_comes_last() -> None:
    past = (((2, 1, 0), (1, 1, 1)), ((0, 0, 3), (2, 0, 0)))
    assert situation(*past).endswith("Round 3 of 4. Past: 2 1 0/1 1 1, 0 0 3/2 0 0")
    assert situation(*past, seat=1).endswith("Round 3 of 4. Past: 1 1 1/2 1 0, 2 0 0/0 0 3")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, ("4 rounds", "one book, one hat and one ball")),
        ({"rounds": 7, "valuation": "pool10"}, ("7 rounds", "whole pool")),
    ],
)
def test_the_rules_tell_what_is_in_force(options: dict[str, object], words: tuple[str, ...]) -> None:
    rules = RENDERER.rules(MultiIssue.create(**options))
    assert all(word in rules for word in words)


def test_every_demand_of_every_pool_is_read_back() -> None:
    for pool in pools("unit10"):
        legal = tuple(product(*(range(units + 1) for units in pool)))
        for demand in legal:
            assert RENDERER.parse(f"Action: {RENDERER.say(demand)}", legal) == demand


def test_a_bundle_is_written_as_three_numbers() -> None:
    assert RENDERER.say((2, 1, 0)) == "2 1 0"


@pytest.mark.parametrize("text", ["2 1", "2 1 0 1", "2 1 4", "3 1 0", "210", "2 1 0 or 1 1 1", "two 1 0", ""])
def test_what_is_no_bundle_of_the_pool_is_invalid(text: str) -> None:
    assert RENDERER.parse(text, LEGAL) is None


def test_no_two_histories_sound_alike() -> None:
    random = Random(0)
    pasts = {tuple((random.choice(LEGAL), random.choice(LEGAL)) for _ in range(3)) for _ in range(300)}
    assert len({situation(*past) for past in pasts}) == len(pasts)
