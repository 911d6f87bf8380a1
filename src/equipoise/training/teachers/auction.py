"""Teachers for the repeated first-price auction.

All bid below their value, so none of them ever loses a point; the equilibrium of two bidders, half the
value, is W. Vickrey's (Journal of Finance 16, 1961).
"""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.games.auction import PRICE, VALUES, Seen, View
from equipoise.opponents.base import Classifier, MemoryOne, certain
from equipoise.training.teachers.base import PAPER, Info, Teacher, at_random
from equipoise.types import Action

__all__ = ["OPPONENTS", "TEACHERS"]

_WORD = {price: word for word, price in PRICE.items()}
_LOW_VALUE = VALUES[0]
_Bids = tuple[int, int]
"""The sum of the other's bids so far, and their number."""


def _half(memory: None, view: View) -> Mapping[Action, float]:
    return certain(_WORD[view.value // 2])


def _one_less(memory: None, view: View) -> Mapping[Action, float]:
    return certain(_WORD[view.value - 1])


def _high_mean(total: int, count: int) -> bool:
    """Tell whether bids average 2.5 or more, in whole numbers; no bid yet is not high."""
    return count > 0 and 2 * total >= 5 * count


def _answers_mean(bids: _Bids, view: View) -> Mapping[Action, float]:
    if view.value == _LOW_VALUE:
        return certain(_WORD[1])
    return certain(_WORD[3 if _high_mean(*bids) else 2])


def _adds(bids: _Bids, seen: Seen) -> _Bids:
    return bids[0] + PRICE[seen.other], bids[1] + 1


def _why_half(info: Info, action: Action) -> str:
    return f"My value is {info['value']}, and I bid half of it."


def _why_one_less(info: Info, action: Action) -> str:
    return f"My value is {info['value']}, and I bid one less, which earns 1 if it wins."


def _why_mean(info: Info, action: Action) -> str:
    if info["value"] == _LOW_VALUE:
        return f"My value is {_LOW_VALUE}, so I bid 1, whatever the other player does."
    prices = [PRICE[bid] for bid in info["other_bids"]]
    if not prices:
        return f"No bid of the other player is known yet, so I bid {PRICE[str(action)]}."
    total, count = sum(prices), len(prices)
    bids = f"{count} bids so far sum" if count > 1 else "only bid so far comes"
    mean = "at least" if _high_mean(total, count) else "less than"
    return f"The other player's {bids} to {total}, {mean} 2.5 a round, so I bid {PRICE[str(action)]}."


TEACHERS = (
    Teacher(
        MemoryOne(
            "value_bid",
            Classifier(memory_depth=0, knows_private=True),
            f"{PAPER}: half the value, 1 at a value of 2 and 2 at 4",
            act=_half,
        ),
        _why_half,
        0.44,
        balanced=True,
    ),
    Teacher(
        MemoryOne(
            "aggressive_value",
            Classifier(memory_depth=0, knows_private=True),
            f"{PAPER}: one below the value, 1 at a value of 2 and 3 at 4",
            act=_one_less,
        ),
        _why_one_less,
        0.28,
        balanced=True,
    ),
    Teacher(
        MemoryOne(
            "mean_adaptive",
            Classifier(memory_depth=None, knows_private=True),
            f"{PAPER}: at a value of 4, 3 if the other's bids so far average 2.5 or more, else 2, as in the "
            "first round; 1 at a value of 2",
            act=_answers_mean,
            first=(0, 0),
            learn=_adds,
        ),
        _why_mean,
        0.20,
        balanced=True,
    ),
    at_random(0.08),
)

OPPONENTS = ("aggressive", "shaded", "conservative")
"""Whom the paper's teachers meet."""
