"""Texts of advice: understood by those who are advised, and none that their parsers are tested on."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.policies.phrasebook import intents
from equipoise.policies.registry import load_policy
from equipoise.policies.strategist import FunctionAdviser, advised
from equipoise.prompts.phrasings import phrasings, phrasings_known
from equipoise.rollout.engine import play
from equipoise.tasks.household import advice as household
from equipoise.tasks.shop import advice as shop
from equipoise.tasks.social import advice as social
from tests.policies.test_coached import HELD_OUT as OTHERS
from tests.rollout.players import requests

TASKS = Path(__file__).parents[1] / "tasks"
PARSERS: dict[str, tuple[Callable[[str], Iterable[Any]], set[str]]] = {
    "social": (social.intents, {str(one) for one in social.Intent} - {"propose"}),
    # These two must name words of the instruction, which no list of texts can know.
    "shop": (shop.intents, {str(one) for one in shop.Intent} - {"search", "require"}),
    "household": (household.intents, {str(one) for one in household.Intent}),
}
IPD = make_game("ipd", rounds=4)
ACTOR = load_policy("coached:random", IPD)


@pytest.mark.parametrize("game", phrasings_known())
def test_every_intent_has_as_many_texts_and_none_twice(game: str) -> None:
    found = phrasings(game)
    assert {len(texts) for texts in found.values()} == {14}
    every = [text for texts in found.values() for text in texts]
    assert len(set(every)) == len(every)
    assert max(len(text.split()) for text in every) <= 5


@pytest.mark.parametrize("task", PARSERS)
def test_all_intents_that_need_no_figures_or_words_of_the_case_are_there(task: str) -> None:
    assert {*phrasings(task)} == PARSERS[task][1]


def test_so_are_those_of_the_dilemma() -> None:
    assert {*phrasings("ipd")} == {one.name for one in intents("ipd")}


@pytest.mark.parametrize("task", PARSERS)
def test_a_tasks_parser_understands_each_as_what_it_stands_for(task: str) -> None:
    read = PARSERS[task][0]
    found = {text: (intent, read(text)) for intent, texts in phrasings(task).items() for text in texts}
    wrong = {text: said for text, (intent, said) in found.items() if {str(one) for one in said} != {intent}}
    assert not wrong


@pytest.mark.parametrize("task", PARSERS)
def test_none_is_among_the_phrasings_that_the_parser_is_tested_on(task: str) -> None:
    held_out = tomllib.loads((TASKS / task / "data" / "advice_held_out.toml").read_text(encoding="utf-8"))
    plain = [one for texts in held_out.values() for one in texts if isinstance(one, str)]
    assert len(plain) > 100
    taught = {text.casefold() for texts in phrasings(task).values() for text in texts}
    assert not taught & {text.casefold() for text in plain}


def test_nor_among_those_of_the_dilemma() -> None:
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
    with pytest.raises(RequestError, match="no texts of advice for 'kuhn': there are some for household, "):
        phrasings("kuhn")
