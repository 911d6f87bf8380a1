"""The seven dimensions by rule."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise.tasks.social.dimensions import RANGES, Dialogue, Dimensions, RuleEvaluator
from equipoise.tasks.social.scoring import Result
from tests.tasks.social.build import PRICE, SECRETS


def judged(scenario: Any, result: Result) -> tuple[Dimensions, Dimensions]:
    return RuleEvaluator().evaluate([Dialogue(scenario, (), result)])[0]


def test_goal_and_material_benefit_follow_the_deal() -> None:
    seller, buyer = judged(PRICE, Result(70.0))
    assert (seller.goal, seller.material) == pytest.approx((5.0, 2.5))
    assert (buyer.goal, buyer.material) == pytest.approx((2.5, 1.25))
    seller, _ = judged(PRICE, Result(30.0))
    assert (seller.goal, seller.material) == pytest.approx((0.0, -2.5))


def test_knowledge_and_secrets_follow_what_was_told() -> None:
    ada, ben = judged(SECRETS, Result(None, (frozenset({0, 2}), frozenset({0}))))
    assert (ada.knowledge, ada.secret) == (10.0, -10.0)
    assert ben.knowledge == 10.0  # The secret's 3 points beside the boiler's 4 are more than the open 6.
    assert ben.secret == 0.0
    assert ada.material is None


def test_what_needs_a_reader_is_not_applicable_to_a_rule() -> None:
    one, _ = judged(PRICE, Result(70.0))
    assert (one.believability, one.relationship, one.social_rules, one.overall) == (None, None, None, None)
    assert (one.knowledge, one.secret) == (None, None)


def test_the_overall_score_is_the_plain_mean_of_all_seven() -> None:
    full = Dimensions(9.0, 2.0, 4.0, -1.0, 0.0, 3.0, 8.0)
    assert full.overall == pytest.approx(25.0 / 7.0)
    assert full.to_json()["overall"] == full.overall


@pytest.mark.parametrize("name", RANGES)
def test_a_score_out_of_range_is_refused(name: str) -> None:
    low, high = RANGES[name]
    for value in (low - 0.1, high + 0.1):
        with pytest.raises(ValueError, match=name):
            Dimensions(**{name: value})
    assert getattr(Dimensions(**{name: low}), name) == low
