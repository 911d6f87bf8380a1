"""Strategies for the shared resource.

The restrained, the reciprocal and the stripping types are those of the literature on common-pool resources
(E. Ostrom, R. Gardner and J. Walker, *Rules, Games, and Common-Pool Resources*, 1994).
"""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.games.commons import HIGH, LOW, MEDIUM, View
from equipoise.opponents.base import Classifier, MemoryOne, Strategy, certain
from equipoise.types import Action

__all__ = ["STRATEGIES", "requests"]

SCARCE = 6
LATE = 3


def requests(amount: str, name: str, source: str) -> Strategy:
    """Request the same amount every round."""
    return MemoryOne(name, Classifier(memory_depth=0), source, act=lambda memory, view: certain(amount))


def _mindful(memory: None, view: View) -> Mapping[Action, float]:
    return certain(LOW if view.stock <= SCARCE else MEDIUM)


def _grabs_late(memory: None, view: View) -> Mapping[Action, float]:
    return certain(HIGH if view.round >= view.rounds - LATE else MEDIUM)


_LIST: tuple[Strategy, ...] = (
    requests(MEDIUM, "medium", "train pool: one unit more than both can take for long"),
    MemoryOne(
        "scarcity_aware",
        Classifier(memory_depth=0),
        f"train pool: LOW at a stock of {SCARCE} or less, else MEDIUM",
        act=_mindful,
    ),
    MemoryOne(
        "reciprocal",
        Classifier(memory_depth=1),
        "train pool, after Ostrom's conditional co-operators: MEDIUM first, then HIGH against HIGH, else LOW",
        act=lambda amount, view: certain(amount),
        first=MEDIUM,
        learn=lambda amount, seen: HIGH if seen.other == HIGH else LOW,
    ),
    requests(HIGH, "high", "exploiter and collusive pool: strips the stock"),
    MemoryOne(
        "late_grabber",
        Classifier(memory_depth=0, uses_horizon=True),
        f"exploiter pool: MEDIUM, and HIGH in the last {LATE} rounds",
        act=_grabs_late,
    ),
    requests(LOW, "low", "shift pool: what the stock bears"),
)

STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in _LIST}
"""All strategies of the game by name (``random`` is added by the registry)."""
