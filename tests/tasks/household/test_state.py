"""What commands do in a home."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.tasks.household.commands import read
from equipoise.tasks.household.state import NOTHING, State
from tests.tasks.household.build import PLACE, state


def said(*commands: str) -> str:
    """Return what the last command says."""
    found, answer = State(PLACE.layout), ""
    for text in commands:
        command = read(text)
        assert command is not None
        answer = found.do(command)
    return answer


def test_one_starts_in_the_middle_of_the_first_room() -> None:
    assert said("look") == (
        "You are in the kitchen. In it you see: counter 1, cabinet 1, stove 1, fridge 1 and sink 1. "
        "From here one can go to the hall and the study."
    )


def test_one_sees_what_lies_open_and_what_one_opens() -> None:
    assert said("go to counter 1") == "You arrive at the counter 1. There you see: mug 1 and plate 1."
    assert said("go to cabinet 1") == "You arrive at the cabinet 1. It is closed."
    assert said("go to cabinet 1", "open cabinet 1") == (
        "You open the cabinet 1. It is open. There you see: mug 2."
    )
    assert said("go to stove 1") == "You arrive at the stove 1. There you see: nothing."


def test_one_thing_is_carried_at_a_time() -> None:
    taken = ("go to counter 1", "take mug 1 from counter 1")
    assert said(*taken) == "You take the mug 1 from the counter 1."
    assert said(*taken, "inventory") == "You carry: mug 1."
    assert said(*taken, "take plate 1 from counter 1") == NOTHING
    assert said("inventory") == "You carry nothing."
    assert said(*taken, "go to sink 1", "put mug 1 in/on sink 1") == "You move the mug 1 to the sink 1."


def test_hot_and_cold_exclude_each_other_and_clean_stays() -> None:
    taken = ["go to counter 1", "take mug 1 from counter 1", "go to sink 1", "clean mug 1 with sink 1"]
    hot = [*taken, "go to stove 1", "heat mug 1 with stove 1"]
    assert state(hot).traits[0] == {"clean", "hot"}
    cold = [*hot, "go to fridge 1", "cool mug 1 with fridge 1"]
    assert state(cold).traits[0] == {"clean", "cold"}
    assert said(*cold, "inventory") == "You carry: mug 1 (clean, cold)."
    assert said(*cold, "examine mug 1") == "The mug 1 looks clean and cold."


def test_a_light_stays_where_it_is_and_goes_on_and_off() -> None:
    there = ("go to study", "go to desk 1")
    assert said(*there) == "You arrive at the desk 1. There you see: desk lamp 1 (off) and book 1."
    assert said(*there, "use desk lamp 1") == "You turn the desk lamp 1 on."
    assert said(*there, "use desk lamp 1", "toggle desk lamp 1") == "You turn the desk lamp 1 off."
    assert said(*there, "take desk lamp 1 from desk 1") == NOTHING
    assert said(*there, "use desk lamp 1", "examine book 1") == "The book 1 looks as usual, in good light."
    assert said(*there, "examine desk lamp 1") == "The desk lamp 1 is off."


@pytest.mark.parametrize(
    "commands",
    [
        ["go to desk 1"],
        ["go to hall", "go to study"],
        ["go to cellar"],
        ["go to counter 1", "go to counter 1"],
        ["take mug 1 from counter 1"],
        ["go to cabinet 1", "take mug 2 from cabinet 1"],
        ["go to counter 1", "take mug 1 from sink 1"],
        ["go to counter 1", "take mug from counter 1"],
        ["go to counter 1", "open counter 1"],
        ["go to cabinet 1", "close cabinet 1"],
        ["go to cabinet 1", "open cabinet 1", "open cabinet 1"],
        ["go to stove 1", "heat mug 1 with stove 1"],
        ["go to counter 1", "take mug 1 from counter 1", "heat mug 1 with counter 1"],
        ["go to counter 1", "take mug 1 from counter 1", "heat mug 1 with stove 1"],
        ["go to counter 1", "take mug 1 from counter 1", "go to fridge 1", "move mug 1 to fridge 1"],
        ["go to counter 1", "move mug 1 to counter 1"],
        ["use desk lamp 1"],
        ["go to counter 1", "use mug 1"],
        ["examine mug 1"],
        ["examine counter 1"],
    ],
)
def test_what_cannot_be_done_does_nothing(commands: list[str]) -> None:
    assert said(*commands) == NOTHING


def test_what_has_been_seen_is_remembered() -> None:
    found = state(["go to counter 1", "go to cabinet 1", "go to hall"])
    assert {found.home.things[k].name for k in found.seen} == {"mug 1", "plate 1"}
    assert {found.home.places[k].name for k in found.searched} == {"counter 1"}
    assert found.rooms == {0, 1}
    assert (found.room, found.at) == (1, None)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 10_000), max_size=25))
def test_every_option_does_something_and_nothing_gets_lost(picks: list[int]) -> None:
    found = State(PLACE.layout)
    for pick in picks:
        options = found.options()
        assert len(set(options)) == len(options)
        command = read(options[pick % len(options)])
        assert command is not None
        assert found.do(command) != NOTHING
        assert sum(where is None for where in found.where) <= 1
        assert not any({"hot", "cold"} <= traits for traits in found.traits)
