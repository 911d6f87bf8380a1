"""Which facts a side has told: by saying so, or by saying yes to a question that holds them.

Telling is read leniently, for what is out is out: quotations, asides and questions count as well. Only a
denial tells nothing, and nobody tells a fact in another's place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from equipoise.tasks.social.acts import LIMIT
from equipoise.tasks.social.scenarios import Fact
from equipoise.tasks.social.speech import normal, sentences

__all__ = ["holds", "tells"]

WHOLE = 4
"""Letters from which on a key is the beginning of a word; a shorter one is a word: tea is not a team."""

_DENIES = re.compile(
    r"\b(?:not|never|no|none|cannot|nobody|nothing|neither|without)\b|n't\b|\b(?:dont|cant|wont|isnt)\b"
)
_YES = re.compile(
    r"(?:well|ok|okay|oh|ah|hm+)?[,. ]*(?:yes|yeah|yep|yup|correct|right|exactly|true|indeed|guilty|"
    r"(?:that's|that is|you're|you are) (?:right|true|correct)|i (?:admit|confess)|you (?:guessed|got) it)\b"
)


def tells(fact: Fact, text: str, before: str = "") -> bool:
    """Tell whether its owner gives a fact away.

    Args:
        fact: The fact.
        text: The owner's turn.
        before: The other side's turn just before it; a plain yes confirms what it asked.
    """
    said = text[:LIMIT]
    if _YES.match(normal(said).casefold().lstrip(" \"'*")) and holds(fact, before, asked=True):
        return True
    return holds(fact, said)


def holds(fact: Fact, text: str, asked: bool = False) -> bool:
    """Tell whether one sentence of a text holds the fact, by one of its sets of word beginnings.

    Args:
        fact: The fact.
        text: The text.
        asked: Whether only questions are looked at.
    """
    for sentence in sentences(text.replace('"', "").replace("“", "").replace("”", "")):
        if asked and not sentence.question:
            continue
        words = re.findall(r"\w+", sentence.text)
        denied = bool(_DENIES.search(sentence.text))
        if any(("not" in keys) == denied and _present(keys, words) for keys in fact.keys):
            return True
    return False


def _present(keys: Sequence[str], words: Sequence[str]) -> bool:
    return all(key == "not" or any(_begins(word, key.casefold()) for word in words) for key in keys)


def _begins(word: str, key: str) -> bool:
    return word == key or (len(key) >= WHOLE and word.startswith(key))
