"""What a coach's free words ask an actor to do.

The parser knows ten intents. A piece of advice may hold several; what it does not understand changes nothing.
A negation turns an intent round: "don't give in" is :attr:`Intent.FIRM`, "don't tell them" is
:attr:`Intent.GUARD`. ``docs/social.md`` lists phrasings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.speech import normal, sentences
from equipoise.tasks.social.terms import Deal, terms_of
from equipoise.tasks.social.terms.base import Named
from equipoise.types import Seat

__all__ = ["Advice", "Intent", "intents", "understand"]


class Intent(StrEnum):
    """What advice can ask for."""

    FIRM = "firm"
    """Aim high and give no ground yet."""
    CONCEDE = "concede"
    """Give ground."""
    ACCEPT = "accept"
    """Take the offer on the table."""
    ASK = "ask"
    """Ask for what the other side knows or wants."""
    SHARE = "share"
    """Tell something that is not secret."""
    GUARD = "guard"
    """Keep secrets."""
    REVEAL = "reveal"
    """Give the secret away."""
    TRADE = "trade"
    """Give what matters less to oneself for what matters more; a fact for a fact."""
    LEAVE = "leave"
    """End the talk."""
    PROPOSE = "propose"
    """Put forward what the advice names."""


_STEMS: dict[Intent, str] = {
    Intent.FIRM: r"(?:be|stay|stand|hold|remain|keep) (?:\w+ )?(?:firm|tough|strong|steady|patient|fast|"
    r"resolute|stubborn)|"
    r"(?:hold|stand) (?:your|the) (?:ground|line)|hold out|aim (?:high|for (?:more|the top))|start high|"
    r"open (?:high|ambitiously|with)|"
    r"anchor|ask for more|demand more|push (?:for|back|hard)|press for|drive a hard bargain|hard bargain|"
    r"play hardball|insist|"
    r"stick to|be (?:ambitious|demanding|stubborn|greedy)|no concessions?|wait (?:them|him|her|it) out|"
    r"take your time|there is time|"
    r"reject|refuse|decline|turn (?:it|that|this|them) down|say no\b|get more|squeeze|let them (?:come|"
    r"move)|make them (?:come|move)|"
    r"bluff|don't budge|high target",
    Intent.CONCEDE: r"concede|concession|give (?:in|way|ground|a little|some ground|up some)|yield|budge|"
    r"be (?:\w+ )?(?:flexible|soft|generous|modest|"
    r"accommodating|lenient)|compromise|meet (?:them|him|her|\w+) (?:half ?way|in the middle)|"
    r"split the difference|lower your|"
    r"soften|back down|move towards|come down|go (?:lower|easy)|settle for less|relent|"
    r"be content with less|sweeten|ease off|"
    r"let them win|let (?:them|him|her) have (?:it|more|their way)|fold|drop your (?:demand|price|target)",
    Intent.ACCEPT: r"accept|take (?:the|that|this|their|his|her|it|what)(?:'s)?(?: \w+)?(?: (?:offer|deal|"
    r"price|now|and run|slot|split|on the table|is there))?\b|"
    r"say yes|agree to|close (?:the|this|it|now)|seal (?:the|it)|shake (?:hands|on)|sign|grab it|"
    r"that is good enough|settle now|"
    r"go along|strike the deal|conclude",
    Intent.ASK: r"ask (?:\w+ )?(?:about|what|why|how|which|who|when|where|whether|if|them|him|her|"
    r"questions?|open)|inquire|enquire|find out|"
    r"question (?:them|him|her|\w+ about)|pose a question|probe|learn (?:what|about|more|their)|discover|"
    r"get (?:them|him|her) (?:to (?:talk|tell|open)|talking)|"
    r"draw (?:them|him|her) out|fish for|dig|explore|be curious|listen|sound (?:them|him|her) out|elicit|"
    r"pry|investigate|coax",
    Intent.SHARE: r"share|offer (?:some|a bit of|a piece of)? ?information|be (?:open|transparent|honest|"
    r"forthcoming)|open up|"
    r"tell (?:them|him|her) (?:something|a little|a bit|what you know|one|about)|volunteer|give (?:them|"
    r"him|her) (?:something|a hint|"
    r"a fact|a piece)|let (?:them|him|her) know|talk about what you know|answer (?:their|his|her|"
    r"the) question|hint at",
    Intent.GUARD: r"keep (?:\w+ )*?(?:secret|quiet|to yourself|hidden|private|confidential|mum|your mouth)|"
    r"guard|protect|conceal|hide|"
    r"stay (?:silent|vague|discreet)|be (?:discreet|vague|careful what|tight-lipped|evasive|secretive)|"
    r"deflect|dodge|"
    r"change the (?:subject|topic)|withhold|say nothing|give nothing away|avoid (?:the topic|mentioning|"
    r"talking)|bite your tongue|"
    r"careful with (?:your|the) secret|sidestep|evade|lips",
    Intent.REVEAL: r"reveal|(?:tell|confess|admit|disclose|spill|expose|give away|"
    r"blurt)(?: \w+){0,3} (?:secret|everything|truth|all|beans)|"
    r"confess|come clean|spill|(?:be|lay)(?: \w+)? all (?:your )?cards|cards on the table|disclose|"
    r"out with it|let (?:the|your) secret",
    Intent.TRADE: r"trade|swap|exchange|barter|in return|tit for tat|quid pro quo|give and take|"
    r"give (?:\w+ ){0,2}to get|logroll|win-win|give (?:and|to) (?:take|get)|"
    r"what (?:you need|matters) least|care (?:less|least)|worth (?:less|little|least) to you|both (?:gain|"
    r"win|profit)|mutual|reciprocate|"
    r"bargain (?:one|information)|one for (?:one|another)|package",
    Intent.LEAVE: r"leave|walk (?:away|out|off)|quit|end (?:the|this|it)|break (?:it )?off|stop (?:talking|"
    r"the|negotiating)|go home|"
    r"abandon|exit|say goodbye|hang up|get out|call it a day",
}
_PATTERNS = {intent: re.compile(rf"\b(?:{stems})", re.IGNORECASE) for intent, stems in _STEMS.items()}
_NOT = re.compile(
    r"\b(?:don't|do not|never|not|no need to|avoid|without|stop|resist|refrain from|rather than|instead of|"
    r"refuse to|nor|nobody)\b"
)
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
