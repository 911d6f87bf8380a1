"""Strategies for the repeated first-price auction.

Bidding half the value is the equilibrium of two bidders with uniform values (W. Vickrey, Journal of Finance
16, 1961); a ring's common low bid is that of R. C. Marshall and L. M. Marx, *The Economics of Collusion*
(2012). The pools are those of the SEPO paper (arXiv 2605.30854).
"""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.games.auction import ACTIONS, HIGH, LOW, MEDIUM, PRICE, View
from equipoise.opponents.base import Classifier, MemoryOne, Strategy, certain
from equipoise.types import Action

__all__ = ["STRATEGIES", "bids"]

PAPER = "SEPO paper"
LATE = 2
_WORD = {price: word for word, price in PRICE.items()}


def bids(word: str, name: str, source: str) -> Strategy:
    """Bid the same every round, whatever the value."""
    return MemoryOne(name, Classifier(memory_depth=0), source, act=lambda memory, view: certain(word))


def _bid(price: int, value: int) -> Mapping[Action, float]:
    """Bid a price, but never more than the value or the highest bid."""
    return certain(_WORD[min(price, value, PRICE[HIGH])])


def _half(memory: None, view: View) -> Mapping[Action, float]:
    return _bid(view.value // 2, view.value)


def _rational(memory: None, view: View) -> Mapping[Action, float]:
    below = [word for word in ACTIONS if PRICE[word] < view.value]
    return dict.fromkeys(below, 1.0 / len(below))


def _aggressive(memory: None, view: View) -> Mapping[Action, float]:
    return _bid(PRICE[HIGH], view.value)


def _snipes(memory: None, view: View) -> Mapping[Action, float]:
    late = view.round >= view.rounds - LATE
    return _aggressive(memory, view) if late else certain(LOW)


def _by_value(memory_depth: int = 0, stochastic: bool = False, uses_horizon: bool = False) -> Classifier:
    return Classifier(memory_depth, stochastic, uses_horizon, knows_private=True)


_LIST: tuple[Strategy, ...] = (
    MemoryOne("shaded", _by_value(), "half the value; Vickrey 1961", act=_half),
    bids(LOW, "conservative", f"{PAPER}, train pool: always LOW"),
    MemoryOne(
        "rational_random",
        _by_value(stochastic=True),
        f"{PAPER}, train pool: uniform over the bids below the value",
        act=_rational,
    ),
    MemoryOne(
        "aggressive",
        _by_value(),
        f"{PAPER}, exploiter pool: the highest bid that cannot lose money",
        act=_aggressive,
    ),
    MemoryOne(
        "adaptive",
        _by_value(memory_depth=1),
        f"{PAPER}, exploiter pool: one above the other's last bid, as far as the value goes; opens MEDIUM",
        act=lambda price, view: _bid(price, view.value),
        first=PRICE[MEDIUM],
        learn=lambda price, seen: PRICE[seen.other] + 1,
    ),
    bids(LOW, "collusive_low", "the ring's bid; Marshall and Marx 2012"),
    bids(HIGH, "always_high", "shift pool: always HIGH"),
    MemoryOne(
        "sniper",
        _by_value(uses_horizon=True),
        f"shift pool: LOW until the last {LATE} rounds, then as aggressive",
        act=_snipes,
    ),
)

STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in _LIST}
"""All strategies of the game by name (``random`` is added by the registry)."""
