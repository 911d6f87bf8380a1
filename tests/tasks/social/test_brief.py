"""What the sides are told agrees with the truth they are scored by."""

from __future__ import annotations

import pytest

from equipoise.tasks.social.brief import private, setting
from equipoise.tasks.social.scenarios import Scenario, scenarios
from equipoise.tasks.social.terms import terms_of
from tests.tasks.social.build import ITEMS, PRICE, SECRETS, TIMES


def test_prices_are_told_to_their_owner_only() -> None:
    assert private(PRICE, 0) == (
        "You hope for $90. You would not sell below $50: there you may as well do without.",
    )
    assert private(PRICE, 1) == (
        "You hope for $40. You would not buy above $80: there you may as well do without.",
    )
    assert not any(figure in setting(PRICE) for figure in ("90", "50", "40", "80"))


def test_values_calendars_and_facts_are_told() -> None:
    assert private(ITEMS, 0)[0] == "What it is worth to you, in points: tent 5, gas stove 3, canoe 2."
    assert private(ITEMS, 0)[1] == "Without an agreement you have something worth 1 points."
    assert private(TIMES, 1)[1] == "You cannot make: Monday at 09:00."
    assert "Your secret: The safe is broken. Telling it costs you 5 points." in private(SECRETS, 0)
    assert "You want to learn about the state of the clocks: 6 points." in private(SECRETS, 0)
    assert any(
        line.startswith("It would help you to learn about the state of the safes")
        for line in private(SECRETS, 1)
    )


@pytest.mark.parametrize("one", scenarios(), ids=lambda one: one.id)
def test_nothing_private_is_told_to_both(one: Scenario) -> None:
    public = setting(one).casefold()
    for seat, person in enumerate(one.people):
        assert not any(fact.text.casefold() in public for fact in person.facts)
        other = " ".join(private(one, 1 - seat)).casefold()
        assert not any(fact.text.casefold() in other for fact in person.facts)
        assert person.goal.casefold() not in other


@pytest.mark.parametrize("one", [s for s in scenarios() if s.family == "price"], ids=lambda one: one.id)
def test_figures_are_those_of_the_truth(one: Scenario) -> None:
    for seat, person in enumerate(one.people):
        assert person.target is not None
        told = " ".join(private(one, seat))
        assert terms_of(one).say(person.target, seat) in told
        assert terms_of(one).say(person.limit, seat) in told
