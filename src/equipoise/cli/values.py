"""``key=value`` as users type it, and what it means."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence

from equipoise.errors import RequestError

__all__ = ["names", "numbers", "options", "overrides", "pairs", "value"]


def value(text: str) -> object:
    """Return what a value written like in TOML means; what is no TOML is a plain string.

    Numbers, booleans, quoted strings and lists are read; dates and inline tables stay text.
    """
    try:
        found = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    if set(found) != {"value"} or not isinstance(found["value"], bool | int | float | str | list):
        return text
    read: object = found["value"]
    return read


def pairs(given: Sequence[str] | None, flag: str) -> dict[str, str]:
    """Split ``key=value`` arguments.

    Args:
        given: The arguments of a flag that may be repeated.
        flag: Its name, for messages.

    Raises:
        RequestError: One of them has no key or no equals sign, or a key comes twice.
    """
    found: dict[str, str] = {}
    for text in given or ():
        key, sign, rest = text.partition("=")
        key = key.strip()
        if not sign or not key:
            raise RequestError(f"{flag} {text!r}: write it as key=value")
        if key in found:
            raise RequestError(f"{flag} {text!r}: {key} is given twice")
        found[key] = rest.strip()
    return found


def options(given: Sequence[str] | None) -> dict[str, object] | None:
    """Return the options of a game, or None if there are none."""
    return {key: value(text) for key, text in pairs(given, "--option").items()} or None


def names(given: Sequence[str] | None) -> dict[str, tuple[str, ...]] | None:
    """Return the opponents of pools written as ``NAME=a,b,c``; an empty list empties the pool."""
    found = {
        pool: tuple(name.strip() for name in text.split(",") if name.strip())
        for pool, text in pairs(given, "--pool").items()
    }
    return found or None


def numbers(given: Sequence[str] | None) -> dict[str, float] | None:
    """Return penalty weights written as ``e=1.5``.

    Raises:
        RequestError: One of them is no finite number.
    """
    found = {}
    for key, text in pairs(given, "--weight").items():
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise RequestError(f"--weight {key}={text}: {text!r} is no number")
        found[key] = number
    return found or None


def overrides(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return the overrides of a recipe after checking their form; the recipe knows what they mean.

    Raises:
        RequestError: One of them is not of the form key=value.
    """
    pairs(given, "override")
    return tuple(given or ())
