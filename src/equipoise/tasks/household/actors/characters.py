"""The actors: who they are and how they go about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equipoise.tasks.base import View
from equipoise.tasks.household.actors.acting import act
from equipoise.tasks.household.actors.oracle import shortest
from equipoise.tasks.household.actors.situation import situation
from equipoise.tasks.household.actors.style import Style
from equipoise.types import Decision

if TYPE_CHECKING:
    from equipoise.tasks.household.task import Household

__all__ = ["oracle", "sensible", "weak"]

WEAK = Style(dither=0.25, opens=0.3, remembers=False, processes=0.2)
SENSIBLE = Style(dither=0.35, opens=0.7, remembers=True, processes=1.0)


def weak(decision: Decision) -> str:
    """Wanders about, forgets where it was, and seldom opens, cleans, heats or cools anything."""
    return _blind(decision) or act(situation(decision), WEAK)


def sensible(decision: Decision) -> str:
    """Searches room by room, mostly opens what is closed, knows what to do, and dithers now and then."""
    return _blind(decision) or act(situation(decision), SENSIBLE)


def oracle(decision: Decision) -> str:
    """Knows where everything is and takes the shortest way; it needs no advice."""
    if (said := _blind(decision)) is not None:
        return said
    now = situation(decision)
    return shortest(now.world, now.state)


def _blind(decision: Decision) -> str | None:
    """Return one of the options where the world is not known, as in games from outside."""
    view = decision.observation
    assert isinstance(view, View)
    task: Household = decision.rules  # type: ignore[assignment]
    if not task.files:
        return None
    return view.options[int(decision.draws.uniform("option") * len(view.options))] if view.options else "look"
