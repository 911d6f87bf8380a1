"""A turn of an actor: answer, ask, bargain; one after the other, in sentences."""

from __future__ import annotations

from equipoise.tasks.social.actors.bargaining import Bid, bargain
from equipoise.tasks.social.actors.phrases import pick_phrase
from equipoise.tasks.social.actors.situation import Situation
from equipoise.tasks.social.actors.style import Style, advised
from equipoise.tasks.social.actors.telling import answer, done, question
from equipoise.tasks.social.advice import Intent

__all__ = ["LEAVE", "NONE", "speak"]

NONE, LEAVE = "[none]", "[leave]"
"""How the two actions without words are written."""


def speak(now: Situation, style: Style) -> str:
    """Return the turn of an actor of a style, its coach's advice heeded."""
    style = advised(style, now)
    if Intent.LEAVE in now.advice.now:
        return LEAVE
    said = answer(now, style)
    bid = bargain(now, style)
    if not said and done(now, style):
        return LEAVE
    if not bid.accepts and not now.closing:
        said += question(now, style)
    said += _bid(now, bid)
    if now.turn == 0 and len(said) < 3:
        said = [pick_phrase("hello", now), *said]
    return " ".join(said) if said else pick_phrase("wait", now)


def _bid(now: Situation, bid: Bid) -> list[str]:
    if bid.deal is None:
        return []
    deal = now.terms.say(bid.deal, now.seat)
    if bid.accepts:
        return [pick_phrase("accept", now, deal=deal)]
    if now.turn >= now.last:
        return [pick_phrase("last", now, deal=deal)]
    lead = [] if now.own is None else [pick_phrase("give" if bid.moved else "firm", now)]
    return [*lead, pick_phrase("propose", now, deal=deal)]
