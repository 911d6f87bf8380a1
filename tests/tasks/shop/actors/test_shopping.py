"""What a scripted shopper does on a page, by its style and by advice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equipoise.tasks.shop.actors.shopping import Style, step
from equipoise.tasks.shop.actors.situation import content, situation
from tests.helpers import Constant
from tests.tasks.shop.build import visit

CAREFUL = Style(narrow=True, price=True, options=True, read=True)
LISTED = ("search[merino socks]",)
OPEN = (*LISTED, "click[a1]")
READ = (*OPEN, "click[Features]", "click[< Prev]")


def says(*actions: str, style: Style | None = None, advice: tuple[str, ...] = (), cap: float = 20.0) -> str:
    decision = replace(visit(actions, cap).decision(0, "one", Constant(), 0), advice=advice)
    return step(situation(decision), style or Style())


def test_a_plain_shopper_searches_for_everything_and_buys_the_first() -> None:
    assert says().startswith("search[Moss merino wool socks with a cushioned sole, size 42-44, and price")
    first = visit(LISTED).browser.page.listed[0].id
    assert says(*LISTED) == f"click[{first}]"
    assert says(*OPEN) == "click[Buy Now]"


def test_a_careful_one_searches_for_what_matters_reads_and_chooses() -> None:
    assert says(style=CAREFUL) == "search[moss merino wool sock cushioned sole size 42 44]"
    assert says(*OPEN, style=CAREFUL) == "click[Features]"
    assert says(*OPEN, "click[Features]", style=CAREFUL) == "click[< Prev]"
    assert says(*READ, style=CAREFUL) == "click[42-44]"
    assert says(*READ, "click[42-44]", style=CAREFUL) == "click[moss]"
    assert says(*READ, "click[42-44]", "click[moss]", style=CAREFUL) == "click[Buy Now]"


def test_a_price_above_the_cap_is_passed_by() -> None:
    assert says(*LISTED, style=Style(price=True), cap=15.0) == "click[a2]"
    assert says(*OPEN, style=Style(price=True), cap=15.0) == "click[< Prev]"


def test_at_the_last_action_it_buys() -> None:
    late = (*OPEN, *["click[moss]"] * 7)
    assert says(*late, style=CAREFUL, advice=("Go back and do not buy.",)) == "click[Buy Now]"


@pytest.mark.parametrize(
    ("before", "advice", "action"),
    [
        ((), "Search for dark plum socks.", "search[dark plum socks]"),
        ((), "Use key words only.", "search[moss merino wool sock cushioned sole size 42 44]"),
        (LISTED, "Open a2.", "click[a2]"),
        (LISTED, "Search for trail shoes.", "click[Back to Search]"),
        (LISTED, "Go back to the search.", "click[Back to Search]"),
        (OPEN, "Choose dark plum.", "click[dark plum]"),
        (OPEN, "Pick the options.", "click[42-44]"),
        (OPEN, "Read the features.", "click[Features]"),
        (OPEN, "Don't buy yet.", "click[Features]"),
        (READ, "Don't buy yet.", "click[Description]"),
        (OPEN, "Wrong product, go back.", "click[< Prev]"),
        (OPEN, "Buy it.", "click[Buy Now]"),
        (OPEN, "Compare it with another one.", "click[< Prev]"),
        (OPEN, "Nice weather.", "click[Buy Now]"),
    ],
)
def test_advice_is_followed(before: tuple[str, ...], advice: str, action: str) -> None:
    assert says(*before, advice=(advice,)) == action


def test_what_the_coach_requires_is_searched_for() -> None:
    assert says(style=CAREFUL, advice=("It must have ankle length.",)).endswith("42 44 ankle length]")


@pytest.mark.parametrize("advice", ["Forget the options.", "Just take the first one, no need to read."])
def test_bad_advice_is_followed_too(advice: str) -> None:
    assert says(*READ, style=CAREFUL, advice=(advice,)) == "click[Buy Now]"


def test_words_that_say_nothing_are_left_out() -> None:
    assert content("I want the red socks, please") == {"red", "sock"}
