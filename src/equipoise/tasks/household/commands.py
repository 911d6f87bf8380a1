"""The grammar of commands: what may be typed, and nothing else.

    go to PLACE            go to ROOM
    take THING from PLACE  move THING to PLACE     (also: put THING in PLACE, put THING on PLACE, in/on)
    open PLACE             close PLACE
    heat THING with PLACE  cool THING with PLACE   clean THING with PLACE
    use LIGHT              (also: toggle LIGHT)
    examine THING          examine PLACE           look          inventory

Names are a kind and a number (``cabinet 2``), rooms a name. Capitals, "the", blanks around and a final full
stop do not matter. ALFWorld 0.4 says "move X to Y" where earlier versions said "put X in/on Y"; both are
read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

__all__ = ["LIMIT", "Command", "Verb", "read", "say"]

LIMIT = 200
"""Characters of a command that are read; a longer one is no command."""

Verb = Literal[
    "go", "take", "put", "open", "close", "heat", "cool", "clean", "use", "examine", "look", "inventory"
]


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes:
        verb: What to do.
        first: The thing, or the place where there is no thing; empty where the verb stands alone.
        second: The place, where the verb takes a thing and a place.
    """

    verb: Verb
    first: str = ""
    second: str = ""


_NAME = r"(?:the )?(?P<{0}>[a-z]+(?:[ -][a-z]+)*(?: \d+)?)"
_ONE, _TWO = _NAME.format("first"), _NAME.format("second")
_FORMS: tuple[tuple[Verb, re.Pattern[str]], ...] = (
    ("look", re.compile("look")),
    ("inventory", re.compile("inventory")),
    ("go", re.compile(f"go to {_ONE}")),
    ("take", re.compile(f"take {_ONE} from {_TWO}")),
    ("put", re.compile(f"move {_ONE} to {_TWO}")),
    ("put", re.compile(f"put {_ONE} (?:in/on|in|on) {_TWO}")),
    ("heat", re.compile(f"heat {_ONE} with {_TWO}")),
    ("cool", re.compile(f"cool {_ONE} with {_TWO}")),
    ("clean", re.compile(f"clean {_ONE} with {_TWO}")),
    ("open", re.compile(f"open {_ONE}")),
    ("close", re.compile(f"close {_ONE}")),
    ("examine", re.compile(f"examine {_ONE}")),
    ("use", re.compile(f"use {_ONE}")),
    ("use", re.compile(f"toggle {_ONE}")),
)

_SAID = {
    "go": "go to {0}",
    "take": "take {0} from {1}",
    "put": "move {0} to {1}",
    "open": "open {0}",
    "close": "close {0}",
    "heat": "heat {0} with {1}",
    "cool": "cool {0} with {1}",
    "clean": "clean {0} with {1}",
    "use": "use {0}",
    "examine": "examine {0}",
    "look": "look",
    "inventory": "inventory",
}


@lru_cache(maxsize=16_384)
def read(text: str) -> Command | None:
    """Return the command that a text is, or None if it is none."""
    if len(text) > LIMIT:
        return None
    plain = re.sub(r"[ \t]+", " ", text.strip().casefold().removesuffix(".")).strip()
    for verb, form in _FORMS:
        if (match := form.fullmatch(plain)) is not None:
            found = match.groupdict()
            return Command(verb, found.get("first") or "", found.get("second") or "")
    return None


def say(command: Command) -> str:
    """Return a command in words."""
    return _SAID[command.verb].format(command.first, command.second)
