"""What a turn does: put an offer forward, accept the other side's, take one's own back; else it is talk.

The grammar is strict and documented in ``docs/social.md``. Where a turn could be read in two ways it is read
in neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.speech import Clause, Sentence, sentences, spoken
from equipoise.tasks.social.terms import Deal, Terms, terms_of
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

_OBJECT = (
    r"(?=\s*[.,!?]*\s*$|[.,!]|\s+(?:it|that|this|these|those)\b\s*(?:[.,!?]|$|price|offer|deal|split|slot|"
    r"time|one|terms?|proposal|plan)"
    r"|\s+(?:your|the|that|this|those)\s+(?:\w+\s+)?(?:offer|price|proposal|terms?|deal|split|slot|time|"
    r"plan|suggestion|"
    r"counter[- ]?offer|figure|arrangement|conditions))"
)
_WITH = (
    r"\b(?:i(?:'ll|'d be happy to| will| can| do| fully| gladly| happily| hereby| am happy to|"
    r"'m happy to)*(?: gladly| happily)? accept|accepted)\b"
)
_ACCEPT = re.compile(
    _WITH + _OBJECT + r"|\bi(?:'ll| will)(?: gladly| happily)? take (?:it|that|the deal|your (?:offer|price|"
    r"proposal))\b(?! (?:from|into|as|to|up|back|away))"
    r"|(?<!do )(?<!have )(?<!did )\b(?:it's|it is|that's|that is|you've got|you have|you got|we have|"
    r"we've got)(?: yourself| ourselves)? a deal\b"
    r"|^(?:(?:ok|okay|alright|all right|fine|great|good|yes|sure|perfect|wonderful|excellent|then)[, !]*)*"
    r"(?:deal|agreed|done|sold|accepted)(?: then)?\s*[.!,]*$"
    r"|\b(?:i|we) agree(?: to (?:that|this|it|your \w+|the \w+))?\s*[.!,]*$|\bwe(?:'re| are) agreed\b"
    r"|\b(?:your|that|this|the) (?:\w+ )?(?:offer|proposal|price|split|plan|slot|time|deal) (?:is accepted|"
    r"works (?:\w+ )?for me|"
    r"is fine (?:with|by) me|suits me)"
    r"|\b(?:that|this|it)(?:'ll| will|'d| would)? (?:works?|suits?)(?: \w+)? (?:for )?me\b"
    r"|\byou(?:'re| are) on\b\s*[.!,]*$|\blet's shake on (?:it|that)\b|\bconsider it (?:sold|done|settled)\b"
)
_ACCEPT_TERMS = re.compile(
    r"(?:"
    + _WITH
    + r"|^(?:(?:ok|okay|alright|all right|fine|great|good|yes|sure|perfect)[, !]*)*(?:deal|agreed|done|"
    r"sold|accepted)\b)"
)
_ENDING = re.compile(
    r"\b(?:it is|then|works(?: \w+)? for me|suits me|is fine (?:with|by) me|you've got it)\s*[.!]*$"
)
_RESERVED = re.compile(
    r"\b(?:but|however|although|though|except|only|yet|unless|if|provided|as long as|on condition|once|"
    r"first|almost|nearly)\b"
)
_DENIED = re.compile(r"\b(?:never|not|n't|no deal|cannot|can't|won't|wouldn't|reject|decline|refuse)\b|n't\b")
_REFUSED = re.compile(
    r"\bno deal\b|\b(?:i (?:must |have to |will |'ll )?(?:reject|decline|refuse))\b|\b(?:can't|cannot|"
    r"won't|wouldn't|don't|not|"
    r"never) (?:\w+ ){0,2}(?:accept|agree|take (?:it|that))\b|\bdeal(?:'s| is) off\b"
)
_WITHDRAWN = re.compile(
    r"\b(?:take back|withdraw|retract|cancel)\b.{0,20}\boffer\b|\b(?:my|the) offer (?:is off|"
    r"no longer stands|is withdrawn|is gone|"
    r"has expired)\b|\boffer(?:'s| is) off the table\b|\bdeal(?:'s| is) off\b|\bforget (?:it|my offer|"
    r"about it)\b"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a turn does.

    Attributes:
        kind: The action.
        said: Its sentences, in the speaker's own voice.
        offer: What it puts forward, or None.
        accepts: Whether it accepts; what, the ledger knows.
        fits: Whether all that the acceptance mentions is this deal; tested with :meth:`suits`.
        withdraws: Whether it takes the speaker's own offer back.
        forged: Whether a line stood under another speaker's name; it counts for nothing.
        cut: Whether it was longer than the limit.
        named: The deal that the accepting sentences name, or None where they name none.
    """

    kind: Kind
    said: tuple[Sentence, ...] = ()
    offer: Deal | None = None
    accepts: bool = False
    fits: tuple[Sentence, ...] = ()
    withdraws: bool = False
    forged: bool = False
    cut: bool = False
    named: bool = False

    def suits(self, terms: Terms, seat: Seat, deal: Deal) -> bool:
        """Tell whether the acceptance contradicts a deal in nothing that it mentions."""
        return all(terms.agrees(sentence, seat, deal) for sentence in self.fits)


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
    accepting = _accepting(said, terms, seat) if len(offered) <= 1 else ()
    named = any(terms.mentions(sentence.text, seat) for sentence in accepting)
    withdraws = any(_WITHDRAWN.search(s.text) for s in said if not s.question)
    return Reading(kind, said, offer, bool(accepting), accepting, withdraws, own.forged, cut, named)


def _accepting(said: Sequence[Sentence], terms: Terms, seat: Seat) -> tuple[Sentence, ...]:
    """Return the sentences that accept without reserve; none if anything in the turn takes it back."""
    found = []
    for number, sentence in enumerate(said):
        if _REFUSED.search(sentence.text) or _WITHDRAWN.search(sentence.text):
            return ()
        if sentence.question or sentence.hedged:
            continue
        place = next((k for k, clause in enumerate(sentence.clauses) if _accepts(clause, terms, seat)), None)
        if place is None:
            continue
        # What follows may still turn it round: "Deal. But only if …", "I accept, but not before June".
        after = [clause.text for clause in sentence.clauses[place + 1 :]] + [
            s.text for s in said[number + 1 :]
        ]
        if any(_RESERVED.search(part) for part in (sentence.text, *after)):
            return ()
        found.append(sentence)
    return tuple(found)


def _accepts(clause: Clause, terms: Terms, seat: Seat) -> bool:
    """Tell whether a clause accepts: in so many words, or by naming what is accepted."""
    if _DENIED.search(clause.text) or clause.reported:
        return False
    if _ACCEPT.search(clause.text):
        return True
    if not terms.mentions(clause.text, seat):
        return False
    if _ACCEPT_TERMS.search(clause.text):
        return not clause.bounded
    return bool(_ENDING.search(clause.text)) and not clause.bounded
