"""What a coach's free words ask an actor to do.

The parser knows ten intents and the names of the home: places, rooms and things, by kind or by kind and
number. A piece of advice may hold several intents; what it does not understand changes nothing. What a
negation stands before is not asked for; "don't repeat yourself" asks for what is new, "don't open anything"
to leave closed things closed. ``docs/household.md`` lists phrasings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from equipoise.tasks.household.home import Home
from equipoise.tasks.household.intents import PHRASINGS, Intent
from equipoise.tasks.household.kinds import APPLIANCES, serves

__all__ = ["Advice", "Intent", "intents", "understand"]

_PATTERNS = {intent: re.compile(rf"\b(?:{'|'.join(patterns)})") for intent, patterns in PHRASINGS.items()}
_NOT = re.compile(
    r"\b(?:don't|do not|never|not|no need to|avoid|without|stop|instead of|rather than|skip|forget|nor|"
    r"no point)\b"
)
_AGAIN = re.compile(
    r"\b(?:don't|do not|never|stop|avoid|without|no|quit|not)\b[^.!?]*\b"
    r"(?:repeat\w*|again|same|twice|back|retrac\w+|already|circles?|over and over|revisit\w*|return\w*|"
    r"backtrack\w*)\b"
)
_BUT_DO = re.compile(r"\b(?:don't|do not|never) (?:forget|miss|overlook|neglect|leave)\b")
_SAME = re.compile(r"\b(?:again|the same|once more|over and over)\b")
_CUTS = re.compile(
    r"[.!?;:\n]|, | but | and | then | before | until | unless | while | so that | if | because "
)
_ATTITUDES = frozenset({Intent.OPEN, Intent.FRESH})


@dataclass(frozen=True, slots=True)
class Advice:
    """What advice asks for.

    Attributes:
        now: What the newest piece asks for.
        opens: Whether the last piece on it asked to open closed things (True), not to (False), or None.
        fresh: Whether the last piece on it asked for what is new (True), for the same again (False), or None.
        places: Places the newest piece names, by kind or by kind and number.
        rooms: Rooms it names.
        things: Things it names, by kind or by kind and number.
    """

    now: frozenset[Intent] = frozenset()
    opens: bool | None = None
    fresh: bool | None = None
    places: frozenset[str] = frozenset()
    rooms: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()


def intents(text: str) -> frozenset[Intent]:
    """Return the intents of one piece of advice."""
    return _read(text)[0]


def understand(pieces: Sequence[str], home: Home) -> Advice:
    """Return what all advice so far asks for; the newest piece counts for acts, older ones for attitudes."""
    opens: bool | None = None
    fresh: bool | None = None
    lexicon = _lexicon(home)
    for text in pieces:
        found, refused = _read(lexicon.masked(text))
        opens = _attitude(Intent.OPEN, found, refused, opens)
        fresh = _attitude(Intent.FRESH, found, refused, fresh)
    if not pieces:
        return Advice()
    meant = " . ".join(_wanted_parts(_plain(pieces[-1])))
    return Advice(
        now=intents(lexicon.masked(pieces[-1])),
        opens=opens,
        fresh=fresh,
        places=_named(meant, lexicon.places),
        rooms=_named(meant, lexicon.rooms),
        things=_named(meant, lexicon.things),
    )


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """The names of a home, each as a pattern; ``others`` finds those that ask for nothing by themselves."""

    places: re.Pattern[str]
    rooms: re.Pattern[str]
    things: re.Pattern[str]
    others: re.Pattern[str]

    def masked(self, text: str) -> str:
        """Return a text without the names: nobody who says "bakehouse" wants anything baked."""
        return self.others.sub("that", _plain(text))


@lru_cache(maxsize=512)
def _lexicon(home: Home) -> _Lexicon:
    speaking = {one.name for one in home.places if any(serves(one.kind, verb) for verb in APPLIANCES)}
    speaking |= {one.name for one in home.things if one.light}
    names = {*home.place_names, *home.thing_names}
    return _Lexicon(
        _names(home.place_names),
        _names(home.rooms),
        _names(home.thing_names),
        _names((*(names - speaking), *home.rooms)),
    )


def _attitude(
    intent: Intent, found: frozenset[Intent], refused: frozenset[Intent], before: bool | None
) -> bool | None:
    if intent in found:
        return True
    return False if intent in refused else before


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[frozenset[Intent], frozenset[Intent]]:
    """Return what a piece asks for, and which attitudes it refuses."""
    plain = _plain(text)
    found: set[Intent] = set()
    refused: set[Intent] = set()
    if _AGAIN.search(plain):
        found.add(Intent.FRESH)
    elif _SAME.search(plain):
        refused.add(Intent.FRESH)
    for part in _CUTS.split(plain):
        for intent, pattern in _PATTERNS.items():
            for match in pattern.finditer(part):
                if not _NOT.search(part[: match.start()]) or intent is Intent.FRESH:
                    found.add(intent)
                elif intent in _ATTITUDES:
                    refused.add(intent)
    return frozenset(found - refused), frozenset(refused - found)


def _wanted_parts(plain: str) -> list[str]:
    """Return the parts of a text, what stands after a negation left out."""
    parts = []
    for part in _CUTS.split(plain):
        match = _NOT.search(part)
        parts.append(part if match is None else part[: match.start()])
    return parts


def _plain(text: str) -> str:
    plain = re.sub(r"\s+", " ", text.replace("’", "'")).strip().casefold()
    return _BUT_DO.sub("remember", plain)


def _names(names: Iterable[str]) -> re.Pattern[str]:
    """Return what finds names, with or without their numbers; a plural counts as the kind."""
    words = {word for name in names for word in (name, re.sub(r" \d+$", "", name))}
    known = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"\b({'|'.join(map(re.escape, known)) or '(?!)'})(?:s|es)?\b(?! \d)")


def _named(text: str, names: re.Pattern[str]) -> frozenset[str]:
    """Return the names that a text holds, the longest at every point."""
    return frozenset(match[1] for match in names.finditer(text))
