"""Words of Kuhn poker."""

from __future__ import annotations

import pytest

from equipoise.games.kuhn import BET, CALL, FOLD, PASS
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.prompts.registry import get_renderer
from equipoise.types import Action
from tests.helpers import Constant, every_decision

RENDERER = get_renderer("kuhn")


def low(round_: int, purpose: str) -> float:
    """Deal the jack to seat 0 and the queen to seat 1."""
    return 0.0


def situation(*actions: Action, memory: bool = False) -> str:
    """Return what the seat to move is told after some actions."""
    match = Match(make_game("kuhn", memory=memory), low)
    for action in actions:
        match.apply({match.players_to_move[0]: action})
    return RENDERER.situation(match.decision(match.players_to_move[0], "episode", Constant(), 0))


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ((), "You hold the jack. You open: PASS or BET?"),
        ((PASS,), "You hold the queen. The other player passed: PASS or BET?"),
        ((BET,), "You hold the queen. The other player bet: CALL or FOLD?"),
        ((PASS, BET), "You hold the jack. You passed, the other player bet: CALL or FOLD?"),
        # The second hand is told like the first: seat 1 opens it.
        ((BET, FOLD), "You hold the queen. You open: PASS or BET?"),
    ],
)
def test_situations(actions: tuple[Action, ...], said: str) -> None:
    assert situation(*actions) == said


def test_the_question_names_exactly_the_legal_actions() -> None:
    for decision in every_decision(make_game("kuhn", rounds=1)):
        question = RENDERER.situation(decision).rpartition(":")[2]
        assert {word for word in (PASS, BET, CALL, FOLD) if word in question} == set(decision.legal or ())


def test_the_seat_does_not_change_the_words() -> None:
    said: dict[object, set[str]] = {}
    for decision in every_decision(make_game("kuhn", rounds=2)):
        said.setdefault(decision.information_state, set()).add(RENDERER.situation(decision))
    assert len(said) == 12
    assert all(len(words) == 1 for words in said.values())


def test_remembered_hands_come_first() -> None:
    told = situation(PASS, BET, CALL, memory=True)
    first, second = told.splitlines()
    assert first.startswith("Hand 1: you held the queen, the other opened;")
    assert first.endswith("the other showed the jack.")
    assert second == "You hold the queen. You open: PASS or BET?"


def test_a_fold_shows_no_card() -> None:
    assert "no showdown" in situation(BET, FOLD, memory=True)
    assert "showed" not in situation(BET, FOLD, memory=True)


def test_the_rules_explain_every_action() -> None:
    rules = RENDERER.rules(make_game("kuhn"))
    assert all(word in rules for word in (PASS, BET, CALL, FOLD))
