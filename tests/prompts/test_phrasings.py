"""Texts of advice: understood by those who are advised, and none that their parsers are tested on."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.policies.phrasebook import intents
from equipoise.policies.registry import load_policy
from equipoise.policies.strategist import FunctionAdviser, advised
from equipoise.prompts.phrasings import phrasings, phrasings_known
from equipoise.rollout.engine import play
from equipoise.tasks.social.advice import intents as social_intents
from equipoise.tasks.social.intents import Intent
from tests.policies.test_coached import HELD_OUT as OTHERS
from tests.rollout.players import requests

HELD_OUT = Path(__file__).parents[1] / "tasks" / "social" / "data" / "advice_held_out.toml"
IPD = make_game("ipd", rounds=4)
ACTOR = load_policy("coached:random", IPD)


@pytest.mark.parametrize("game", phrasings_known())
def test_every_intent_has_as_many_texts_and_none_twice(game: str) -> None:
    found = phrasings(game)
    assert {len(texts) for texts in found.values()} == {14}
    every = [text for texts in found.values() for text in texts]
    assert len(set(every)) == len(every)
    assert max(len(text.split()) for text in every) <= 5


def test_all_intents_of_a_dialogue_that_need_no_figures_are_there() -> None:
    assert {*phrasings("social")} == {one.value for one in Intent} - {"propose"}
    assert {*phrasings("ipd")} == {one.name for one in intents("ipd")}


def test_a_dialogues_parser_understands_each_as_what_it_stands_for() -> None:
    wrong = {
        text: social_intents(text)
        for intent, texts in phrasings("social").items()
        for text in texts
        if social_intents(text) != {Intent(intent)}
    }
    assert not wrong


def test_none_is_among_the_phrasings_that_the_parser_is_tested_on() -> None:
    held_out = tomllib.loads(HELD_OUT.read_text(encoding="utf-8"))
    tested = {text.casefold() for name, texts in held_out.items() if name != "propose" for text in texts}
    assert not tested & {text.casefold() for texts in phrasings("social").values() for text in texts}
    others = {text.casefold() for texts in OTHERS.values() for text in texts}
    assert not others & {text.casefold() for texts in phrasings("ipd").values() for text in texts}


@pytest.mark.parametrize(
    ("intent", "played"),
    [("cooperate", "CCCC"), ("defect", "DDDD"), ("reciprocate", "CDCD"), ("grim", "CDDD")],
)
def test_a_scripted_player_does_what_each_asks(intent: str, played: str) -> None:
    # Against one that defects in the first and third round: tit-for-tat forgives, grim trigger does not.
    for text in phrasings("ipd")[intent]:
        policy = advised(FunctionAdviser(lambda decision, text=text: text, "f", "f"), ACTOR)  # type: ignore[misc]
        for one in play(requests(IPD, policy, ("alternating_defect",), 1)):
            own = [str(turn.action) for turn in one.episode.turns if turn.seat == one.episode.seat]
            assert "".join(action[0] for action in own) == played, text


def test_some_intents_can_be_asked_for() -> None:
    assert list(phrasings("social", ["ask", "firm"])) == ["ask", "firm"]


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(RequestError, match="unknown intent of ipd 'defekt': did you mean 'defect'"):
        phrasings("ipd", ["defekt"])
    with pytest.raises(RequestError, match="no texts of advice for 'kuhn': there are some for ipd, social"):
        phrasings("kuhn")
