"""Teachers for the shared resource, which is not a game of the paper: all are ours.

Restraint that others' restraint is answered with is the conditional co-operation of E. Ostrom, R. Gardner and
J. Walker, *Rules, Games, and Common-Pool Resources* (1994).
"""

from __future__ import annotations

from equipoise.games.commons import HIGH, LOW, MEDIUM
from equipoise.opponents.base import Classifier, MemoryOne, certain
from equipoise.opponents.commons import SCARCE, STRATEGIES
from equipoise.training.teachers.base import Info, Teacher
from equipoise.types import Action

__all__ = ["OPPONENTS", "TEACHERS"]


def _why_medium(info: Info, action: Action) -> str:
    return f"I request {action} in every round."


def _why_scarcity(info: Info, action: Action) -> str:
    size = f"{SCARCE} or less" if info["stock"] <= SCARCE else f"more than {SCARCE}"
    return f"The stock is {info['stock']}, {size}, so I request {action}."


def _why_restrained(info: Info, action: Action) -> str:
    if not info["other"]:
        return f"No round has been played yet, and I begin with {action}."
    last = info["other"][-1]
    does = f"I go up to {MEDIUM}, no further" if last == HIGH else "I do the same"
    return f"The other player requested {last} in the last round, and {does}."


TEACHERS = (
    Teacher(STRATEGIES["medium"], _why_medium, balanced=True),
    Teacher(STRATEGIES["scarcity_aware"], _why_scarcity, balanced=True),
    Teacher(
        MemoryOne(
            "restrained_reciprocal",
            Classifier(memory_depth=1),
            "LOW first, then what the other requested last, but never more than MEDIUM; after Ostrom's "
            "conditional co-operators",
            act=lambda amount, view: certain(amount),
            first=LOW,
            learn=lambda amount, seen: MEDIUM if seen.other == HIGH else seen.other,
        ),
        _why_restrained,
        balanced=True,
    ),
)

OPPONENTS: tuple[str, ...] = ()
"""The paper has no such game."""
