"""What others say, made fit to be kept and shown."""

from __future__ import annotations

__all__ = ["one_line", "redact", "writable"]

SHORTEST_SECRET = 8
"""Characters; what servers take that check no key (``none``, ``EMPTY``) is a word like any other."""


def redact(text: str, secret: str) -> str:
    """Return text without the secret."""
    return text.replace(secret, "***") if len(secret) >= SHORTEST_SECRET else text


def one_line(text: object, secret: str = "", longest: int = 300) -> str:
    """Return text on one line, without the secret."""
    return redact(" ".join(str(text).split()), secret)[:longest]


def writable(text: str) -> str:
    """Return text that any file can hold: half a surrogate pair, which JSON may carry, becomes ``?``."""
    return text.encode("utf-8", "replace").decode("utf-8")
