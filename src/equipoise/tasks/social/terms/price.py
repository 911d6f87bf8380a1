"""One price between a seller and a buyer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.terms.base import CUE, Deal, Named, bare
from equipoise.tasks.social.terms.numbers import figures, number
from equipoise.tasks.social.words import UNITS, any_of
from equipoise.types import Seat

__all__ = ["Price"]

_WORDS = {
    "$": r"dollars?|bucks?|usd",
    "€": r"euros?|eur",
    "£": r"pounds?|quid|gbp",
}
_FIGURE = r"\d{1,3}(?:[,. ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?!\d)"
_UNITS = any_of(UNITS)


class Price(Named):
    """A price in the scenario's currency; anything in another currency is talk."""

    def __init__(self, scenario: Scenario) -> None:
        """Prepare what reads prices."""
        super().__init__(scenario)
        sign, words = re.escape(scenario.currency), _WORDS[scenario.currency]
        others = "|".join(re.escape(one) for one in _WORDS if one != scenario.currency)
        foreign = "|".join(words for one, words in _WORDS.items() if one != scenario.currency)
        # The figure may stand before or after its currency; a foreign one makes it no price of this scenario.
        self._marked = re.compile(
            rf"(?:{sign}|\b(?:{words})\b)\s?({_FIGURE})(k\b)?|(?<![\w.,])({_FIGURE})(k\b)?\s?(?:{sign}|"
            rf"(?:{words})\b)"
        )
        self._foreign = re.compile(
            rf"(?:{others}|\b(?:{foreign})\b)\s?(?:{_FIGURE})k?|(?:{_FIGURE})k?\s?(?:{others}|"
            rf"(?:{foreign})\b)"
        )
        self._plain = re.compile(rf"(?<![\w.,#:/-])({_FIGURE})(k\b)?(?![\w:/%]|\s?-?{_UNITS})")
        self._numbers = re.compile(rf"(?<![\w.,])(?:{_FIGURE})k?(?:st|nd|rd|th)?\b")

    @cached_property
    def _grid(self) -> tuple[float, ...]:
        seller, buyer = (self.scenario.people[s] for s in (self.scenario.seller, 1 - self.scenario.seller))
        assert seller.target is not None
        assert buyer.target is not None
        low, high = min(buyer.target, seller.limit), max(seller.target, buyer.limit)
        step = max(1, round((high - low) / 120))
        points = {low, high, seller.limit, buyer.limit, seller.target, buyer.target}
        return tuple(sorted({*points, *(low + step * k for k in range(int((high - low) / step) + 1))}))

    def deals(self) -> Sequence[Deal]:
        """Return about a hundred prices from the buyer's target to the seller's, limits among them."""
        return self._grid

    def knows(self, deal: Deal) -> bool:
        """Tell whether it is a price: any that is not negative."""
        return isinstance(deal, float | int) and deal >= 0.0

    def points(self, seat: Seat, deal: Deal) -> float:
        """Return the surplus over the seat's limit, in money."""
        assert isinstance(deal, float | int)
        gain = float(deal) - self.scenario.people[seat].limit
        return gain if seat == self.scenario.seller else -gain

    def target(self, seat: Seat) -> float:
        """Return the surplus at the seat's target."""
        person = self.scenario.people[seat]
        assert person.target is not None
        return abs(person.target - person.limit)

    def say(self, deal: Deal, seat: Seat) -> str:
        """Return the price with its currency."""
        assert isinstance(deal, float | int)
        figure = f"{deal:,.2f}" if round(float(deal), 2) % 1 else f"{deal:,.0f}"
        return f"{self.scenario.currency}{figure}"

    def found(self, text: str) -> tuple[list[Deal], str]:
        """Return the prices of a clause: those with a currency, or else plain figures put forward."""
        plain = figures(text, least=10)
        rest = self._foreign.sub(" ", plain)
        marked = list(self._marked.finditer(rest))
        if marked:
            values = [_value(m[1] or m[3], m[2] or m[4]) for m in marked]
            return _known(values), self._marked.sub(" ", rest)
        if rest != plain:
            return [], rest
        found = list(self._plain.finditer(rest))
        left = self._plain.sub(" ", rest)
        if not (CUE.search(rest) or bare(left)):
            return [], rest
        return _known([_value(m[1], m[2]) for m in found]), left


def _value(figure: str, thousand: str | None) -> float | None:
    return number(figure + ("k" if thousand else ""))


def _known(values: Sequence[float | None]) -> list[Deal]:
    return [round(value, 2) for value in values if value is not None]
