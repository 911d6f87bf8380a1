"""Words of the prisoner's dilemma."""

from __future__ import annotations

import pytest

from equipoise.games.ipd import COOPERATE, DEFECT
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.prompts.registry import get_renderer
from tests.helpers import Constant

RENDERER = get_renderer("ipd")


def match_after(*rounds: tuple[str, str], **options: object) -> Match:
    match = Match(make_game("ipd", **options), lambda round_, purpose: 0.0)
    for pair in rounds:
        match.apply(dict(enumerate(pair)))
    return match


def situation(match: Match, seat: int) -> str:
    return RENDERER.situation(match.decision(seat, "episode", Constant(), 0))


def test_the_first_round() -> None:
    assert situation(match_after(), 0) == "Round 1 of 8. Past: none"


def test_past_rounds_are_told_from_the_seat_that_is_asked_and_the_last_comes_last() -> None:
    match = match_after((COOPERATE, DEFECT), (DEFECT, DEFECT))
    assert situation(match, 0) == "Round 3 of 8. Past: CD DD"
    assert situation(match, 1) == "Round 3 of 8. Past: DC DD"


def test_a_hidden_horizon_is_not_told() -> None:
    match = match_after((COOPERATE, COOPERATE), continuation=0.9, rounds=37)
    assert situation(match, 0) == "Round 2. Past: CC"
    rules = RENDERER.rules(match.game)
    assert "0.9" in rules
    assert "37" not in rules


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, ("8 rounds", "3 points each", "1 each", "gets 5", "the other 0")),
        ({"rounds": 5, "temptation": 7.5, "reward": 4.0}, ("5 rounds", "4 points each", "gets 7.5")),
        ({"noise": 0.05}, ("flipped with probability 0.05",)),
    ],
)
def test_the_rules_tell_what_is_in_force(options: dict[str, object], words: tuple[str, ...]) -> None:
    rules = RENDERER.rules(make_game("ipd", **options))
    assert all(word in rules for word in words)


def test_the_rules_explain_the_letters() -> None:
    assert "your action first, C for COOPERATE and D for DEFECT" in RENDERER.rules(make_game("ipd"))


def test_no_noise_is_not_mentioned() -> None:
    assert "flipped" not in RENDERER.rules(make_game("ipd"))
