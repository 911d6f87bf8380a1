"""Reads an evaluator's reply: one JSON object with the seven dimensions of a dialogue, each in its range.

A reply is text from a model: it is validated, never trusted, and never clipped into range. One that names two
different ratings, as when it repeats what a speaker wrote, is no reply.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from equipoise.judges.reply import objects
from equipoise.tasks.social.dimensions import RANGES, Dimensions

__all__ = ["Rating", "read_rating"]

LONGEST = 2000
"""Characters of reasoning that are kept."""


@dataclass(frozen=True, slots=True)
class Rating:
    """What an evaluator says of one side of a dialogue.

    Attributes:
        dimensions: The seven scores; all n/a where no reply could be read.
        reasoning: Why, in the evaluator's words; data.
        attempts: How often it was asked.
        outside: How many replies had a score out of its range.
        failed: Whether no reply could be read.
        tokens: Tokens read and written for it.
    """

    dimensions: Dimensions = field(default_factory=Dimensions)
    reasoning: str = ""
    attempts: int = 0
    outside: int = 0
    failed: bool = False
    tokens: int = 0


def read_rating(text: str) -> Rating | None:
    """Return what a reply says, or None if it cannot be read.

    Returns:
        The rating; one with ``outside = 1`` and no scores where a score lies out of its range.
    """
    given = [one for one in objects(text) if set(RANGES) <= set(one)]
    scores = [_scores(one) for one in given]
    if not scores or any(one is None or one != scores[0] for one in scores):
        return None
    (found, *_) = scores
    assert found is not None
    if any(not low <= found[name] <= high for name, (low, high) in RANGES.items()):
        return Rating(outside=1)
    reasoning = given[-1].get("reasoning")
    return Rating(Dimensions(**found), reasoning[:LONGEST] if isinstance(reasoning, str) else "")


def _scores(data: dict[str, Any]) -> dict[str, float] | None:
    """Return the seven numbers, or None if one of them is none."""
    found = {}
    for name in RANGES:
        value = data[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        try:
            found[name] = float(value)
        except OverflowError:
            return None
        if not math.isfinite(found[name]):
            return None
    return found
