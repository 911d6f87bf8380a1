"""A person at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from equipoise.games.registry import make_game
from equipoise.policies.human import HumanPolicy
from equipoise.rollout.engine import play
from equipoise.types import Choice, Decision, Validity
from tests.helpers import every_decision
from tests.rollout.players import requests

IPD = make_game("ipd", rounds=2)
KUHN = make_game("kuhn", rounds=1)


def typing(*lines: str) -> tuple[HumanPolicy, list[str]]:
    """Return a person who types these lines, and what is shown to them (prompts included)."""
    left, shown = list(lines), []

    def read(prompt: str) -> str:
        shown.append(prompt)
        if not left:
            raise EOFError
        return left.pop(0)

    return HumanPolicy(read, shown.append), shown


def answer(text: str, decision: Decision) -> Choice:
    (choice,) = typing(text)[0].act([decision])
    return choice


FIRST = next(every_decision(IPD))
FACING = next(d for d in every_decision(KUHN) if d.info["bets"] == "b")


@pytest.mark.parametrize("text", ["COOPERATE", "cooperate", " Cooperate. ", "c", "COOP", "Action: cooperate"])
def test_a_word_or_its_beginning_will_do(text: str) -> None:
    assert answer(text, FIRST) == Choice("COOPERATE")


@pytest.mark.parametrize("text", ["", "   ", "x", "COOPERATED", "COOPERATE or DEFECT", "maybe", "cd"])
def test_anything_else_names_no_action(text: str) -> None:
    found = answer(text, FIRST)
    assert (found.action, found.validity) == (None, Validity.INVALID)
    assert repr(text) in found.detail


def test_an_ambiguous_beginning_names_no_action() -> None:
    decision = replace(FACING, legal=("CALL", "CAPITULATE", "FOLD"))
    assert answer("ca", decision).action is None
    assert answer("cap", decision).action == "CAPITULATE"
    assert answer("f", decision).action == "FOLD"


def test_the_situation_and_the_words_are_shown() -> None:
    person, shown = typing("call")
    person.act([FACING])
    card = {"J": "jack", "Q": "queen", "K": "king"}[str(FACING.info["card"])]
    assert card in shown[0]
    assert shown[1] == "CALL / FOLD> "


def test_every_decision_is_asked_in_turn() -> None:
    person, _ = typing("c", "d")
    found = person.act([FIRST, FIRST])
    assert [choice.action for choice in found] == ["COOPERATE", "DEFECT"]


def test_a_slip_is_asked_again_and_the_end_of_input_ends_the_play() -> None:
    person, shown = typing("oops", "d", "c")
    episode = play(requests(IPD, person, ("pavlov",), deals=1)[:1])[0].episode
    own = [(turn.action, turn.retries) for turn in episode.turns if turn.seat == 0]
    assert own == [("DEFECT", 1), ("COOPERATE", 0)]
    assert "That names no action, or more than one." in shown
    with pytest.raises(EOFError):
        play(requests(IPD, typing()[0], ("pavlov",), deals=1)[:1])


def test_the_terminal_is_the_default(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    read: Callable[[str], str] = lambda prompt: "d"  # noqa: E731
    monkeypatch.setattr("builtins.input", read)
    person = HumanPolicy(read=lambda prompt: input(prompt))
    found: Sequence[Choice] = person.act([FIRST])
    assert found[0].action == "DEFECT"
    assert "round" in capsys.readouterr().out.casefold()
