"""Teachers for the negotiation over several items.

The paper names them and leaves their roundings open; these are ours. With a pool of p units of an item that
is worth v to the teacher, out of the ten that its values sum to:

- ``proportional`` demands p·v/10, the item's share of the worth of ten, rounded to the nearest whole number,
  halves up. Where that is nothing of any item, it demands one unit of its most valued item.
- ``conservative`` demands four fifths of that share, 0.8·p·v/10, rounded alike and once, with the same
  exception.
- ``adaptive`` opens as ``proportional``. After a deal it repeats its last demand; after a breakdown it
  demands one unit less of the least valued item that it demanded, but never gives up its last unit.
- ``defensive`` opens with half of every item, rounded down. Then it demands what the mean of the other's
  demands so far leaves, p minus the mean, rounded down, so that it fits beside that mean.

Ties, for the most and for the least valued item, go to the first item.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from equipoise.games.multi_issue import ITEMS, TOTAL, Bundle, Seen, View
from equipoise.opponents.base import Classifier, MemoryOne, certain
from equipoise.training.teachers.base import PAPER, Info, Teacher
from equipoise.types import Action

__all__ = ["OPPONENTS", "TEACHERS"]

_Sums = tuple[int, int, int, int]
"""The units of each item that the other demanded so far in all, and in how many rounds."""
_ONE = {"books": "book", "hats": "hat", "balls": "ball"}


@cache
def _share(tenths: int, pool: Bundle, values: Bundle) -> Bundle:
    """Return ``tenths`` tenths of each item's share of the worth of ten, rounded, halves up."""
    whole = 10 * TOTAL
    pairs = zip(pool, values, strict=True)
    found = [(2 * tenths * units * value + whole) // (2 * whole) for units, value in pairs]
    if not any(found):
        found[values.index(max(values))] = 1
    return found[0], found[1], found[2]


@cache
def _given_up(values: Bundle, demand: Bundle) -> int | None:
    """Return the least valued item of a demand, or None where one unit is all that it holds."""
    if sum(demand) <= 1:
        return None
    return min((item for item in range(len(ITEMS)) if demand[item]), key=lambda item: (values[item], item))


def _broke(pool: Bundle, own: Bundle, other: Bundle) -> bool:
    return any(a + b > units for a, b, units in zip(own, other, pool, strict=True))


def _proportional(memory: None, view: View) -> Mapping[Action, float]:
    return certain(_share(10, view.pool, view.values))


def _conservative(memory: None, view: View) -> Mapping[Action, float]:
    return certain(_share(8, view.pool, view.values))


def _adaptive(last: Seen | None, view: View) -> Mapping[Action, float]:
    if last is None:
        return _proportional(None, view)
    item = _given_up(view.values, last.own) if _broke(view.pool, last.own, last.other) else None
    return certain(tuple(units - (index == item) for index, units in enumerate(last.own)))


def _defensive(sums: _Sums, view: View) -> Mapping[Action, float]:
    *asked, rounds = sums
    if not rounds:
        return certain(tuple(units // 2 for units in view.pool))
    return certain(tuple(units - -(-total // rounds) for units, total in zip(view.pool, asked, strict=True)))


def _adds(sums: _Sums, seen: Seen) -> _Sums:
    a, b, c = seen.other
    return sums[0] + a, sums[1] + b, sums[2] + c, sums[3] + 1


def _words(bundle: tuple[int, ...]) -> str:
    return " ".join(map(str, bundle))


def _shares(info: Info) -> str:
    return f"the units in the pool {_words(info['pool'])} times my values {_words(info['values'])} over ten"


def _why_share(info: Info, action: Action) -> str:
    if _is_nothing(info, 10):
        return f"To the nearest unit, {_shares(info)} is nothing, so I demand one unit of my best item."
    return f"Of each item I demand {_shares(info)}, rounded."


def _why_less(info: Info, action: Action) -> str:
    if _is_nothing(info, 8):
        shares = f"four fifths of {_shares(info)}"
        return f"To the nearest unit, {shares} is nothing, so I demand one unit of my best item."
    return f"Of each item I demand four fifths of {_shares(info)}, rounded."


def _is_nothing(info: Info, tenths: int) -> bool:
    """Tell whether the shares round to nothing."""
    pairs = zip(info["pool"], info["values"], strict=True)
    return all(2 * tenths * units * value < 10 * TOTAL for units, value in pairs)


def _why_adaptive(info: Info, action: Action) -> str:
    if not info["own"]:
        return _why_share(info, action)
    own, other = info["own"][-1], info["other"][-1]
    if not _broke(info["pool"], own, other):
        return "The last round ended with a deal, and I demand the same again."
    item = _given_up(info["values"], own)
    if item is None:
        return "The last round ended without a deal, but I keep my last unit."
    return f"The last round ended without a deal, so I demand one {_ONE[ITEMS[item]]} less."


def _why_defensive(info: Info, action: Action) -> str:
    other = info["other"]
    if not other:
        return "No round has been played yet, so I demand half of every item, rounded down."
    sums, pool = _words(tuple(map(sum, zip(*other, strict=True)))), _words(info["pool"])
    demands = f"{len(other)} demands so far sum" if len(other) > 1 else "only demand so far comes"
    return f"The other player's {demands} to {sums}, and I demand what their mean leaves of the pool {pool}."


TEACHERS = (
    Teacher(
        MemoryOne(
            "proportional",
            Classifier(memory_depth=0, knows_private=True),
            f"{PAPER}: each item's share of the worth of ten",
            act=_proportional,
        ),
        _why_share,
        0.35,
        balanced=True,
    ),
    Teacher(
        MemoryOne(
            "conservative",
            Classifier(memory_depth=0, knows_private=True),
            f"{PAPER}: four fifths of each item's share of the worth of ten",
            act=_conservative,
        ),
        _why_less,
        0.25,
        balanced=True,
    ),
    Teacher(
        MemoryOne(
            "adaptive",
            Classifier(memory_depth=1, knows_private=True),
            f"{PAPER}: proportional first, then a unit less of the least valued item after each breakdown",
            act=_adaptive,
            learn=lambda last, seen: seen,
        ),
        _why_adaptive,
        0.25,
        balanced=True,
    ),
    Teacher(
        MemoryOne(
            "defensive",
            Classifier(memory_depth=None),
            f"{PAPER}: what the mean of the other's demands leaves; opens with half",
            act=_defensive,
            first=(0, 0, 0, 0),
            learn=_adds,
        ),
        _why_defensive,
        0.15,
        balanced=True,
    ),
)

OPPONENTS = ("fair", "tit_for_tat", "concede", "greedy", "hardball")
"""Whom the paper's teachers meet."""
