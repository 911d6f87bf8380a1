"""What an actor proposes and accepts: an aspiration that falls over time, and a choice among what meets it.

The falling aspiration is the time-dependent tactic of Faratin, Sierra and Jennings (*Negotiation decision
functions for autonomous agents*, Robotics and Autonomous Systems 24, 1998); choosing, among proposals of
equal own worth, the one nearest to what the other side offered is their similarity trade-off (*Using
similarity criteria to make issue trade-offs*, Artificial Intelligence 142, 2002).
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.tasks.social.actors.situation import Situation
from equipoise.tasks.social.actors.style import Style
from equipoise.tasks.social.advice import Intent
from equipoise.tasks.social.terms import Deal
from equipoise.tasks.social.terms.items import Items

__all__ = ["Bid", "bargain"]


@dataclass(frozen=True, slots=True)
class Bid:
    """What to do about the deal.

    Attributes:
        deal: What is proposed or accepted; None says nothing of it.
        accepts: Whether it is accepted.
        moved: Whether the proposal gives ground.
    """

    deal: Deal | None = None
    accepts: bool = False
    moved: bool = False


def bargain(now: Situation, style: Style) -> Bid:
    """Return what an actor of a style does about the deal."""
    if not now.bargains:
        return Bid()
    offered, advice = now.offered, now.advice
    if offered is not None and Intent.ACCEPT in advice.now and now.worth(offered) >= 0.0:
        return Bid(offered, accepts=True)
    if offered is not None and advice.deal == offered:
        return Bid(offered, accepts=True)
    if advice.deal is not None and now.worth(advice.deal) >= 0.0 and not now.closing:
        return Bid(advice.deal)
    wanted = style.aspiration(now.progress)
    if offered is not None and _takes(now, style, offered, wanted):
        return Bid(offered, accepts=True)
    # What is proposed with nobody left to answer is wasted.
    if now.closing:
        return Bid()
    deal = _proposal(now, style, wanted)
    if deal is None:
        return Bid()
    return Bid(deal, moved=now.own is not None and now.worth(deal) < now.worth(now.own))


def _takes(now: Situation, style: Style, offered: Deal, wanted: float) -> bool:
    """Tell whether an offer is good enough: near what would be asked for, or all that is left to be had."""
    worth = now.worth(offered)
    if worth <= 0.0:
        return False
    final = now.closing or now.turn >= now.last
    return worth >= (min(style.closing, wanted) if final else wanted - style.takes)


def _proposal(now: Situation, style: Style, wanted: float) -> Deal | None:
    """Return the proposal that meets the aspiration, the best within reach where nothing does."""
    useful = [deal for deal in now.terms.deals() if now.worth(deal) > 0.0]
    if style.reads == "truth":
        useful = [deal for deal in useful if now.terms.points(1 - now.seat, deal) > 0.0] or useful
    if not useful:
        return None
    best = max(now.worth(deal) for deal in useful)
    # An aspiration above what there is means the best; the scale goes on from there.
    least = min(wanted, best)
    good = [deal for deal in useful if now.worth(deal) >= least - 1e-9]
    if style.reads == "blind":
        return _drawn(now, good)
    lowest = min(now.worth(deal) for deal in good)
    near = [deal for deal in good if now.worth(deal) <= lowest + 1.5]
    liking = _truth if style.reads == "truth" else _shown
    return max(near, key=lambda deal: (liking(now, deal) - 0.5 * _tried(now, deal), -now.worth(deal)))


def _drawn(now: Situation, good: list[Deal]) -> Deal:
    """Return one of the least demanding proposals, drawn."""
    ranked = sorted(good, key=now.worth)
    few = ranked[: max(1, len(ranked) // 4)]
    return few[min(int(now.draws.uniform("proposal") * len(few)), len(few) - 1)]


def _truth(now: Situation, deal: Deal) -> float:
    return 10.0 * now.terms.points(1 - now.seat, deal) / now.terms.target(1 - now.seat)


def _tried(now: Situation, deal: Deal) -> int:
    return sum(1 for seat, one in now.ledger.offers if seat == now.seat and one == deal)


def _shown(now: Situation, deal: Deal) -> float:
    """Return how much the other side should like a deal, by what it offered and said."""
    theirs = [one for seat, one in now.ledger.offers if seat != now.seat]
    if isinstance(deal, tuple):
        kept = [1.0] * len(deal)
        for one in theirs:
            assert isinstance(one, tuple)
            kept = [k + (owner != now.seat) for k, owner in zip(kept, one, strict=True)]
        for item in _cared(now):
            kept[item] += 3.0
        return sum(k for k, owner in zip(kept, deal, strict=True) if owner != now.seat)
    if isinstance(deal, float | int):
        return 0.0
    said = sum(1.0 for one in theirs if one == deal)
    return said - 2.0 * (not said and len(theirs) > 3)


def _cared(now: Situation) -> list[int]:
    """Return the items that the other side said it cares about most."""
    assert isinstance(now.terms, Items)
    texts = [text for seat, text in now.turns if seat != now.seat]
    return [item for text in texts for item in now.terms.cared(text)]
