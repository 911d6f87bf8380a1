"""Names of games with their parameters, and names of actions that a parser can tell apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from equipoise.errors import RequestError
from equipoise.prompts.base import MARKER

__all__ = ["Name", "action_words", "all_options", "parse_name", "plain", "written_name"]

_MARKER = re.compile(rf"^{re.escape(MARKER)}", re.IGNORECASE)


class Name(NamedTuple):
    """A game's short name and its parameters as they were written."""

    short: str
    parameters: dict[str, str]


def parse_name(text: str, family: str = "openspiel", form: str = r"\w+") -> Name:
    """Read ``NAME`` or ``NAME(key=value, ...)``; a value may be such a name itself.

    Args:
        text: What stands behind ``FAMILY:``.
        family: The family the name belongs to, to say what is wrong with it.
        form: What a name looks like, as a regular expression.

    Raises:
        RequestError: It is neither.
    """
    short, bracket, rest = text.strip().partition("(")
    if not re.fullmatch(form, short.strip()) or (bracket and not rest.endswith(")")):
        raise _malformed(text, family)
    parameters: dict[str, str] = {}
    for part in _split(rest[:-1], text, family) if bracket else ():
        key, sign, value = (piece.strip() for piece in part.partition("="))
        if not sign or not key:
            raise _malformed(text, family)
        if key in parameters:
            raise RequestError(f"'{family}:{text}': {key} is given twice")
        parameters[key] = value
    return Name(short.strip(), parameters)


def all_options(
    text: str, family: str, written: Mapping[str, str], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters written in a name together with the options given beside it.

    Raises:
        RequestError: One is given in both places, with different values.
    """
    if twice := [key for key in written if key in options and str(options[key]) != written[key]]:
        raise RequestError(
            f"'{family}:{text}' with the option {twice[0]} = {options[twice[0]]}: give {twice[0]} once"
        )
    return {**written, **options}


def written_name(name: str, parameters: Mapping[str, Any]) -> str:
    """Return a name with its parameters, as :func:`parse_name` reads it."""
    inside = ",".join(f"{key}={value}" for key, value in sorted(parameters.items()))
    return f"{name}({inside})" if inside else name


def _split(inside: str, text: str, family: str) -> list[str]:
    """Split at the commas that stand in no bracket."""
    parts, depth = [""], 0
    for sign in inside:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            raise _malformed(text, family)
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    if depth:
        raise _malformed(text, family)
    return [] if parts == [""] else parts


def _malformed(text: str, family: str) -> RequestError:
    return RequestError(
        f"'{family}:{text}' is no name of a game: write '{family}:NAME' or '{family}:NAME(key=value, ...)'"
    )


def plain(word: str) -> str:
    """Return what a reader of answers keeps of a word: no case, markup, quotes, marker or final full stop."""
    bare = _MARKER.sub("", word.strip("*_`\"' "))
    return bare.strip("*_`\"' \t.").casefold()


@lru_cache(maxsize=4096)
def action_words(found: tuple[tuple[int, str], ...]) -> tuple[str, ...]:
    """Return a word for each of the actions that are legal together, none like another.

    Args:
        found: The number of each action and OpenSpiel's string for it. Words that a reader could not
            tell apart get their number appended; where even that leaves two alike, all go by number.
    """
    words = [" ".join(text.split()) for _, text in found]
    alike = Counter(map(plain, words))
    apart = [
        word if plain(word) and alike[plain(word)] == 1 else f"{word} {number}".strip()
        for word, (number, _) in zip(words, found, strict=True)
    ]
    if len(set(map(plain, apart))) == len(apart):
        return tuple(apart)
    return tuple(f"action {number}" for number, _ in found)
