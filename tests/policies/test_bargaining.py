"""What advice means in the negotiations: phrases, others they were not built on, figures, and nonsense."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise.games import multi_issue, split
from equipoise.games.registry import make_game
from equipoise.policies.phrasebook import intended, intents, recall
from equipoise.policies.phrases.advice import ADVICE
from equipoise.rollout.deals import DecisionDraws
from equipoise.types import Action, Decision

SPLIT, SHARES = make_game("split"), make_game("multi_issue", pool=(4, 2, 1))


def asked(game: Any, past: tuple[tuple[Any, Any], ...] = (), values: tuple[int, ...] = (1, 3, 6)) -> Decision:
    """Return a decision after rounds of (own, other) demands."""
    rules = split if game is SPLIT else multi_issue
    view: Any = rules.View
    observation = view(len(past)) if game is SPLIT else view(len(past), (4, 2, 1), values)
    legal: tuple[Action, ...] = tuple(range(1, 10)) if game is SPLIT else game_actions()
    history = tuple(rules.Seen(*pair) for pair in past)
    return Decision(
        game, "e", 0, len(past), 0, len(past), legal, observation, history, DecisionDraws("k", "o")
    )


def game_actions() -> tuple[Action, ...]:
    return tuple((a, b, c) for a in range(5) for b in range(3) for c in range(2))


@pytest.mark.parametrize(
    ("text", "past", "action"),
    [
        ("You should split it fairly here", (), 5),
        ("go for an even split", (), 5),
        ("Fifty-fifty, always.", ((9, 1),), 5),
        ("Take what is left after them", ((5, 8),), 2),
        ("Ask for what they left", (), 5),
        ("Make room for their demand", ((5, 3),), 7),
        ("Stay firm!", (), 8),
        ("Concede a little", ((7, 7),), 6),
        ("come down a bit", ((1, 9),), 1),
        ("come down a bit", (), 6),
        ("be generous with them", (), 3),
        ("Stay firm: demand 7.", (), 7),
        ("demand 4", (), 4),
        ("do not be modest", (), None),
        ("split it evenly, or play hardball", (), None),
        ("good luck", (), None),
    ],
)
def test_advice_about_the_pie(text: str, past: tuple[tuple[int, int], ...], action: int | None) -> None:
    assert intended(text, asked(SPLIT, past)) == action


@pytest.mark.parametrize(
    ("text", "past", "action"),
    [
        ("Divide everything equally", (), (2, 1, 0)),
        ("Hold firm", (), (3, 1, 0)),
        ("Take only what remains", (((4, 2, 1), (3, 0, 1)),), (1, 2, 0)),
        ("Take only what remains", (), (2, 1, 0)),
        ("Insist on what you value most", (), (0, 1, 1)),
        ("Trade what you value least", (), (0, 1, 1)),
        ("Aim high", (), (2, 1, 0)),
        ("ask for just one of each", (), (1, 1, 1)),
        ("Grab it all", (), (4, 2, 1)),
        ("Leave them nothing", (), (4, 2, 1)),
        ("never leave them nothing", (), None),
        ("the weather is fine", (), None),
    ],
)
def test_advice_about_items(text: str, past: tuple[Any, ...], action: Action | None) -> None:
    assert intended(text, asked(SHARES, past)) == action


def test_the_favourite_is_the_first_of_equals() -> None:
    assert intended("keep your favourite item", asked(SHARES, values=(5, 5, 0))) == (4, 1, 0)


@pytest.mark.parametrize("game", ["split", "multi_issue", "ipd"])
def test_what_ships_as_advice_is_understood_and_says_different_things(game: str) -> None:
    rules = make_game(game)
    if game == "ipd":
        assert len({one.name for one in intents(game)}) == len(ADVICE[game])
        return
    decision = asked(
        SPLIT if game == "split" else SHARES, ((7, 6),) if game == "split" else (((4, 2, 1), (3, 0, 1)),)
    )
    found = [intended(piece, decision) for piece in ADVICE[rules.name]]
    assert None not in found
    assert len(set(found)) >= len(found) - 1


def test_how_far_back_advice_reads() -> None:
    assert {game: recall(game) for game in ("ipd", "split", "multi_issue", "kuhn")} == {
        "ipd": None,
        "split": 1,
        "multi_issue": 1,
        "kuhn": 0,
    }
