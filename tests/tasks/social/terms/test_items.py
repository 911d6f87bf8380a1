"""Splits of items in what people say."""

from __future__ import annotations

import pytest

from equipoise.tasks.social.acts import read
from equipoise.tasks.social.terms import Deal, terms_of
from equipoise.tasks.social.terms.items import Items
from tests.tasks.social.build import ITEMS


@pytest.mark.parametrize(
    ("text", "deal"),
    [
        ("I get the tent and the stove; you get the boat.", (0, 0, 1)),
        ("You take the canoe, and I take the rest.", (0, 0, 1)),
        ("How about I keep the tent and you have the gas stove and the canoe?", (0, 1, 1)),
        ("The tent goes to me. The stove and the canoe go to you.", (0, 1, 1)),
        ("You can have everything.", (1, 1, 1)),
        ("I get everything.", (0, 0, 0)),
        ("tent for me, stove and canoe for you", (0, 1, 1)),
        ("Let me have the tent; the rest is yours.", (0, 1, 1)),
        ("I'll give you the canoe and I keep the others.", (0, 0, 1)),
        ("The canoe is yours. I take the tent and the gas stoves.", (0, 0, 1)),
        ("My share: the tent; your share: the stove and the canoe.", (0, 1, 1)),
        ("What if I took the tent and you took the stove and the canoe?", (0, 1, 1)),
        ("You keep the canoe, I'll keep the tent and the stove.", (0, 0, 1)),
        ("I'd like to have the tent, and you could have the rest.", (0, 1, 1)),
        ("I want the tent.", None),
        ("The rest is yours.", None),
        ("I get the tent and you get the canoe.", None),
        ("I don't get the tent, you get the rest.", None),
        ("I'll give you the canoe and the stove if I keep the tent.", None),
        ("You said I get the tent and you get the rest.", None),
        ("I get the tent, you get the tent, and you get the rest.", None),
        ("I take the tent and the canoe is yours.", None),
        ("Give me the tent and the stove and keep the canoe.", None),
        ("I get the tent and you get the rest. Or I get the stove and you get the rest.", None),
        ("Ben: I get the tent, you get the rest.", None),
        ("The tent is old and the stove leaks.", None),
    ],
)
def test_a_split_is_complete_or_it_is_talk(text: str, deal: Deal | None) -> None:
    assert read(ITEMS, 0, text).offer == deal


def test_me_and_you_depend_on_who_speaks() -> None:
    text = "I get the tent; you get the rest."
    assert (read(ITEMS, 0, text).offer, read(ITEMS, 1, text).offer) == ((0, 1, 1), (1, 0, 0))


def test_every_split_is_said_and_read_back() -> None:
    terms = terms_of(ITEMS)
    assert len(terms.deals()) == 8
    for seat in (0, 1):
        for deal in terms.deals():
            assert read(ITEMS, seat, f"I propose: {terms.say(deal, seat)}.").offer == deal


def test_points_and_target_by_hand() -> None:
    # Ada: tent 5, stove 3, canoe 2, 1 without a deal; the best that leaves Ben (1, 3, 6) above
    # his 1 is tent and stove, 5 + 3 - 1.
    terms = terms_of(ITEMS)
    assert terms.points(0, (0, 0, 1)) == 7.0
    assert terms.points(1, (0, 0, 1)) == 5.0
    assert terms.target(0) == 7.0
    assert terms.target(1) == 8.0


def test_what_matters_most_is_heard() -> None:
    terms = terms_of(ITEMS)
    assert isinstance(terms, Items)
    assert terms.cared("I care most about the boat.") == [2]
    assert terms.cared("Do you care most about the boat?") == []
