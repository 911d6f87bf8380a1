"""Slots of a calendar in what people say."""

from __future__ import annotations

import pytest

from equipoise.tasks.social.acts import read
from equipoise.tasks.social.terms import Deal, terms_of
from tests.tasks.social.build import TIMES, scenario


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("How about Tuesday at 10?", "Tue 10:00"),
        ("Tuesday at 10:00 works for me.", "Tue 10:00"),
        ("I can do Tue 10 a.m.", "Tue 10:00"),
        ("Tuesday 2pm", "Tue 14:00"),
        ("Monday at nine.", "Mon 09:00"),
        ("Let's meet on Wednesday at half past three.", "Wed 15:30"),
        ("10 on Tuesday?", "Tue 10:00"),
        ("Tuesday afternoon at 2 would be good.", "Tue 14:00"),
        ("How about Wednesday at 15:30?", "Wed 15:30"),
        ("I'm busy Tuesday at 10, Monday at 9 suits me.", "Mon 09:00"),
        ("How about 2 o'clock on Tuesday?", "Tue 14:00"),
        ("Shall we say Wed at 3.30 pm?", "Wed 15:30"),
        ("How about Tuesday?", None),
        ("At 10.", None),
        ("Tuesday at 10 or Wednesday at 3:30?", None),
        ("I can't do Monday at 9.", None),
        ("Friday at 10?", None),
        ("I am free Tuesday at 11.", None),
        ("How about Tuesday at 11, or Monday at 9?", None),
        ("The 2 of us on Tuesday?", None),
        ("I could do Tuesday at 10 if you can.", None),
        ("You said Tuesday at 10.", None),
    ],
)
def test_a_slot_of_the_grid_is_offered_or_it_is_talk(text: str, slot: Deal | None) -> None:
    assert read(TIMES, 0, text).offer == slot


def test_an_hour_that_could_be_two_is_none() -> None:
    twice = scenario("times", {"values": [1, 2]}, {"values": [2, 1]}, things=["Mon 03:00", "Mon 15:00"])
    assert read(twice, 0, "How about Monday at 3?").offer is None
    assert read(twice, 0, "How about Monday at 3 am?").offer == "Mon 03:00"
    assert read(twice, 0, "How about Monday at 03:00?").offer == "Mon 03:00"
    assert read(twice, 0, "How about Monday at 15:00?").offer == "Mon 15:00"


def test_a_slot_that_cannot_be_made_is_worse_than_none() -> None:
    terms = terms_of(TIMES)
    assert terms.points(0, "Mon 09:00") == 9.0
    assert terms.points(1, "Mon 09:00") == -10.0
    assert terms.points(0, "Tue 14:00") == -9.0
