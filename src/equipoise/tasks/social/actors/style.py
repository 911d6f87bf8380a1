"""How an actor bargains: what it opens with, how it gives ground, what it takes, what it tells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from equipoise.tasks.social.actors.situation import Situation
from equipoise.tasks.social.advice import Intent

__all__ = ["Style", "advised"]


@dataclass(frozen=True, slots=True)
class Style:
    """A style of bargaining and of telling.

    Attributes:
        opening: What it asks for at first, on the scale of its target (0 to 10).
        closing: What it would be content with in its last turn.
        shape: Exponent of time: 1 gives ground evenly, more holds out until late, less gives in early.
        takes: It accepts what is within this of what it would ask for next.
        reads: How it chooses among proposals it likes alike: at random, by what the other side has shown, or
            by the truth of both sides.
        tells: Which of its facts it tells: all it is asked, freely what is no secret, in turn (a fact for a
            fact), or nothing.
        keeps: Whether it keeps secrets when asked.
        asks: How often it asks for what it wants to learn.
        leads: Whether it tells first in a trade of facts.
    """

    opening: float = 8.0
    closing: float = 0.5
    shape: float = 1.0
    takes: float = 0.5
    reads: Literal["blind", "shown", "truth"] = "shown"
    tells: Literal["asked", "freely", "turn", "nothing"] = "turn"
    keeps: bool = True
    asks: float = 1.0
    leads: bool = True

    def aspiration(self, progress: float) -> float:
        """Return what it asks for when a share of its turns is over."""
        spent: float = min(1.0, progress) ** self.shape
        return self.opening + (self.closing - self.opening) * spent


def advised(style: Style, situation: Situation) -> Style:
    """Return the style as the coach would have it; no word on something leaves it as it is."""
    advice = situation.advice
    if advice.firm is True:
        style = replace(style, opening=9.5, shape=3.0, takes=0.5)
    elif advice.firm is False:
        style = replace(style, opening=3.0, closing=0.2, shape=0.6, takes=3.0)
    if advice.guarded is not None:
        style = replace(style, keeps=advice.guarded)
    if advice.now & {Intent.ASK, Intent.TRADE}:
        style = replace(style, asks=1.0)
    if Intent.TRADE in advice.now:
        style = replace(
            style, reads="shown" if style.reads == "blind" else style.reads, tells="turn", leads=True
        )
    return style
