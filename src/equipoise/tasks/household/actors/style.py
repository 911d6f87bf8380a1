"""How an actor goes about an errand."""

from __future__ import annotations

from dataclasses import dataclass, replace

from equipoise.tasks.household.actors.situation import Situation

__all__ = ["Style", "advised"]


@dataclass(frozen=True, slots=True)
class Style:
    """A style.

    Attributes:
        dither: How often it wanders about instead of doing what it means to do.
        opens: Share of the closed places that it opens when it searches.
        remembers: Whether it keeps to places it has not searched.
        processes: Share of the errands in which it thinks of cleaning, heating or cooling by itself.
    """

    dither: float
    opens: float
    remembers: bool
    processes: float


def advised(style: Style, now: Situation) -> Style:
    """Return the style as the coach would have it; no word on something leaves it as it is."""
    if now.advice.opens is not None:
        style = replace(style, opens=1.0 if now.advice.opens else 0.0)
    if now.advice.fresh is not None:
        style = replace(style, remembers=now.advice.fresh)
    return style
