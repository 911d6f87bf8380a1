"""When an offer and an acceptance make an agreement."""

from __future__ import annotations

import pytest

from equipoise.tasks.social.ledger import replay
from equipoise.tasks.social.terms import Deal
from tests.tasks.social.build import PRICE


@pytest.mark.parametrize(
    ("lines", "deal"),
    [
        (["How about $60?", "I accept."], 60.0),
        (["How about $60?", "I accept $60.", "How about $90?"], 60.0),
        # An offer outlives questions …
        (["How about $60?", "Is it old?", "It is not.", "Deal."], 60.0),
        # … and is replaced by the next one.
        (["How about $60?", "Is it old?", "How about $55?", "Deal."], 55.0),
        (["How about $60?", "Is it old?", "How about $55?", "I accept $60."], None),
        # Whoever has made a counter-offer must say what is accepted.
        (["How about $60?", "How about $50?", "Hm.", "Deal."], None),
        (["How about $60?", "How about $50?", "Hm.", "I accept $60."], 60.0),
        (["How about $60?", "How about $50?", "How about $55?", "Deal."], 55.0),
        # Nobody accepts an own offer.
        (["How about $60?", "Hm.", "Deal."], None),
        (["I propose: $60. I accept."], None),
        # Two equal offers are no acceptance; the next word is.
        (["How about $60?", "I offer $60.", "Deal."], 60.0),
        (["How about $60?", "I offer $60."], None),
        # What was taken back cannot be accepted.
        (["How about $60?", "Hm.", "I take back my offer.", "I accept $60."], None),
        # Accepting and offering something else at once does neither.
        (["How about $60?", "I accept. How about $50?"], None),
    ],
)
def test_an_agreement_needs_an_offer_and_its_acceptance(lines: list[str], deal: Deal | None) -> None:
    assert replay(PRICE, [(k % 2, line) for k, line in enumerate(lines)]).deal == deal


def test_offers_silence_and_leaving_are_kept() -> None:
    ledger = replay(PRICE, [(0, "How about $70?"), (1, ""), (0, "[none]")])
    assert ledger.offers == [(0, 70.0)]
    assert ledger.silent == 2
    assert ledger.left is None
    assert replay(PRICE, [(0, "[leave]")]).left == 0
    assert replay(PRICE, [(0, ""), (1, "Hello."), (0, "")]).silent == 1
