"""Reads a judge's reply: ``{"indexes": [int], "reasoning": str}``, whatever stands around it.

A reply is text from a model: it is validated, never trusted. Numbers that are no turns are dropped and kept
apart; a reply without a readable object is no reply.
"""

from __future__ import annotations

import json
from typing import Any

from equipoise.judges.base import Verdict

__all__ = ["objects", "read_reply"]

LONGEST = 2000
"""Characters of reasoning that are kept."""


def read_reply(text: str, turns: int) -> Verdict | None:
    """Return what a reply says, or None if it cannot be read.

    Args:
        text: The reply.
        turns: Number of turns of the side; they are numbered from 1 in the reply.
    """
    for data in objects(text):
        numbers = data.get("indexes")
        if not isinstance(numbers, list) or any(type(number) is not int for number in numbers):
            continue
        found = list(dict.fromkeys(numbers))
        reasoning = data.get("reasoning")
        return Verdict(
            decisive=tuple(sorted(number - 1 for number in found if 1 <= number <= turns)),
            reasoning=reasoning[:LONGEST] if isinstance(reasoning, str) else "",
            dropped=tuple(number for number in found if not 1 <= number <= turns),
        )
    return None


def objects(text: str) -> list[dict[str, Any]]:
    """Return all JSON objects in a text, outermost first."""
    decoder, found, start = json.JSONDecoder(), [], 0
    while (start := text.find("{", start)) >= 0:
        try:
            data, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
            continue
        if isinstance(data, dict):
            found.append(data)
        start = max(end, start + 1)
    return found
