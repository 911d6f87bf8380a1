"""One of a few named things in what people say."""

from __future__ import annotations

import pytest

from equipoise.tasks.social.acts import read
from equipoise.tasks.social.terms import Deal, terms_of
from tests.tasks.social.build import SECRETS, fact, scenario

PLACE = scenario(
    "secrets",
    {"values": [6, 9, 2], "facts": [fact("clock", worth=1)]},
    {"values": [8, 4, 5], "limit": 3},
    things=["boathouse", "old mill|mill", "island café|island"],
)


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("How about the old mill?", "old mill"),
        ("Let's go to the mill.", "old mill"),
        ("I suggest the island café.", "island café"),
        ("The boathouse or the mill?", None),
        ("Not the boathouse.", None),
        ("The boathouse was built last year.", None),
        ("I like islands of all kinds, and I bake.", None),
        ("I propose: the church.", None),
    ],
)
def test_one_thing_is_put_forward_or_it_is_talk(text: str, thing: Deal | None) -> None:
    assert read(PLACE, 0, text).offer == thing


def test_points_are_over_the_limit() -> None:
    terms = terms_of(PLACE)
    assert [terms.points(1, deal) for deal in terms.deals()] == [5.0, 1.0, 2.0]
    assert terms.target(0) == 9.0
    assert terms.target(1) == 5.0


def test_without_things_there_is_nothing_to_agree_on() -> None:
    terms = terms_of(SECRETS)
    assert terms.deals() == ()
    assert read(SECRETS, 0, "How about $60? I accept.").offer is None
