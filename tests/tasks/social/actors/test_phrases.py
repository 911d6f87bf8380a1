"""Every sentence of the actors is read as what it is meant to do."""

from __future__ import annotations

import pytest

from equipoise.tasks.social.actors.phrases import BANK
from equipoise.tasks.social.acts import read
from equipoise.tasks.social.ledger import replay
from equipoise.tasks.social.scenarios import Scenario, scenarios
from equipoise.tasks.social.terms import terms_of

DEALS = [one for one in scenarios() if terms_of(one).deals()]


@pytest.mark.parametrize("one", DEALS, ids=lambda one: one.id)
def test_every_proposal_and_acceptance_is_read_back(one: Scenario) -> None:
    terms = terms_of(one)
    deals = terms.deals()
    for deal in [*deals[:: max(1, len(deals) // 12)], deals[-1]]:
        for seat in (0, 1):
            said, taken = terms.say(deal, seat), terms.say(deal, 1 - seat)
            for phrase in (*BANK["propose"], *BANK["last"]):
                assert read(one, seat, phrase.format(deal=said)).offer == deal
            for phrase in BANK["accept"]:
                lines = [(seat, BANK["propose"][0].format(deal=said)), (1 - seat, phrase.format(deal=taken))]
                assert replay(one, lines).deal == deal


@pytest.mark.parametrize("kind", sorted(set(BANK) - {"propose", "last", "accept"}))
@pytest.mark.parametrize("one", DEALS[::8], ids=lambda one: one.id)
def test_other_sentences_bind_nobody(kind: str, one: Scenario) -> None:
    offer = (0, f"I propose: {terms_of(one).say(terms_of(one).deals()[0], 0)}.")
    for phrase in BANK[kind]:
        text = phrase.format(
            other=one.names[0], topic="the weather", thing=one.labels[0] if one.labels else ""
        )
        found = read(one, 1, text)
        assert (found.offer, found.accepts, found.withdraws) == (None, False, False)
        assert replay(one, [offer, (1, text)]).deal is None
