"""What a teacher is: a strategy, the reason it gives for a move, and where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.opponents.base import Strategy, Uniform
from equipoise.types import Action

__all__ = ["PAPER", "Info", "Teacher", "Why", "at_random"]

PAPER = "SEPO paper (arXiv 2605.30854), SFT teacher"
Info = Mapping[str, Any]
"""What a seat knows, as the game documents it."""
Why = Callable[[Info, Action], str]
"""Maps what the teacher knew and what it played to one sentence that is true of both."""


@dataclass(frozen=True)
class Teacher:
    """A strategy that demonstrates.

    Attributes:
        strategy: What it plays.
        why: The reason it gives, in one sentence (see ``training/claims.py``, which reads it again).
        paper: Its weight in the recipe ``paper``; 0 if it has no part there.
        balanced: Whether it has a part in the recipe ``balanced`` (see ``mixture_of``).
    """

    strategy: Strategy
    why: Why
    paper: float = 0.0
    balanced: bool = False

    @property
    def name(self) -> str:
        """The strategy's name."""
        return self.strategy.name


def at_random(paper: float) -> Teacher:
    """Return the teacher that is uniform over the legal actions: a part of the paper's mixtures only."""
    return Teacher(Uniform(), lambda info, action: "I choose at random among all legal actions.", paper)
