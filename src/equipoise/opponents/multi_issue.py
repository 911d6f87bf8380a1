"""Strategies for the negotiation over several items.

The pools are those of the SEPO paper (arXiv 2605.30854), written for any pool of items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from equipoise.games.multi_issue import Bundle, Seen, View
from equipoise.opponents.base import Classifier, MemoryOne, Strategy, certain
from equipoise.types import Action

__all__ = ["STRATEGIES"]

PAPER = "SEPO paper"
TOTAL = 10
_UNKNOWN = None
"""The memory before the first round, when there is no past demand to answer."""


@cache
def _half(pool: Bundle) -> Bundle:
    return (pool[0] // 2, pool[1] // 2, pool[2] // 2)


@cache
def _two_thirds(pool: Bundle) -> Bundle:
    return (2 * pool[0] // 3, 2 * pool[1] // 3, 2 * pool[2] // 3)


@cache
def _all_but(fewer: int, pool: Bundle) -> Bundle:
    return (max(0, pool[0] - fewer), max(0, pool[1] - fewer), max(0, pool[2] - fewer))


@cache
def _by_worth(pool: Bundle, values: Bundle) -> Bundle:
    """Return one unit more than each item's share of the worth of ten, within the pool."""
    a, b, c = (min(units, units * value // TOTAL + 1) for units, value in zip(pool, values, strict=True))
    return (a, b, c)


@cache
def _special(pool: Bundle, values: Bundle) -> Bundle:
    """Return all of the most valued item, none of the least, half of the third; ties go to the first."""
    items = range(len(pool))
    most = max(items, key=lambda item: (values[item], -item))
    least = min((item for item in items if item != most), key=lambda item: (values[item], item))
    taken = {most: pool[most], least: 0}
    a, b, c = (taken.get(item, pool[item] // 2) for item in items)
    return (a, b, c)


def _fixed(
    name: str,
    source: str,
    demand: Callable[[View], Bundle],
    *,
    uses_horizon: bool = False,
    knows_private: bool = False,
) -> Strategy:
    """Demand what the view says, whatever the other did."""
    kind = Classifier(0, uses_horizon=uses_horizon, knows_private=knows_private)
    return MemoryOne(name, kind, source, act=lambda memory, view: certain(demand(view)))


def _answers(
    name: str, source: str, opening: Callable[[Bundle], Bundle], reply: Callable[[Bundle, Bundle], Bundle]
) -> Strategy:
    """Reply to the other's last demand (and the pool); open with a bundle of the pool."""

    def act(last: Bundle | None, view: View) -> Mapping[Action, float]:
        return certain(opening(view.pool) if last is None else reply(view.pool, last))

    def learn(last: Any, seen: Seen) -> Bundle:
        return seen.other

    return MemoryOne(name, Classifier(memory_depth=1), source, act=act, first=_UNKNOWN, learn=learn)


_LIST: tuple[Strategy, ...] = (
    _fixed("fair", f"{PAPER}, train and collusive pool: half of every item", lambda v: _half(v.pool)),
    _answers(
        "tit_for_tat",
        f"{PAPER}, train pool: what the other demanded; opens with two thirds",
        _two_thirds,
        lambda pool, last: last,
    ),
    _fixed(
        "concede",
        f"{PAPER}, train pool: all, then a unit less of each, then two",
        lambda v: _all_but(min(v.round, 2), v.pool),
        uses_horizon=True,
    ),
    _fixed(
        "greedy",
        f"{PAPER}, exploiter pool: one unit beyond each item's share of the worth",
        lambda v: _by_worth(v.pool, v.values),
        knows_private=True,
    ),
    _fixed("hardball", f"{PAPER}, exploiter pool: all but a unit of each", lambda v: _all_but(1, v.pool)),
    _answers(
        "residual",
        "shift pool: what the other's last demand left; opens with half",
        _half,
        lambda pool, last: (pool[0] - last[0], pool[1] - last[1], pool[2] - last[2]),
    ),
    _fixed(
        "specialist",
        "shift pool: all of the most valued item, none of the least valued, half of the third",
        lambda v: _special(v.pool, v.values),
        knows_private=True,
    ),
)

STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in _LIST}
"""All strategies of the game by name (``random`` is added by the registry)."""
