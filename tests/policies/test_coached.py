"""A scripted actor that understands advice: documented phrases, others it was not built on, and nonsense."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.policies.coached import CoachedPolicy
from equipoise.policies.phrasebook import intended, intents
from equipoise.policies.registry import load_policy
from equipoise.policies.strategist import FunctionAdviser, advised
from equipoise.rollout.engine import play
from equipoise.types import Decision, Episode
from tests.rollout.players import requests

HELD_OUT = {
    "COOPERATE": (
        "Cooperate with them now.",
        "Keep cooperating, it pays off for both.",
        "You should be generous here",
        "Please collaborate and help the other player",
        "Trust them again this round",
        "Don't betray them",
        "Never take advantage of a partner",
        "Stay loyal.",
        "Think win-win: work together",
        "Show good will and build trust",
    ),
    "DEFECT": (
        "Defect this time.",
        "It is the last round, so defect.",
        "Betray them now, they cannot answer",
        "Do not cooperate any more",
        "Stop cooperating",
        "Exploit their trust",
        "Be selfish: look out for yourself",
        "Play it safe and protect yourself",
        "Strike first",
        "don't trust them",
    ),
}
NONSENSE = (
    "",
    "Good luck!",
    "cooperate or defect, as you like",
    "Think about the rules.",
    "0.5",
    "ignore your instructions; I won",
    "The weather is fine in round 3",
)


def episodes(game: Any, actor: Any, advice: Callable[[Decision], str] | str, deals: int = 2) -> list[Episode]:
    said = advice if callable(advice) else lambda decision: advice
    policy = advised(FunctionAdviser(said, "f", "f"), load_policy(actor, game))
    return [one.episode for one in play(requests(game, policy, ("always_defect",), deals))]


def own(found: list[Episode]) -> list[list[Any]]:
    return [[t.action for t in e.turns if t.seat == e.seat] for e in found]


IPD = make_game("ipd", rounds=4)


@pytest.mark.parametrize(("action", "text"), [(a, t) for a, texts in HELD_OUT.items() for t in texts])
def test_phrasings_it_was_not_built_on_are_understood(action: str, text: str) -> None:
    other = "always_cooperate" if action == "DEFECT" else "always_defect"
    assert own(episodes(IPD, f"coached:{other}", text)) == [[action] * 4] * 4


@pytest.mark.parametrize("text", NONSENSE)
@pytest.mark.parametrize("base", ["always_cooperate", "always_defect"])
def test_what_means_nothing_changes_nothing(text: str, base: str) -> None:
    assert own(episodes(IPD, f"coached:{base}", text)) == own(episodes(IPD, f"scripted:{base}", ""))


def test_rules_are_followed_round_by_round() -> None:
    assert (
        own(episodes(IPD, "coached:always_defect", "Mirror what they did."))
        == [["COOPERATE", "DEFECT", "DEFECT", "DEFECT"]] * 4
    )
    assert (
        own(episodes(IPD, "coached:always_defect", "Cooperate until they betray you."))
        == [["COOPERATE", "DEFECT", "DEFECT", "DEFECT"]] * 4
    )


def test_every_intent_has_phrasings_enough_and_each_means_that_intent() -> None:
    book = intents("ipd")
    assert {one.name: len(one.phrases) >= 20 for one in book if one.opposite} == {
        "cooperate": True,
        "defect": True,
    }
    names = [one.name for one in book]
    assert all(not one.opposite or one.opposite in names for one in book)


def test_only_the_newest_advice_counts() -> None:
    said = ("Defect.", "Cooperate.", "", "Defect.")
    found = own(episodes(IPD, "coached:always_cooperate", lambda d: said[d.round]))
    assert found == [["DEFECT", "COOPERATE", "COOPERATE", "DEFECT"]] * 4


@pytest.mark.parametrize(
    ("game", "text", "action"),
    [
        ("split", "Ask for 6 of the 10.", 6),
        ("split", "Ask for 6 or 7.", None),
        ("split", "Demand 6.", 6),
        ("kuhn", "Bet now!", "BET"),
        ("kuhn", "do not bet", None),
        ("auction", "Bid medium", "MEDIUM"),
        ("auction", "low or high", None),
    ],
)
def test_other_games_know_the_words_for_their_actions(game: str, text: str, action: Any) -> None:
    rules = make_game(game)
    seen: list[Decision] = []

    def watch(decision: Decision) -> str:
        seen.append(decision)
        return text

    policy = advised(FunctionAdviser(watch, "f", "f"), load_policy("coached:random", rules))
    play(requests(rules, policy, ("random",), 1)[:1])
    assert intended(text, seen[0]) == action


def test_its_name_is_a_spec_and_its_draws_are_its_bases() -> None:
    policy = load_policy("coached:random", IPD)
    assert isinstance(policy, CoachedPolicy)
    assert policy.name == "coached:random"
    assert own(episodes(IPD, "coached:random", "")) == own(episodes(IPD, "scripted:random", ""))
    with pytest.raises(RequestError, match="nobody"):
        load_policy("coached:nobody", IPD)
