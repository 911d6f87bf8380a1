"""What is read from strategies: figures by hand, and of played episodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from equipoise.auditing.transcripts.following import told
from equipoise.auditing.transcripts.wording import self_bleu, wording
from equipoise.games.registry import make_game
from equipoise.policies.registry import load_game, load_policy
from equipoise.policies.strategist import FunctionAdviser, advised
from equipoise.rollout.engine import play
from equipoise.types import Decision, Episode
from tests.rollout.players import requests

IPD = make_game("ipd", rounds=4)


def episode(game: Any, actor: str, advice: Callable[[Decision], str] | str, opponent: str) -> Episode:
    said = advice if callable(advice) else lambda decision: advice
    policy = advised(FunctionAdviser(said, "f", "f"), load_policy(actor, game))
    return next(iter(play(requests(game, policy, (opponent,), 1)))).episode


def cycle(*pieces: str) -> Callable[[Decision], str]:
    return lambda decision: pieces[decision.index % len(pieces)]


def test_self_bleu_by_hand() -> None:
    assert self_bleu(["hold firm now", "hold firm now"]) == 1.0
    assert self_bleu(["hold firm", "give ground"]) == 0.0
    assert self_bleu(["only one"]) is None
    # "ask for more": words 2/3 and pairs 1/2 are in the other; the same the other way round.
    assert self_bleu(["ask for more", "ask for less"]) == pytest.approx(math.sqrt(2 / 3 * 1 / 2))
    # Counts are clipped: the other has one "go".
    assert self_bleu(["go go", "go"]) == pytest.approx((0.0 + 1.0) / 2)


def test_lengths_and_variety_by_hand() -> None:
    found = wording(IPD, episode(IPD, "coached:random", cycle("Cooperate now.", "Defect."), "tit_for_tat"))
    assert found["words"] == 1.5
    assert found["tokens"] is None
    # cooperate, now, defect twice each; one pair twice.
    assert found["distinct_1"] == 3 / 6
    assert found["distinct_2"] == 1 / 2
    assert found["self_bleu"] == 1.0
    assert found["cut"] == 0.0
    assert (found["understood"], found["followed"], found["intents"]) == (1.0, 1.0, 2 / 4)


def test_advice_that_means_nothing_is_neither_understood_nor_followed() -> None:
    found = wording(IPD, episode(IPD, "coached:random", "Good luck!", "tit_for_tat"))
    assert (found["understood"], found["followed"], found["intents"]) == (0.0, None, None)


def test_an_actor_that_does_not_listen_is_seen() -> None:
    heard = wording(
        IPD, episode(IPD, "scripted:always_defect", cycle("Cooperate.", "Defect."), "tit_for_tat")
    )
    assert (heard["understood"], heard["followed"]) == (1.0, 0.5)


def test_rules_of_thumb_are_followed_by_what_they_ask_for_in_the_round() -> None:
    found = told(IPD, episode(IPD, "scripted:always_defect", "Mirror what they did.", "alternating_defect"))
    # The other plays D, C, D, C: mirroring is C, D, C, D.
    assert [one.followed for one in found] == [False, True, False, True]
    assert [set(one.intents) for one in found] == [{"COOPERATE"}, {"DEFECT"}, {"COOPERATE"}, {"DEFECT"}]


def test_without_a_strategist_there_is_nothing_to_read() -> None:
    policy = load_policy("scripted:tit_for_tat", IPD)
    one = next(iter(play(requests(IPD, policy, ("always_defect",), 1)))).episode
    assert wording(IPD, one) == {}


@pytest.mark.parametrize(
    ("task", "actor", "advice", "understood", "followed"),
    [
        ("social", "scripted:sensible", "Walk away.", 1.0, 1.0),
        ("social", "scripted:stubborn", "Walk away.", 1.0, 0.0),
        ("social", "scripted:sensible", "The moon is full.", 0.0, None),
        ("social", "scripted:sensible", "Keep your secret to yourself.", 1.0, None),
        ("shop", "scripted:sensible", "Mind the price.", 1.0, None),
        ("household", "scripted:sensible", "Look around.", 1.0, None),
    ],
)
def test_tasks_are_read_by_the_parsers_of_their_actors(
    task: str, actor: str, advice: str, understood: float, followed: float | None
) -> None:
    rules = load_game(task)
    if actor == "scripted:stubborn":
        actor = "scripted:tough"
        advice = "Accept the offer on the table."
    found = wording(rules, episode(rules, actor, advice, "weak" if task == "social" else "nobody"))
    assert found["understood"] == understood
    if task == "social" and actor != "scripted:tough":
        assert found["followed"] == followed
