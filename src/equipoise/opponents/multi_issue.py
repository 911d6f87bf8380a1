"""Strategies for the negotiation over several items.

The pools are those of the SEPO paper (arXiv 2605.30854), written for any pool of items.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from equipoise.games.multi_issue import Bundle, Seen, View
from equipoise.opponents.base import Classifier, MemoryOne, Strategy, certain
from equipoise.types import Action

__all__ = ["STRATEGIES"]

PAPER = "SEPO paper"
TOTAL = 10
Answer = Mapping[Action, float]


# Answers are computed once for every pool (and values): exact work asks for each of them many times.


@cache
def _share(numerator: int, denominator: int, pool: Bundle) -> Answer:
    """Demand a share of every item, rounded down."""
    return certain(tuple(numerator * units // denominator for units in pool))


@cache
def _all_but(fewer: int, pool: Bundle) -> Answer:
    """Demand all of every item but a few units."""
    return certain(tuple(max(0, units - fewer) for units in pool))


@cache
def _by_worth(pool: Bundle, values: Bundle) -> Answer:
    """Demand one unit more than each item's share of the worth of ten, within the pool."""
    pairs = zip(pool, values, strict=True)
    return certain(tuple(min(units, units * value // TOTAL + 1) for units, value in pairs))


@cache
def _special(pool: Bundle, values: Bundle) -> Answer:
    """Demand all of the most valued item, none of the least, half of the third; ties go to the first."""
    items = range(len(pool))
    most = max(items, key=lambda item: (values[item], -item))
    least = min((item for item in items if item != most), key=lambda item: (values[item], item))
    taken = {most: pool[most], least: 0}
    return certain(tuple(taken.get(item, pool[item] // 2) for item in items))


def _last_demand(last: Bundle | None, seen: Seen) -> Bundle:
    return seen.other


def _copies(last: Bundle | None, view: View) -> Answer:
    return _share(2, 3, view.pool) if last is None else certain(last)


def _leaves(last: Bundle | None, view: View) -> Answer:
    if last is None:
        return _share(1, 2, view.pool)
    return certain(tuple(units - asked for units, asked in zip(view.pool, last, strict=True)))


_LIST: tuple[Strategy, ...] = (
    MemoryOne(
        "fair",
        Classifier(memory_depth=0),
        f"{PAPER}, train and collusive pool: half of every item",
        act=lambda memory, view: _share(1, 2, view.pool),
    ),
    MemoryOne(
        "tit_for_tat",
        Classifier(memory_depth=1),
        f"{PAPER}, train pool: the counts that the other demanded; opens with two thirds",
        act=_copies,
        learn=_last_demand,
    ),
    MemoryOne(
        "concede",
        Classifier(memory_depth=0, uses_horizon=True),
        f"{PAPER}, train pool: all, then a unit less of each, then two units less",
        act=lambda memory, view: _all_but(min(view.round, 2), view.pool),
    ),
    MemoryOne(
        "greedy",
        Classifier(memory_depth=0, knows_private=True),
        f"{PAPER}, exploiter pool: a unit beyond each item's share of the worth",
        act=lambda memory, view: _by_worth(view.pool, view.values),
    ),
    MemoryOne(
        "hardball",
        Classifier(memory_depth=0),
        f"{PAPER}, exploiter pool: all but a unit of each item",
        act=lambda memory, view: _all_but(1, view.pool),
    ),
    MemoryOne(
        "residual",
        Classifier(memory_depth=1),
        "shift pool: what the other's last demand left; opens with half",
        act=_leaves,
        learn=_last_demand,
    ),
    MemoryOne(
        "specialist",
        Classifier(memory_depth=0, knows_private=True),
        "shift pool: all of the most valued item, none of the least valued, half of the third",
        act=lambda memory, view: _special(view.pool, view.values),
    ),
)

STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in _LIST}
"""All strategies of the game by name (``random`` is added by the registry)."""
