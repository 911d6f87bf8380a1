"""What a turn says in the speaker's own voice, cut into sentences and clauses with their mood.

Everything that could pass for somebody else's words is taken out before anything is read: quotations, stage
directions, and lines under another speaker's name. What is left is cut at full stops, then at contrasts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from equipoise.tasks.social.words import (
    BOUNDS,
    CONDITIONS,
    COURTESIES,
    NEGATIONS,
    REPORTS,
    ROLES,
    SAYS,
    any_of,
    words,
)

__all__ = ["Clause", "Sentence", "Spoken", "normal", "sentences", "spoken"]

_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "`": "'"})
_POLITE = words(COURTESIES)
_WHETHER = re.compile(r"\b(wonder|wondering|see|ask|asking|know|sure|check|tell me|curious) if\b")
_CONDITION = words(CONDITIONS)
_NEGATION = re.compile(rf"\b{any_of(NEGATIONS)}\b|n't\b")
_BOUND = words(BOUNDS)
_REPORTED = words(REPORTS)
_PHRASES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\bwhy (?:not|don't (?:we|you|i)|shouldn't we)\b"), "how about"),
    (re.compile(r"\b(?:couldn't|can't) (?:we|you)\b(?=[^.?!]*\?)"), "how about"),
    (
        re.compile(r"\bi (?:was|am|'m) (?:thinking|hoping|wondering|considering)(?: (?:of|about|for))?\b"),
        "how about",
    ),
    (re.compile(r"\bwhat if we (?:said|say|made it|make it|agreed on|settled on|met at)\b"), "how about"),
    (re.compile(r"\bwhat if\b"), "how about"),
    (re.compile(r"\b(?:how|what) about\b"), "how_about"),
    (re.compile(r"\b(?:no|not a) (?:problem|worries|doubt|rush|objections?|complaints?)\b"), ""),
    (
        re.compile(r"\b(?:can't|cannot) (?:argue|complain|say no)(?: (?:with|about|to) (?:that|this|it))?\b"),
        "",
    ),
    (re.compile(r"\bno more (?:waiting|haggling|games|talk)\b"), ""),
    (re.compile(r"\b([ap])\.\s?m\b\.?"), r"\1m"),
)
_CONTRAST = re.compile(
    r",?\s+(?:but|however|though|although|yet|whereas)\b,?|\s+[-–—]+\s+|—|,\s+(?:so|and|or|then)\s+|,\s+"
)
_ENDS = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+|;\s*")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence.

    Attributes:
        text: The words, folded to lower case.
        negated: Whether it denies or refuses something.
        bounded: Whether it gives a bound or a rough figure rather than a figure.
        reported: Whether it tells of what was, of others' words or of what things are worth.
    """

    text: str
    negated: bool
    bounded: bool
    reported: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence.

    Attributes:
        text: The words, folded to lower case, without what is politely added ("if that works for you").
        question: Whether it asks.
        conditional: Whether it is said under a condition.
        hedged: Whether it has any "if", polite or not: nothing is accepted so.
        clauses: Its parts.
    """

    text: str
    question: bool
    conditional: bool
    hedged: bool
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Spoken:
    """What is left of a turn when everything but the speaker's own voice is taken out.

    Attributes:
        text: What is left.
        forged: Whether a line stood under another speaker's name.
    """

    text: str
    forged: bool


def normal(text: str) -> str:
    """Return text in one form of letters and quotes, without invisible characters."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    return "".join(c for c in plain if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))


def spoken(text: str, name: str, others: Sequence[str]) -> Spoken:
    """Return what a turn says in the speaker's own voice.

    Args:
        text: The turn.
        name: The speaker.
        others: Names of everybody else.
    """
    plain = _undressed(re.sub(r"\*\*|__", "", normal(text)).strip(), name)
    own, label = _labels(name, tuple(others))
    kept, forged = [], False
    for line in plain.split("\n"):
        if line.lstrip().startswith(">"):
            continue
        if found := label.search(line):
            line, forged = line[: found.start()], True
        kept.append(own.sub(r"\1", line))
    return Spoken(_unquoted("\n".join(kept)), forged)


@lru_cache(maxsize=1024)
def _labels(name: str, others: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds a speaker's own label, and what finds anybody else's."""
    own = re.compile(rf"(^|[\s.!?]){re.escape(name)}\s*:", re.IGNORECASE)
    foreign = "|".join([*(re.escape(other) for other in others), *ROLES])
    label = re.compile(
        rf"(?:^|(?<=[\s.!?,;|#>\]*-]))(?:{foreign})\s*(?:\([^)]*\)\s*)?(?:\b{any_of(SAYS)}\s*)?[:>]",
        re.IGNORECASE,
    )
    return own, label


def _undressed(text: str, name: str) -> str:
    """Return a turn without what a speaker may put around all of it: the own name, and quotation marks."""
    text = re.sub(rf"^(?:{re.escape(name)}\s*)?(?:says|said)?\s*:\s*", "", text, flags=re.IGNORECASE)
    # A model that is cut off in the middle leaves its quotation open.
    if text.startswith('"') and (text.count('"') == 1 or (text.endswith('"') and text.count('"') == 2)):
        return text.strip('"')
    return text


def _unquoted(text: str) -> str:
    """Take out quotations, stage directions and tags; an open quotation goes to the line's end."""
    text = re.sub(r'"[^"\n]*(?:"|(?=\n)|$)', " ", text)
    text = re.sub(r"(?<!\w)'[^'\n]{2,}'(?!\w)", " ", text)
    return re.sub(r"\*[^*\n]*\*|\([^()\n]*\)|\[[^\[\]\n]*\]|<[^<>\n]*>", " ", text)


@lru_cache(maxsize=16_384)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Cut text into sentences and clauses."""
    folded = normal(text).casefold()
    for pattern, instead in _PHRASES:
        folded = pattern.sub(instead, folded)
    folded = folded.replace("how_about", "how about")
    parts = (part.strip() for part in _ENDS.split(folded))
    return tuple(_sentence(part) for part in parts if part)


def _sentence(text: str) -> Sentence:
    whether = _WHETHER.sub(r"\1 whether", text)
    polite = _POLITE.sub("", whether)
    clauses = tuple(_clause(part) for part in _CONTRAST.split(polite) if part.strip(" .,!?"))
    return Sentence(
        text=polite,
        question=text.rstrip("\"') ").endswith("?"),
        conditional=bool(_CONDITION.search(polite)),
        hedged=bool(_CONDITION.search(whether)),
        clauses=clauses,
    )


def _clause(text: str) -> Clause:
    # "How about" puts a figure forward, "about 50" leaves it open.
    rough = text.replace("how about", "")
    return Clause(
        text=text.strip(),
        negated=bool(_NEGATION.search(text)),
        bounded=bool(_BOUND.search(rough)),
        reported=bool(_REPORTED.search(text)),
    )
