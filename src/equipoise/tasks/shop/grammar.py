"""The grammar of actions: ``search[words]`` and ``click[thing]``, and nothing besides."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["LIMIT", "Kind", "Move", "read", "same"]

LIMIT = 300
"""Characters of a turn that are read; what is longer is cut, and then no action."""

_ACTION = re.compile(r"(search|click)\s*\[(.*)\]", re.IGNORECASE)
_ANOTHER = re.compile(r"\b(?:search|click)\s*\[", re.IGNORECASE)


class Kind(StrEnum):
    """What a turn is."""

    SEARCH = "search"
    CLICK = "click"
    NONE = "none"
    """No action: prose, silence, several actions."""


@dataclass(frozen=True, slots=True)
class Move:
    """A turn as it was read.

    Attributes:
        kind: What it is.
        what: The words, or the thing; empty if it is no action.
        cut: Whether it was longer than is read.
    """

    kind: Kind
    what: str = ""
    cut: bool = False


def read(text: str) -> Move:
    """Return what a turn does; anything but one action on one line is none."""
    if len(text) > LIMIT:
        return Move(Kind.NONE, cut=True)
    found = _ACTION.fullmatch(text.strip())
    what = " ".join(found[2].split()) if found else ""
    if found is None or not what or "\n" in text.strip() or _ANOTHER.search(what):
        return Move(Kind.NONE)
    return Move(Kind(found[1].casefold()), what)


def same(one: str, two: str) -> bool:
    """Tell whether two names of things are the same up to case and spaces."""
    return " ".join(one.casefold().split()) == " ".join(two.casefold().split())
