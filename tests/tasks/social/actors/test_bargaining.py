"""What an actor proposes and accepts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.tasks.social.actors.bargaining import Bid, bargain
from equipoise.tasks.social.actors.style import Style, advised
from tests.tasks.social.actors.speaking import after
from tests.tasks.social.build import ITEMS, PRICE, SECRETS, TIMES

EVEN = Style(opening=8.0, closing=0.0, shape=1.0, takes=0.5)


@given(st.floats(0.0, 10.0), st.floats(0.0, 10.0), st.floats(0.1, 5.0))
def test_an_aspiration_runs_from_opening_to_closing(opening: float, closing: float, shape: float) -> None:
    style = Style(opening=opening, closing=closing, shape=shape)
    assert style.aspiration(0.0) == opening
    assert style.aspiration(1.0) == pytest.approx(closing)
    low, high = sorted((opening, closing))
    assert low - 1e-9 <= style.aspiration(0.5) <= high + 1e-9


def test_a_seller_opens_at_its_aspiration() -> None:
    # 8 of 10 of the way from 50 to 90.
    assert bargain(after(PRICE, []), EVEN) == Bid(82.0)


def test_an_offer_near_the_aspiration_is_taken_and_a_poor_one_is_not() -> None:
    assert bargain(after(PRICE, ["How about $50?"]), EVEN) == Bid(50.0, accepts=True)  # 7.5 of 8 to Ben
    assert not bargain(after(PRICE, ["How about $60?"]), EVEN).accepts


def test_ground_is_given_over_time_and_said() -> None:
    lines = ["How about $82?", "How about $40?", "How about $80?", "How about $40?"]
    bid = bargain(after(PRICE, lines), EVEN)
    assert bid.moved
    assert isinstance(bid.deal, float | int)
    assert 70.0 < bid.deal < 82.0


def test_the_last_turn_takes_what_is_better_than_nothing_and_proposes_nothing() -> None:
    short = PRICE.model_copy(update={"turns": 2, "first": 0})
    assert bargain(after(short, ["How about $78?"]), EVEN) == Bid(78.0, accepts=True)
    assert bargain(after(short, ["How about $85?"]), EVEN) == Bid()


@pytest.mark.parametrize("reads", ["blind", "shown", "truth"])
@pytest.mark.parametrize("one", [PRICE, ITEMS, TIMES])
def test_no_style_proposes_what_is_worse_than_no_deal(one: object, reads: str) -> None:
    for lines in ([], ["Hm."], ["Hm."] * 9, ["Hm."] * 17):
        now = after(one, lines, draw=0.9)  # type: ignore[arg-type]
        bid = bargain(now, Style(opening=5.0, closing=0.0, reads=reads))  # type: ignore[arg-type]
        assert bid.deal is not None
        assert now.worth(bid.deal) > 0.0


def test_who_knows_the_truth_proposes_what_helps_both() -> None:
    bid = bargain(after(TIMES, []), Style(opening=10.0, reads="truth"))
    # Ada's best, Monday, is one that Ben cannot make.
    assert bid.deal == "Tue 10:00"


def test_what_the_other_side_keeps_is_left_to_it() -> None:
    lines = [
        "Hello.",
        "I get the canoe; you get the rest.",
        "Hm.",
        "I get the canoe and the stove; you get the tent.",
    ]
    bid = bargain(after(ITEMS, lines), Style(opening=6.0, closing=6.0, takes=0.0))
    assert isinstance(bid.deal, tuple)
    assert bid.deal[2] == 1


def test_advice_to_accept_and_to_propose_is_followed_within_the_limit() -> None:
    def bid(offer: str, *advice: str) -> Bid:
        now = after(PRICE, [offer], advice)
        return bargain(now, advised(EVEN, now))

    assert bid("How about $75?", "Accept.") == Bid(75.0, accepts=True)
    assert not bid("How about $85?", "Accept.").accepts
    assert bid("How about $75?", "Offer $55.") == Bid(55.0)
    assert bid("How about $75?", "Offer $75.") == Bid(75.0, accepts=True)
    assert bid("How about $75?", "Offer $95.").deal != 95.0


def test_advice_on_firmness_changes_the_opening() -> None:
    def opening(*advice: str) -> object:
        now = after(PRICE, [], advice)
        return bargain(now, advised(EVEN, now)).deal

    assert opening() == 82.0
    assert opening("Hold firm.") == 88.0  # 9.5 of 10
    assert opening("Give in.") == 62.0  # 3 of 10
    assert opening("Smile.") == 82.0


def test_where_nothing_can_be_agreed_on_there_is_no_bid() -> None:
    assert bargain(after(SECRETS, []), EVEN) == Bid()
