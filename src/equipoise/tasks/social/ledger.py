"""Who has offered what, and whether there is an agreement: an offer of one side, accepted by the other.

An offer stands until its maker makes another one or takes it back. An acceptance that names its terms accepts
the other side's standing offer of just these terms. One that names none ("Deal!") accepts the other side's
standing offer, unless the speaker has made a counter-offer since. Everything else is talk.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from equipoise.tasks.social.acts import Kind, Reading, read
from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.terms import Deal, terms_of
from equipoise.types import Seat

__all__ = ["Ledger", "Standing", "replay"]


@dataclass(frozen=True, slots=True)
class Standing:
    """An offer that stands.

    Attributes:
        deal: What was offered.
        turn: In which turn of the episode.
    """

    deal: Deal
    turn: int


@dataclass(slots=True)
class Ledger:
    """The state of a negotiation.

    Attributes:
        scenario: The scenario.
        standing: The standing offer of each seat.
        deal: What was agreed on, or None.
        offers: All offers made, as (seat, deal), in order.
        turn: Turns taken.
        silent: Silent turns in a row, up to now.
        left: Who left, or None.
    """

    scenario: Scenario
    standing: list[Standing | None] = field(default_factory=lambda: [None, None])
    deal: Deal | None = None
    offers: list[tuple[Seat, Deal]] = field(default_factory=list)
    turn: int = 0
    silent: int = 0
    left: Seat | None = None

    def take(self, seat: Seat, reading: Reading) -> None:
        """Enter a turn."""
        turn, self.turn = self.turn, self.turn + 1
        self.silent = self.silent + 1 if reading.kind is Kind.NONE else 0
        if reading.kind is Kind.LEAVE:
            self.left = seat
        if reading.withdraws:
            self.standing[seat] = None
        if self.deal is not None or reading.kind is not Kind.SPEAK:
            return
        if reading.accepts and (accepted := self._accepted(seat, reading)) is not None:
            self.deal = accepted
        elif reading.offer is not None:
            self.standing[seat] = Standing(reading.offer, turn)
            self.offers.append((seat, reading.offer))

    def _accepted(self, seat: Seat, reading: Reading) -> Deal | None:
        """Return the offer that an acceptance accepts, or None."""
        theirs, own = self.standing[1 - seat], self.standing[seat]
        if theirs is None or not reading.suits(terms_of(self.scenario), seat, theirs.deal):
            return None
        if reading.offer is not None and reading.offer != theirs.deal:
            return None
        countered = own is not None and own.turn > theirs.turn
        return None if countered and not reading.named else theirs.deal


def replay(scenario: Scenario, turns: Iterable[tuple[Seat, str]], full: bool = False) -> Ledger:
    """Return the ledger after turns, as (seat, text)."""
    ledger = Ledger(scenario)
    for seat, text in turns:
        ledger.take(seat, read(scenario, seat, text, full))
    return ledger
