"""Teachers for the negotiation over one pie."""

from __future__ import annotations

from equipoise.games.split import GREEDY, PIE, Seen
from equipoise.opponents.base import Classifier, MemoryOne, certain
from equipoise.opponents.split import STRATEGIES
from equipoise.training.teachers.base import PAPER, Info, Teacher
from equipoise.types import Action

__all__ = ["OPPONENTS", "TEACHERS"]

_FIRM, _LEAST = 6, 3


def _gives_way(memory: int, seen: Seen) -> int:
    """Demand one less after a round without a deal, down to the least."""
    return max(_LEAST, memory - 1) if seen.own + seen.other > PIE else memory


def _why_fair(info: Info, action: Action) -> str:
    return f"Half of {PIE} is {PIE // 2}, and I demand no more."


def _why_yields(info: Info, action: Action) -> str:
    if not info["other"]:
        return f"No round has been played yet, so I demand {action}."
    last = info["other"][-1]
    size = f"{GREEDY} or more" if last >= GREEDY else f"less than {GREEDY}"
    return f"The other player demanded {last} in the last round, {size}, so I demand {action}."


def _why_concedes(info: Info, action: Action) -> str:
    rounds = len(info["own"])
    if not rounds:
        return f"No round has been played yet, so I demand {action}."
    failed = sum(own + other > PIE for own, other in zip(info["own"], info["other"], strict=True))
    if rounds == 1:
        return f"The only round so far ended {'without' if failed else 'with'} a deal, so I demand {action}."
    return f"Of the {rounds} rounds so far {failed} ended without a deal, so I demand {action}."


def _why_complement(info: Info, action: Action) -> str:
    if not info["other"]:
        return f"No round has been played yet, so I demand {action}."
    return f"The other player demanded {info['other'][-1]} in the last round, which leaves {action}."


def _why_random(info: Info, action: Action) -> str:
    return "I choose at random among the demands from 3 to 7."


TEACHERS = (
    Teacher(STRATEGIES["fair"], _why_fair, 0.32, balanced=True),
    Teacher(
        MemoryOne(
            "balanced_yielding",
            Classifier(memory_depth=1),
            f"{PAPER}: {_FIRM}, but {_LEAST} in a round after the other demanded {GREEDY} or more",
            act=lambda demand, view: certain(demand),
            first=_FIRM,
            learn=lambda demand, seen: _LEAST if seen.other >= GREEDY else _FIRM,
        ),
        _why_yields,
        0.27,
        balanced=True,
    ),
    Teacher(
        MemoryOne(
            "conceding",
            Classifier(memory_depth=None),
            f"{PAPER}: {_FIRM}, one less for every round so far without a deal, never less than {_LEAST}",
            act=lambda demand, view: certain(demand),
            first=_FIRM,
            learn=_gives_way,
        ),
        _why_concedes,
        0.18,
        balanced=True,
    ),
    Teacher(STRATEGIES["complement"], _why_complement, 0.15),
    Teacher(STRATEGIES["random_3_7"], _why_random, 0.08),
)

OPPONENTS = ("selfish", "fair", "balanced")
"""Whom the paper's teachers meet."""
