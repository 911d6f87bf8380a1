"""Text of others on a terminal: data, never markup and never control sequences."""

from __future__ import annotations

__all__ = ["one_line", "printable"]


def printable(text: str) -> str:
    """Return text in which everything but letters, signs, spaces and line ends is spelled out."""
    return "".join(sign if sign.isprintable() or sign == "\n" else _spell(sign) for sign in text)


def one_line(text: str) -> str:
    """Return text on one line, fit to be shown."""
    return printable(" ".join(text.split()))


def _spell(sign: str) -> str:
    return "    " if sign == "\t" else sign.encode("unicode_escape").decode("ascii")
