"""What advice is understood, on phrasings it was written on and on others."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.tasks.shop.advice import Intent, intents, understand

DATA = Path(__file__).parent / "data"
NOTHING = "nothing"


def phrasings(name: str) -> dict[str, list[str]]:
    return tomllib.loads((DATA / name).read_text(encoding="utf-8"))


WRITTEN_ON, HELD_OUT = phrasings("advice.toml"), phrasings("advice_held_out.toml")
CASES = [(kind, text) for kind, texts in WRITTEN_ON.items() for text in texts]


def right(kind: str, text: str) -> bool:
    found = intents(text)
    return not found if kind == NOTHING else Intent(kind) in found


def test_every_intent_has_twenty_phrasings_and_others_held_out() -> None:
    assert {*WRITTEN_ON} == {*HELD_OUT} == {NOTHING, *(one.value for one in Intent)}
    assert min(len(texts) for texts in WRITTEN_ON.values()) >= 20
    assert min(len(texts) for texts in HELD_OUT.values()) >= 10
    seen = {text.casefold() for _, text in CASES}
    assert not seen & {text.casefold() for texts in HELD_OUT.values() for text in texts}


@pytest.mark.parametrize(("kind", "text"), CASES)
def test_the_phrasings_it_was_written_on_are_understood(kind: str, text: str) -> None:
    assert right(kind, text)


def test_most_other_phrasings_are_understood() -> None:
    cases = [(kind, text) for kind, texts in HELD_OUT.items() for text in texts]
    assert sum(right(kind, text) for kind, text in cases) / len(cases) >= 0.8


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Don't buy yet.", {Intent.WAIT}),
        ("Don't forget the size.", {Intent.OPTIONS}),
        ("Never mind the price.", set()),
        ("Don't go over the budget.", {Intent.PRICE}),
        ("Don't rush.", {Intent.COMPARE}),
        ("Don't search for shoes.", set()),
        ("Read the features, then buy it.", {Intent.READ, Intent.BUY}),
        ("Buy nothing before you read the description.", {Intent.BUY, Intent.READ}),
    ],
)
def test_negations_and_several_wishes(text: str, found: set[Intent]) -> None:
    assert intents(text) == found


def test_acts_are_of_the_newest_advice_and_attitudes_last() -> None:
    advice = understand(["Mind the price. It must be waterproof.", "Search for rain jacket."])
    assert (advice.now, advice.words, advice.price) == ({Intent.SEARCH}, "rain jacket", True)
    assert advice.musts == ("waterproof",)
    advice = understand(["Read the features.", "Skip the features, choose the options."])
    assert (advice.read, advice.options, advice.words) == (False, True, "")
    assert understand([]).now == frozenset()


def test_haste_drops_all_care() -> None:
    advice = understand(["Read the features and choose the options.", "Just take the first one."])
    assert (advice.read, advice.options, advice.price, advice.compare) == (False, False, False, False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Search for 'wool socks'.", "wool socks"),
        ("Type in green tea, then open it.", "green tea"),
        ("Search for trail shoes instead.", "trail shoes"),
        ("Search with key words only.", ""),
        ("Search again.", ""),
    ],
)
def test_the_words_to_search_for_are_read(text: str, words: str) -> None:
    assert understand([text]).words == words


@given(st.text(max_size=200))
def test_any_advice_can_be_read(text: str) -> None:
    understand([text, text])
