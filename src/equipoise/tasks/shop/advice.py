"""What a coach's free words ask a shopper to do.

The parser knows twelve intents. A piece of advice may hold several; what it does not understand changes
nothing. A negation turns an intent round ("don't buy yet" is :attr:`Intent.WAIT`) or drops what it names
("never mind the options"). ``docs/shop.md`` lists phrasings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from equipoise.tasks.shop.intents import PHRASINGS, Intent

__all__ = ["Advice", "Intent", "intents", "understand"]

_PATTERNS = {intent: re.compile(rf"\b(?:{'|'.join(found)})") for intent, found in PHRASINGS.items()}
_NOT = re.compile(
    r"\b(?:not|never|no|without|avoid|stop|skip|ignore|forget|neglect|refrain from|instead of|rather than|"
    r"do not bother with|no need to)\b(?! forget| only| settle| miss| overlook| neglect| skip| ignore)"
)
_CUTS = re.compile(
    r"[.!?;\n]|,| but | and then | then | before | until | unless | while | and (?=do not |never )"
)
_TURNED = {Intent.BUY: Intent.WAIT, Intent.WAIT: Intent.BUY, Intent.HASTE: Intent.COMPARE}
_FIXED = (Intent.NARROW, Intent.BACK, Intent.COMPARE, Intent.REQUIRE)
"""Intents whose own phrasings may hold a negation."""
_WORDS = re.compile(
    r"\b(?:search(?:ing)?(?: the shop)?(?: again)?(?: instead)? (?:for|with|by|using|on)|search|look up|"
    r"query|google|type(?: in)?|enter|try(?: the)?(?: search)?(?: words?| terms?)|hunt for|"
    r"use the (?:words?|terms?|keywords?)|put)"
    r"(?: the| only)?(?: search)?(?: words?| terms?| keywords?| phrase)?:? +(.+)"
)
_PHRASE = re.compile(
    rf"\b(?:{'|'.join(PHRASINGS[Intent.REQUIRE])})(?: (?:be|is|are|has|have|comes|with|that|it|the|a|an|one|"
    r"something|which|of|in)\b)* *:? *(.+)"
)
_VAGUE = re.compile(
    r"^(?:again|more|it|them|something|anything|key|keywords?|words?|only|less|fewer|short(?:er)?|broad(?:er)?|"
    r"first|the (?:whole|product|item|key|main|sentence|instruction)|a (?:shorter|simpler|better)|"
    r"with (?:fewer|less|key)|(?:two|three) (?:or|words))\b"
)


@dataclass(frozen=True, slots=True)
class Advice:
    """What advice asks for.

    Attributes:
        now: What the newest piece asks for.
        words: What the newest piece says to search for; empty if nothing.
        musts: Phrases that the product must have, of all pieces.
        narrow: Whether to search for key words only (None: nobody said).
        price: Whether to mind the price.
        options: Whether to choose options.
        read: Whether to read a product's pages.
        compare: Whether to look at more products than one.
        text: All advice in one text, to find option values in; the newest first.
    """

    now: frozenset[Intent] = frozenset()
    words: str = ""
    musts: tuple[str, ...] = ()
    narrow: bool | None = None
    price: bool | None = None
    options: bool | None = None
    read: bool | None = None
    compare: bool | None = None
    text: str = ""


def intents(text: str) -> frozenset[Intent]:
    """Return the intents of one piece of advice."""
    return _found(text)[0]


def understand(pieces: Sequence[str]) -> Advice:
    """Return what all advice so far asks for; the newest piece counts for acts, older ones for attitudes."""
    advice = Advice()
    for piece in pieces:
        wanted, dropped, words, musts = _found(piece)
        advice = replace(
            _attitudes(advice, wanted, dropped), now=wanted, words=words, musts=(*advice.musts, *musts)
        )
    return replace(advice, text=". ".join(_plain(piece) for piece in reversed(pieces)))


def _attitudes(advice: Advice, wanted: frozenset[Intent], dropped: frozenset[Intent]) -> Advice:
    said: dict[str, Any] = {}
    if Intent.HASTE in wanted:
        said = dict.fromkeys(("price", "options", "read", "compare"), False)
    for intent in (Intent.PRICE, Intent.OPTIONS, Intent.READ, Intent.COMPARE, Intent.NARROW):
        if intent in wanted or intent in dropped:
            said[intent.value] = intent in wanted
    return replace(advice, **said)


def _found(text: str) -> tuple[frozenset[Intent], frozenset[Intent], str, tuple[str, ...]]:
    """Return what is asked for, what is to be dropped, the words to search for, and what is required."""
    wanted: set[Intent] = set()
    dropped: set[Intent] = set()
    words, musts, plain = "", list[str](), _plain(text)
    for part in _CUTS.split(plain):
        for intent, pattern in _PATTERNS.items():
            if (match := pattern.search(part)) is None:
                continue
            negated = intent not in _FIXED and _NOT.search(part[: match.start()]) is not None
            if (
                negated
                and intent is Intent.PRICE
                and re.search(r"\b(?:over\w*|above|exceed|more|beyond|too|spend)\b", part)
            ):
                negated = False
            if not negated:
                wanted.add(intent)
            elif intent in _TURNED:
                wanted.add(_TURNED[intent])
            else:
                dropped.add(intent)
        words = words or _searched(part)
        musts += _required(part)
    return _settled(wanted, bool(words), musts), frozenset(dropped - wanted), words, tuple(musts)


def _settled(wanted: set[Intent], searches: bool, musts: Sequence[str]) -> frozenset[Intent]:
    """Return the intents without those that another one, or a missing object, rules out."""
    if not searches:
        wanted.discard(Intent.SEARCH)
    if not musts:
        wanted.discard(Intent.REQUIRE)
    if Intent.WAIT in wanted:
        wanted -= {Intent.BUY, Intent.HASTE}
    if wanted & {Intent.BACK, Intent.NEXT}:
        wanted.discard(Intent.BUY)
    return frozenset(wanted)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"n't\b", " not", text.casefold().replace("’", "'")).split()).replace(
        "can not", "cannot"
    )


def _searched(part: str) -> str:
    found = _WORDS.search(part)
    if found is None or _NOT.search(part[: found.start()]):
        return ""
    words = found[1].strip(" '\"[]“”").removeprefix("for ")
    words = re.split(r" (?:instead|first|next|and (?:open|click|choose|pick|read|check|buy))\b", words)[
        0
    ].strip(" '\"")
    return "" if _VAGUE.search(words) else words


def _required(part: str) -> list[str]:
    found = _PHRASE.search(part)
    phrase = found[1].strip(" '\"") if found else ""
    if not phrase or re.match(
        r"(?:the )?(?:price|budget|cap|right|same|cheap|under|within|options?|details?)\b", phrase
    ):
        return []
    return [phrase]
