"""Words of the pie."""

from __future__ import annotations

import pytest

from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.games.split import DEMANDS
from equipoise.prompts.registry import get_renderer
from tests.helpers import Constant

RENDERER = get_renderer("split")


def situation(*rounds: tuple[int, int], seat: int = 0) -> str:
    match = Match(make_game("split"), lambda round_, purpose: 0.0)
    for pair in rounds:
        match.apply(dict(enumerate(pair)))
    return RENDERER.situation(match.decision(seat, "episode", Constant(), 0))


def test_the_first_round() -> None:
    assert situation() == "Round 1 of 4. Past: none"


def test_past_rounds_are_told_from_the_seat_that_is_asked_and_the_last_comes_last() -> None:
    assert situation((5, 7), (6, 3)) == "Round 3 of 4. Past: 5-7 6-3"
    assert situation((5, 7), (6, 3), seat=1) == "Round 3 of 4. Past: 7-5 3-6"


def test_the_rules_tell_what_is_in_force() -> None:
    rules = RENDERER.rules(make_game("split", rounds=3))
    assert all(words in rules for words in ("10 points", "from 1 to 9", "3 rounds", "your demand first"))


@pytest.mark.parametrize("demand", DEMANDS)
def test_a_demand_is_read_as_its_number_only(demand: int) -> None:
    assert RENDERER.parse(f"Action: {demand}", DEMANDS) == demand
    for text in (f"Action: {demand} {demand}", f"{demand}0", f"-{demand}", f"{demand}.5", f"{demand} points"):
        assert RENDERER.parse(text, DEMANDS) is None


@pytest.mark.parametrize("text", ["0", "10", "seven", "", "Action:"])
def test_what_is_no_demand_is_invalid(text: str) -> None:
    assert RENDERER.parse(text, DEMANDS) is None
