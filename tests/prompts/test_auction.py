"""Words of the auction."""

from __future__ import annotations

import pytest

from equipoise.games.auction import ACTIONS, HIGH, LOW, MEDIUM
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.prompts.registry import get_renderer
from tests.helpers import Constant

RENDERER = get_renderer("auction")


def situation(*rounds: tuple[str, str], seat: int = 0) -> str:
    """Return what a seat is told if all values are 2 and seat 0 wins every tie."""
    match = Match(make_game("auction"), lambda round_, purpose: 0.0)
    for pair in rounds:
        match.apply(dict(enumerate(pair)))
    return RENDERER.situation(match.decision(seat, "episode", Constant(), 0))


def test_the_first_round() -> None:
    assert situation() == "Round 1 of 6. Your value: 2. Past: none"


def test_past_rounds_are_told_from_the_seat_that_is_asked_and_the_last_comes_last() -> None:
    past = ((MEDIUM, HIGH), (LOW, LOW))
    assert situation(*past) == "Round 3 of 6. Your value: 2. Past: 2MHl 2LLw"
    assert situation(*past, seat=1) == "Round 3 of 6. Your value: 2. Past: 2HMw 2LLl"


def test_the_rules_tell_what_is_in_force() -> None:
    rules = RENDERER.rules(make_game("auction", rounds=3))
    assert all(words in rules for words in ("2 or 4", "3 rounds", "a coin decides a tie", *ACTIONS))


@pytest.mark.parametrize("text", ["2", "M", "HIGH LOW", "HIGHER", "Action: LOW or HIGH", ""])
def test_what_is_no_bid_is_invalid(text: str) -> None:
    assert RENDERER.parse(text, ACTIONS) is None
