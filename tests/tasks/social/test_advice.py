"""What advice is understood, on phrasings it was written on and on others."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.tasks.social.advice import Intent, intents, understand
from equipoise.tasks.social.terms import Deal
from tests.tasks.social.build import ITEMS, PRICE, TIMES

DATA = Path(__file__).parent / "data"
NOTHING = "nothing"


def phrasings(name: str) -> tuple[dict[str, list[str]], dict[str, list[Any]]]:
    """Return the phrasings by intent, and those that name a deal by family."""
    found = tomllib.loads((DATA / name).read_text(encoding="utf-8"))
    deals = found.pop("propose")
    return found, deals


def named(deals: dict[str, list[Any]]) -> list[tuple[str, str, Deal]]:
    return [
        (family, text, tuple(deal) if isinstance(deal, list) else deal)
        for family, rows in deals.items()
        for text, deal in rows
    ]


WRITTEN_ON, DEALS = phrasings("advice.toml")
HELD_OUT, OTHER_DEALS = phrasings("advice_held_out.toml")
SCENARIOS = {"price": PRICE, "times": TIMES, "items": ITEMS}
CASES = [(kind, text) for kind, texts in WRITTEN_ON.items() for text in texts]


def right(kind: str, text: str) -> bool:
    found = intents(text)
    return not found if kind == NOTHING else Intent(kind) in found


def test_every_intent_has_twenty_phrasings_and_others_held_out() -> None:
    assert {*WRITTEN_ON} == {*HELD_OUT} == {NOTHING, *(one.value for one in Intent)} - {"propose"}
    assert min(len(texts) for texts in WRITTEN_ON.values()) >= 20
    assert min(len(texts) for texts in HELD_OUT.values()) >= 10
    assert len(named(DEALS)) >= 20
    seen = {text.casefold() for texts in WRITTEN_ON.values() for text in texts}
    assert not seen & {text.casefold() for texts in HELD_OUT.values() for text in texts}


@pytest.mark.parametrize(("kind", "text"), CASES)
def test_the_phrasings_it_was_written_on_are_understood(kind: str, text: str) -> None:
    assert right(kind, text)


def test_most_other_phrasings_are_understood_and_few_are_taken_for_something_else() -> None:
    cases = [(kind, text) for kind, texts in HELD_OUT.items() for text in texts]
    understood = [right(kind, text) for kind, text in cases]
    misread = [
        text for (kind, text), good in zip(cases, understood, strict=True) if not good and intents(text)
    ]
    assert sum(understood) / len(cases) >= 0.8
    assert len(misread) <= 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Don't give in.", {Intent.FIRM}),
        ("Do not accept.", {Intent.FIRM}),
        ("Don't tell them your secret.", {Intent.GUARD}),
        ("Don't leave yet.", set()),
        ("Accept before they leave.", {Intent.ACCEPT}),
        ("Hold firm, but ask what they need.", {Intent.FIRM, Intent.ASK}),
        ("Trade a fact, and keep your secret.", {Intent.TRADE, Intent.GUARD}),
    ],
)
def test_negations_and_several_wishes(text: str, found: set[Intent]) -> None:
    assert intents(text) == found


def test_acts_are_of_the_newest_advice_and_attitudes_last() -> None:
    advice = understand(["Hold firm. Keep your secret.", "Ask why."], PRICE, 0)
    assert (advice.now, advice.firm, advice.guarded) == ({Intent.ASK}, True, True)
    advice = understand(["Hold firm.", "Give in.", "Smile."], PRICE, 0)
    assert (advice.now, advice.firm, advice.guarded) == (frozenset(), False, None)
    assert understand([], PRICE, 0).now == frozenset()


@pytest.mark.parametrize(("family", "text", "deal"), named(DEALS))
def test_advice_may_name_a_deal(family: str, text: str, deal: Deal) -> None:
    found = understand([text], SCENARIOS[family], 0)
    assert found.deal == deal
    assert Intent.PROPOSE in found.now


def test_most_other_ways_of_naming_a_deal_are_understood() -> None:
    cases = named(OTHER_DEALS)
    found = [understand([text], SCENARIOS[family], 0).deal for family, text, _ in cases]
    assert len(cases) >= 10
    assert sum(deal == one for deal, (_, _, one) in zip(found, cases, strict=True)) >= 0.7 * len(cases)
    assert all(deal in (None, one) for deal, (_, _, one) in zip(found, cases, strict=True))


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("price", "Don't go below 60."),
        ("price", "Offer 60 or 70."),
        ("price", "Hold firm."),
        ("times", "Suggest Friday at 10."),
        ("items", "Take the tent."),
    ],
)
def test_a_hint_names_no_deal(family: str, text: str) -> None:
    found = understand([text], SCENARIOS[family], 0)
    assert found.deal is None
    assert Intent.PROPOSE not in found.now


@given(st.text(max_size=200))
def test_any_advice_can_be_read(text: str) -> None:
    for scenario in (PRICE, ITEMS, TIMES):
        understand([text], scenario, 0)
