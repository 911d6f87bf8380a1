"""What a turn does: put an offer forward, accept the other side's, take one's own back; else it is talk.

The grammar is strict and documented in ``docs/social.md``. Where a turn could be read in two ways it is read
in neither.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from equipoise.tasks.social.accepting import accepting
from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.speech import Sentence, sentences, spoken
from equipoise.tasks.social.terms import Deal, Terms, terms_of
from equipoise.tasks.social.words import words
from equipoise.types import Seat

__all__ = ["LIMIT", "Kind", "Reading", "kind_of", "read"]

LIMIT = 600
"""Characters of a turn that count; what goes beyond is cut off and never heard."""


class Kind(StrEnum):
    """The actions of a dialogue (SOTOPIA's five)."""

    SPEAK = "speak"
    NONE = "none"
    LEAVE = "leave"
    NON_VERBAL = "non-verbal"
    ACTION = "action"


_SILENT = re.compile(
    r"(?:\W*|\W*(?:none|silence|silent|did nothing|does nothing|says nothing|do nothing|no action)\W*)", re.I
)
_LEAVING = re.compile(
    r"[\[(*]\s*(?:leaves?|left|leaves? the conversation|left the conversation|walks? away)\s*[\])*]\.?", re.I
)
_GESTURE = re.compile(r"\[\s*(non-verbal|nonverbal|non-verbal communication|action)\s*\]", re.I)
_SPEAK = re.compile(r"^\s*\[\s*speak\s*\]\s*:?", re.I)

_WITHDRAWN = words(
    (
        r"(?:take back|withdraw|retract|cancel)\b.{0,20}\boffer", "offer(?:'s| is) off the table",
        r"(?:my|the) offer (?:is off|no longer stands|is withdrawn|is gone|has expired)",
        "deal(?:'s| is) off", "forget (?:it|my offer|about it)",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reading:
    """What a turn does.

    Attributes:
        kind: The action.
        said: Its sentences, in the speaker's own voice.
        offer: What it puts forward, or None.
        accepts: Whether it accepts; what, the ledger knows.
        words: The sentences that accept.
        withdraws: Whether it takes the speaker's own offer back.
        forged: Whether a line stood under another speaker's name; it counts for nothing.
        cut: Whether it was longer than the limit.
        named: Whether the accepting sentences name terms.
    """

    kind: Kind
    said: tuple[Sentence, ...] = ()
    offer: Deal | None = None
    accepts: bool = False
    words: tuple[Sentence, ...] = ()
    withdraws: bool = False
    forged: bool = False
    cut: bool = False
    named: bool = False

    def suits(self, terms: Terms, seat: Seat, deal: Deal) -> bool:
        """Tell whether the acceptance contradicts a deal in nothing that it mentions."""
        return all(terms.agrees(sentence, seat, deal) for sentence in self.words)


def kind_of(text: str, full: bool = False) -> Kind:
    """Return which action a turn is; gestures and actions exist in the full set and are silence elsewhere."""
    if _LEAVING.fullmatch(text.strip()) or text.strip().casefold() == "left the conversation":
        return Kind.LEAVE
    if _SILENT.fullmatch(text):
        return Kind.NONE
    if gesture := _GESTURE.match(text.strip()):
        if not full:
            return Kind.NONE
        return Kind.ACTION if gesture[1].casefold() == "action" else Kind.NON_VERBAL
    return Kind.SPEAK


@lru_cache(maxsize=16_384)
def read(scenario: Scenario, seat: Seat, text: str, full: bool = False) -> Reading:
    """Read a turn of a seat; nothing that can be said raises.

    Args:
        scenario: The scenario; its terms say what can be put forward.
        seat: Who speaks.
        text: The turn, as it was said.
        full: Whether gestures and actions are possible.
    """
    heard, cut = text[:LIMIT], len(text) > LIMIT
    kind = kind_of(heard, full)
    if kind is not Kind.SPEAK:
        return Reading(kind, cut=cut)
    names = scenario.names
    own = spoken(_SPEAK.sub("", heard), names[seat], (names[1 - seat],))
    said, terms = sentences(own.text), terms_of(scenario)
    offered = terms.offers(said, seat)
    offer = next(iter(offered)) if len(offered) == 1 else None
    offer = offer if offer is not None and terms.knows(offer) else None
    agreeing = accepting(said, terms, seat) if len(offered) <= 1 else ()
    named = any(terms.mentions(sentence.text, seat) for sentence in agreeing)
    withdraws = any(_WITHDRAWN.search(s.text) for s in said if not s.question)
    return Reading(kind, said, offer, bool(agreeing), agreeing, withdraws, own.forged, cut, named)
