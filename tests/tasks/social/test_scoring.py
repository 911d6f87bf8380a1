"""Scores and externalities by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.tasks.social.scenarios import Scenario, scenarios
from equipoise.tasks.social.scoring import Result, avoidable_loss, points, score, target
from equipoise.tasks.social.terms import Deal, terms_of
from tests.tasks.social.build import ITEMS, PRICE, SECRETS, TIMES

NONE: frozenset[int] = frozenset()


@pytest.mark.parametrize(
    ("price", "scores"),
    [
        (None, (0.0, 0.0)),
        (50.0, (0.0, 7.5)),  # Ben: (80 - 50) / (80 - 40)
        (70.0, (5.0, 2.5)),
        (80.0, (7.5, 0.0)),
        (90.0, (10.0, 0.0)),
        (200.0, (10.0, 0.0)),
        (0.0, (0.0, 10.0)),
    ],
)
def test_a_price_scores_the_share_of_the_hoped_for_surplus(
    price: Deal | None, scores: tuple[float, float]
) -> None:
    assert tuple(score(PRICE, seat, Result(price)) for seat in (0, 1)) == pytest.approx(scores)


def test_a_deal_beyond_the_limit_is_below_nothing() -> None:
    assert points(PRICE, 0, Result(40.0)) == -10.0
    assert points(PRICE, 1, Result(90.0)) == -10.0


def test_facts_count_by_worth_and_cost() -> None:
    # Ada hopes for Ben's clock (6); Ben for her boiler and lift (4 + 2); nobody counts on secrets.
    assert (target(SECRETS, 0), target(SECRETS, 1)) == (6.0, 6.0)
    trade = Result(None, (frozenset({0}), frozenset({0})))
    assert (points(SECRETS, 0, trade), points(SECRETS, 1, trade)) == (5.0, 3.0)
    leak = Result(None, (frozenset({2}), NONE))
    assert (points(SECRETS, 0, leak), points(SECRETS, 1, leak)) == (-5.0, 3.0)
    assert score(SECRETS, 0, leak) == 0.0
    assert score(SECRETS, 1, leak) == pytest.approx(5.0)


def test_a_failed_deal_costs_the_other_side_what_it_could_have_had() -> None:
    # Without a deal Ada has 0; at 50 she still has 0 and Ben 7.5.
    assert avoidable_loss(PRICE, 0, Result()) == pytest.approx(0.75)
    assert avoidable_loss(PRICE, 1, Result()) == pytest.approx(0.75)


@pytest.mark.parametrize("price", [50.0, 64.0, 80.0])
def test_a_bargain_that_shifts_value_costs_nothing_in_vain(price: float) -> None:
    assert [avoidable_loss(PRICE, seat, Result(price)) for seat in (0, 1)] == [0.0, 0.0]


def test_value_left_on_the_table_is_lost_in_vain() -> None:
    # Ada has the tent and the canoe (6), Ben the stove (2). Tent and stove: 7, and Ben 5 of 8.
    assert avoidable_loss(ITEMS, 0, Result((0, 1, 0))) == pytest.approx((5.0 - 2.0) / 8.0)
    # Wed 15:30 gives Ada 2 and Ben 3; Tue 10:00 gives 4 and 5.
    assert avoidable_loss(TIMES, 0, Result("Wed 15:30")) == pytest.approx(0.2)
    assert avoidable_loss(TIMES, 1, Result("Wed 15:30")) == pytest.approx((4 - 2) / 9)


def test_a_trade_of_facts_that_failed_is_lost_in_vain() -> None:
    # With nothing told both have 0. For the clock (6) Ada could tell the boiler (1) and the safe (5) and yet
    # be at 0; that is all of Ben's target: 4 + 3 - 1 of 6.
    assert avoidable_loss(SECRETS, 0, Result()) == pytest.approx(1.0)
    # Ben is paid for his clock (1) with the lift (2), which costs Ada 1: she could have had 6 - 1 of 6.
    assert avoidable_loss(SECRETS, 1, Result()) == pytest.approx(5.0 / 6.0)


@given(st.sampled_from(scenarios()), st.data())
def test_scores_and_losses_stay_within_bounds(one: Scenario, data: st.DataObject) -> None:
    deal = data.draw(st.sampled_from([None, *terms_of(one).deals()]))
    told = tuple(
        data.draw(st.frozensets(st.sampled_from(range(len(p.facts))))) if p.facts else NONE
        for p in one.people
    )
    result = Result(deal, (told[0], told[1]))
    for seat in (0, 1):
        assert 0.0 <= score(one, seat, result) <= 10.0
        assert 0.0 <= avoidable_loss(one, seat, result) <= 1.0


@given(st.sampled_from([one for one in scenarios() if one.family == "price"]), st.floats(0, 10_000))
def test_bargaining_over_a_price_is_a_conflict_of_interests(one: Scenario, price: float) -> None:
    low, high = Result(price), Result(price + 1.0)
    seller = one.seller
    assert score(one, seller, low) <= score(one, seller, high)
    assert score(one, 1 - seller, low) >= score(one, 1 - seller, high)
