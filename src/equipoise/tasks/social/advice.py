"""What a coach's free words ask an actor to do.

The parser knows ten intents. A piece of advice may hold several; what it does not understand changes nothing.
A negation turns an intent round: "don't give in" is :attr:`Intent.FIRM`, "don't tell them" is
:attr:`Intent.GUARD`. ``docs/social.md`` lists phrasings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.tasks.social.intents import PHRASINGS, Intent
from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.speech import normal, sentences
from equipoise.tasks.social.terms import Deal, terms_of
from equipoise.tasks.social.terms.base import Named
from equipoise.tasks.social.words import any_of, words
from equipoise.types import Seat

__all__ = ["Advice", "Intent", "intents", "understand"]

_PATTERNS = {intent: re.compile(rf"\b{any_of(stems)}") for intent, stems in PHRASINGS.items()}
_NOT = words(
    (
        "don't", "do not", "never", "not", "no need to", "avoid", "without", "stop", "resist", "refrain from",
        "rather than", "instead of", "refuse to", "nor", "nobody",
    )
)  # fmt: skip
_TURNED: dict[Intent, Intent | None] = {
    Intent.FIRM: Intent.CONCEDE,
    Intent.CONCEDE: Intent.FIRM,
    Intent.ACCEPT: Intent.FIRM,
    Intent.ASK: None,
    Intent.SHARE: Intent.GUARD,
    Intent.GUARD: Intent.REVEAL,
    Intent.REVEAL: Intent.GUARD,
    Intent.TRADE: None,
    Intent.LEAVE: None,
}
_CUTS = re.compile(
    r"[.!?;:\n]|,| but | and (?!take\b|run\b)| then | before | until | unless | while | so that | if |"
    r" because "
)
_FIXED = re.compile(
    r"\b(?:no concessions?|don't budge|give nothing away|say nothing|stop (?:talking|the|negotiating))\b"
)
_OTHERS = re.compile(r"\b(?:they|he|she|it)(?: (?:will|would|might|may|could|can))? $")


@dataclass(frozen=True, slots=True)
class Advice:
    """What advice asks for.

    Attributes:
        now: What the newest piece asks for.
        firm: Whether the last piece on it asked to hold out (True), to give in (False), or None.
        guarded: Whether the last piece on secrets asked to keep them (True), to tell (False), or None.
        deal: What the newest piece names, or None.
    """

    now: frozenset[Intent] = frozenset()
    firm: bool | None = None
    guarded: bool | None = None
    deal: Deal | None = None


def intents(text: str) -> frozenset[Intent]:
    """Return the intents of one piece of advice, without what it proposes in figures or names."""
    found: set[Intent] = set()
    for part in _CUTS.split(normal(text).casefold()):
        fixed = _FIXED.search(part)
        for intent, pattern in _PATTERNS.items():
            if (match := pattern.search(part)) is None:
                continue
            before = part[: match.start()]
            if _OTHERS.search(before) or (fixed and intent is Intent.CONCEDE):
                continue
            negated = bool(_NOT.search(before)) and fixed is None
            meant = _TURNED[intent] if negated else intent
            if meant is not None:
                found.add(meant)
    if Intent.REVEAL in found:
        found.discard(Intent.SHARE)
    if Intent.GUARD in found:
        found -= {Intent.SHARE, Intent.REVEAL}
    if Intent.ACCEPT in found and Intent.FIRM in found:
        found.discard(Intent.ACCEPT)
    return frozenset(found)


def understand(pieces: Sequence[str], scenario: Scenario, seat: Seat) -> Advice:
    """Return what all advice so far asks for; the newest piece counts for acts, older ones for attitudes."""
    firm: bool | None = None
    guarded: bool | None = None
    now: frozenset[Intent] = frozenset()
    for piece in pieces:
        now = intents(piece)
        if now & {Intent.FIRM, Intent.CONCEDE}:
            firm = Intent.FIRM in now
        if now & {Intent.GUARD, Intent.REVEAL}:
            guarded = Intent.GUARD in now
    deal = _named(pieces[-1], scenario, seat) if pieces else None
    if deal is not None:
        now |= {Intent.PROPOSE}
    return Advice(now, firm, guarded, deal)


def _named(text: str, scenario: Scenario, seat: Seat) -> Deal | None:
    """Return the one deal that advice names, in the coach's perspective: "you" is the seat."""
    terms, other = terms_of(scenario), re.escape(scenario.people[1 - seat].name)
    turned = re.sub(r"\byou(?:rself)?\b", "I", text, flags=re.IGNORECASE)
    turned = re.sub(
        rf"\b(?:they|them|he|she|him|her|{other}|the other(?: side)?)\b", "you", turned, flags=re.IGNORECASE
    )
    said = sentences(turned)
    if isinstance(terms, Named):
        clauses = [c for s in said for c in s.clauses if not c.negated and not c.bounded and not c.reported]
        found = {deal for clause in clauses for deal in terms.found(f"say {clause.text}")[0]}
    else:
        found = terms.offers(
            sentences(re.sub(r"\b(?:and|,) ?(?:give|leave|let) you\b", "; I give you", turned)), seat
        )
    known = [deal for deal in found if terms.knows(deal)]
    return known[0] if len(known) == 1 and len(found) == 1 else None
