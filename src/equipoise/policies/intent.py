"""Something that can be advised in a game: the phrases that mean it, and what it asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from equipoise.types import Action, Decision

__all__ = ["Intent"]


@dataclass(frozen=True, slots=True)
class Intent:
    """Something that can be advised.

    Attributes:
        name: Its name.
        phrases: Regular expressions that mean it, on lower-case text.
        act: From the decision to the action.
        opposite: Name of the intent that its negation means; none if empty.
        recall: How many past rounds ``act`` reads; None for all of them.
    """

    name: str
    phrases: tuple[str, ...]
    act: Callable[[Decision], Action]
    opposite: str = ""
    recall: int | None = 0
