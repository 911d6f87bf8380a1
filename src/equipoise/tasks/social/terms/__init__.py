"""What can be agreed on in each family: the deals, their points, and how they are put into words and read."""

from __future__ import annotations

from functools import cache

from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.terms.base import Deal, NoTerms, Terms
from equipoise.tasks.social.terms.choices import Choices
from equipoise.tasks.social.terms.items import Items
from equipoise.tasks.social.terms.price import Price
from equipoise.tasks.social.terms.times import Times

__all__ = ["Deal", "Terms", "terms_of"]


@cache
def terms_of(scenario: Scenario) -> Terms:
    """Return what can be agreed on in a scenario."""
    if scenario.family == "price":
        return Price(scenario)
    if scenario.family == "items":
        return Items(scenario)
    if scenario.family == "times":
        return Times(scenario)
    return Choices(scenario) if scenario.things and scenario.family == "secrets" else NoTerms(scenario)
