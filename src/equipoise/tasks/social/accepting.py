"""Which sentences accept an offer: plain words, in the speaker's own voice, without condition or reserve.

Four kinds of words accept. ``OPEN`` ones do wherever they stand ("I accept your offer"); ``WHOLE`` ones fill
a clause ("Deal"); ``ALONE`` ones fill a sentence ("Agreed"), for "I agree, it is cold" accepts nothing; and
``NAMED`` ones do with the terms beside them ("60 it is"). A "but", an "if" or a refusal anywhere after them
takes all of it back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from equipoise.tasks.social.speech import Clause, Sentence
from equipoise.tasks.social.terms import Terms
from equipoise.types import Seat

__all__ = ["accepting"]

_TERMS = (
    "offer|price|proposal|terms?|deal|split|slot|time|plan|suggestion|counter[- ]?offer|figure|arrangement|"
    "conditions"
)
_YES = r"(?:(?:ok|okay|alright|all right|fine|great|good|yes|sure|perfect|wonderful|excellent|then)[,!]*\s*)*"
_END = r"\s*[.!,]*$"
_I_ACCEPT = (
    r"\bi(?:'ll| will| can| do|'d be (?:happy|glad) to|'m (?:happy|glad) to| am (?:happy|glad) to)?"
    r"(?: fully| gladly| happily| hereby)? accept\b"
)
_WHAT = (
    rf"(?=\s*[.,!]|\s*$|\s+(?:it|that|this|these|those)(?:\s+(?:{_TERMS}|one))?\s*(?:[.,!]|$)"
    rf"|\s+(?:your|the|that|this|those)\s+(?:\w+\s+)?(?:{_TERMS})\b)"
)
_OPEN = re.compile(
    "|".join(
        (
            _I_ACCEPT + _WHAT,
            rf"\bi(?:'ll| will)(?: gladly| happily)? take (?:it|that|the deal|your (?:{_TERMS}))"
            rf"(?:{_END}|\s+for\b)",
            rf"\b(?:your|that|this|the) (?:\w+ )?(?:{_TERMS}) (?:is accepted|works (?:\w+ )?for me|suits me|"
            r"is fine (?:with|by) me)\b",
        )
    )
)
_WHOLE = re.compile(
    "|".join(
        (
            rf"^{_YES}(?:deal|sold|accepted|confirmed|settled)(?: then)?{_END}",
            rf"^{_YES}(?:it's|it is|that's|that is|you(?:'ve| have)? got|you have|we have|we've got)"
            rf"(?: yourself| ourselves)? a deal(?: then)?{_END}",
            rf"^{_YES}(?:(?:that|this|it)(?:'ll| will)? )?(?:works?|suits?)(?: \w+)? (?:for )?me{_END}",
            rf"^{_YES}(?:you're|you are) on{_END}",
            rf"^{_YES}let's (?:shake on (?:it|that)|do (?:it|that|this)){_END}",
            rf"^{_YES}consider it (?:sold|done|settled){_END}",
        )
    )
)
_ALONE = re.compile(
    rf"^{_YES}(?:agreed|done|we(?:'re| are) agreed|(?:i|we) agree(?: to (?:that|this|it|your (?:{_TERMS})))?)"
    rf"{_END}"
)
_NAMED = re.compile(
    "|".join(
        (
            _I_ACCEPT,
            rf"^{_YES}(?:deal|agreed|done|sold|accepted|confirmed|settled)\b"
            r"(?=\s*(?:[,:!.$€£\d]|-\s|at\b|for\b|on\b|with\b|then\b))",
            r"\b(?:it's|that's|you have|you've got|we have|we've got) a deal (?:at|for|on)\b",
            r"\b(?:it is|it's a deal|then|works(?:(?: \w+)? for me)?|suits me|"
            rf"is (?:fine|good|great|perfect|ok|okay)(?: (?:for|with|by) me)?){_END}",
            r"\bi(?:'ll| will)(?: gladly| happily)? take (?:it|that)\b",
        )
    )
)
_DENIED = re.compile(
    r"\b(?:never|not|no deal|nothing|nobody|hardly|barely|doubt|wish|cannot|reject|decline|refuse|breaker)\b"
    r"|n't\b"
)
_REFUSED = re.compile(
    r"\bno deal\b|\bi (?:must |have to |will |'ll )?(?:reject|decline|refuse)\b|\bdeal(?:'s| is) off\b"
    r"|(?:\b(?:cannot|not|never)|n't) (?:\w+ ){0,2}(?:accept|agree|take (?:it|that))\b"
)
_RESERVED = re.compile(
    r"\b(?:but|however|although|though|except|only|yet|unless|if|provided|as long as|on condition|once|first|"
    r"almost|nearly)\b"
)


def accepting(said: Sequence[Sentence], terms: Terms, seat: Seat) -> tuple[Sentence, ...]:
    """Return the sentences of a turn that accept; none if anything in the turn takes it back.

    Args:
        said: The turn.
        terms: What can be agreed on.
        seat: Who speaks.
    """
    found: list[Sentence] = []
    for number, sentence in enumerate(said):
        if _REFUSED.search(sentence.text):
            return ()
        place = None if sentence.question or sentence.hedged else _place(sentence, terms, seat)
        if place is None:
            continue
        # What follows may still turn it round: "Deal. But only with the case."
        after = [sentence.text, *(one.text for one in said[number + 1 :])]
        if any(_RESERVED.search(text) for text in after):
            return ()
        found.append(sentence)
    return tuple(found)


def _place(sentence: Sentence, terms: Terms, seat: Seat) -> int | None:
    """Return which clause of a sentence accepts, or None."""
    for place, clause in enumerate(sentence.clauses):
        if _accepts(clause, len(sentence.clauses) == 1, terms, seat):
            return place
    return None


def _accepts(clause: Clause, alone: bool, terms: Terms, seat: Seat) -> bool:
    if _DENIED.search(clause.text) or clause.negated or clause.reported:
        return False
    if _OPEN.search(clause.text) or _WHOLE.search(clause.text):
        return True
    if alone and _ALONE.search(clause.text):
        return True
    return not clause.bounded and bool(_NAMED.search(clause.text)) and terms.mentions(clause.text, seat)
