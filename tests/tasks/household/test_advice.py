"""What advice is understood, on phrasings it was written on and on others."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.tasks.household.advice import Intent, intents, understand
from equipoise.tasks.household.home import read_home
from tests.tasks.household.build import PLACE

DATA = Path(__file__).parent / "data"
NOTHING = "nothing"
HOME = PLACE.layout


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
    seen = {text.casefold() for texts in WRITTEN_ON.values() for text in texts}
    assert not seen & {text.casefold() for texts in HELD_OUT.values() for text in texts}


@pytest.mark.parametrize(("kind", "text"), CASES)
def test_the_phrasings_it_was_written_on_are_understood(kind: str, text: str) -> None:
    assert right(kind, text)


def test_most_other_phrasings_are_understood_and_few_are_taken_for_something_else() -> None:
    cases = [(kind, text) for kind, texts in HELD_OUT.items() for text in texts]
    understood = [right(kind, text) for kind, text in cases]
    misread = [t for (_, t), good in zip(cases, understood, strict=True) if not good and intents(t)]
    # As docs/household.md says: what the parser did when it first saw them.
    assert (sum(understood), len(cases), len(misread)) == (88, 110, 6)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Don't take it.", set()),
        ("Don't take it, heat it.", {Intent.HEAT}),
        ("Take it, then heat it and put it down.", {Intent.TAKE, Intent.HEAT, Intent.PUT}),
        ("Never leave the drawers closed.", {Intent.OPEN}),
        ("Do not open the drawers.", set()),
        ("Put it down instead of heating it.", {Intent.PUT}),
    ],
)
def test_negations_and_several_wishes(text: str, found: set[Intent]) -> None:
    assert intents(text) == found


def test_names_are_of_the_newest_advice_and_attitudes_last() -> None:
    advice = understand(["Open everything. Do not repeat yourself.", "Look in cabinet 1 in the hall."], HOME)
    assert (advice.opens, advice.fresh) == (True, True)
    assert (advice.places, advice.rooms) == ({"cabinet 1"}, {"hall"})
    assert Intent.SEARCH in advice.now
    assert Intent.OPEN not in advice.now
    advice = understand(["Open everything. Don't repeat yourself.", "Do not open things. Check again."], HOME)
    assert (advice.opens, advice.fresh) == (False, False)
    nothing = understand([], HOME)
    assert (nothing.now, nothing.opens, nothing.fresh) == (frozenset(), None, None)


def test_places_and_things_are_named_by_kind_or_number_in_the_plural_too() -> None:
    assert understand(["Search the shelves and benches."], HOME).places == {"bench"}
    assert understand(["Take mug 2, not mug 1."], HOME).things == {"mug 2"}
    assert understand(["Take a mug."], HOME).things == {"mug"}
    assert understand(["Try cabinet 7."], HOME).places == frozenset()
    assert understand(["Don't search the hall but the study."], HOME).rooms == {"study"}


def test_the_names_of_a_home_ask_for_nothing() -> None:
    home = read_home(("bakehouse: cold shelf = steam iron; sink", "cook corner: open rack = wash cloth"), ())
    found = understand(["Look at the cold shelf in the bakehouse, for the steam iron."], home)
    assert found.now == {Intent.SEARCH}
    assert understand(["Go to the cook corner."], home).now == {Intent.SEARCH}
    assert understand(["Use the sink in the cook corner."], home).now == {Intent.CLEAN}


@given(st.text(max_size=300))
def test_any_advice_can_be_read(text: str) -> None:
    understand([text], HOME)
