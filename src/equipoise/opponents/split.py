"""Strategies for the negotiation over one pie.

The pools are those of the SEPO paper (arXiv 2605.30854). That an equal split is what both sides expect is
the focal point of T. C. Schelling, *The Strategy of Conflict* (1960).
"""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.games.split import PIE, Seen
from equipoise.opponents.base import Classifier, MemoryOne, Strategy, certain
from equipoise.types import Action

__all__ = ["STRATEGIES", "demands"]

PAPER = "SEPO paper"


def demands(share: int, name: str, source: str) -> Strategy:
    """Demand the same share every round."""
    return MemoryOne(name, Classifier(memory_depth=0), source, act=lambda memory, view: certain(share))


def _broke(memory: bool, seen: Seen) -> bool:
    return seen.own + seen.other > PIE


_MIDDLE: Mapping[Action, float] = dict.fromkeys(range(3, 8), 0.2)

_LIST: tuple[Strategy, ...] = (
    demands(5, "fair", "the equal split; Schelling 1960"),
    demands(6, "balanced", f"{PAPER}, train pool"),
    MemoryOne(
        "concede",
        Classifier(memory_depth=1),
        f"{PAPER}, train pool: 6, but 5 in a round right after a breakdown",
        act=lambda broke, view: certain(5 if broke else 6),
        first=False,
        learn=_broke,
    ),
    demands(8, "hardball", f"{PAPER}, train and exploiter pool"),
    demands(7, "selfish", f"{PAPER}, exploiter pool"),
    MemoryOne(
        "complement",
        Classifier(memory_depth=1),
        "the best reply to a repeated demand: what the other's last demand leaves; opens with 5",
        act=lambda share, view: certain(share),
        first=PIE // 2,
        learn=lambda share, seen: PIE - seen.other,
    ),
    MemoryOne(
        "random_3_7",
        Classifier(memory_depth=0, stochastic=True),
        "uniform over the demands from 3 to 7",
        act=lambda memory, view: _MIDDLE,
    ),
)

STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in _LIST}
"""All strategies of the game by name (``random`` is added by the registry)."""
