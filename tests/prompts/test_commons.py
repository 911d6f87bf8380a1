"""Words of the shared resource."""

from __future__ import annotations

import pytest

from equipoise.games.commons import ACTIONS, HIGH, LOW, MEDIUM
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.prompts.registry import get_renderer
from tests.helpers import Constant

RENDERER = get_renderer("commons")


def situation(*rounds: tuple[str, str], seat: int = 0) -> str:
    match = Match(make_game("commons"), lambda round_, purpose: 0.0)
    for pair in rounds:
        match.apply(dict(enumerate(pair)))
    return RENDERER.situation(match.decision(seat, "episode", Constant(), 0))


def test_the_first_round() -> None:
    assert situation() == "Round 1 of 8. Stock: 12. Past: none"


def test_past_rounds_are_told_from_the_seat_that_is_asked_and_the_last_comes_last() -> None:
    past = ((MEDIUM, HIGH), (LOW, MEDIUM))
    assert situation(*past) == "Round 3 of 8. Stock: 6. Past: MH LM"
    assert situation(*past, seat=1) == "Round 3 of 8. Stock: 6. Past: HM ML"


def test_the_rules_tell_what_is_in_force() -> None:
    rules = RENDERER.rules(make_game("commons", rounds=5))
    assert all(words in rules for words in ("12 units", "5 rounds", "empty stock stays empty", *ACTIONS))


@pytest.mark.parametrize("text", ["1", "L", "LOW MEDIUM", "LOWER", "Action: LOW or HIGH", ""])
def test_what_is_no_request_is_invalid(text: str) -> None:
    assert RENDERER.parse(text, ACTIONS) is None
