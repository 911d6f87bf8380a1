"""Teachers for the iterated prisoner's dilemma: strategies of Axelrod's tournaments (opponents/ipd.py)."""

from __future__ import annotations

from equipoise.games.ipd import COOPERATE, DEFECT
from equipoise.opponents.ipd import STRATEGIES
from equipoise.training.teachers.base import Info, Teacher, at_random
from equipoise.types import Action

__all__ = ["OPPONENTS", "TEACHERS"]

_DID = {COOPERATE: "cooperated", DEFECT: "defected"}
_OPENS = "No round has been played yet, and I begin with cooperation."


def _copies(info: Info, action: Action) -> str:
    if not info["other"]:
        return _OPENS
    return f"The other player {_DID[info['other'][-1]]} in the last round, and I do the same."


def _forgives(info: Info, action: Action) -> str:
    if not info["other"] or info["other"][-1] == COOPERATE:
        return _copies(info, action)
    does = "I do" if action == COOPERATE else "I do not"
    return f"The other player defected in the last round, which I forgive one time in four; this time {does}."


def _never_forgives(info: Info, action: Action) -> str:
    other = info["other"]
    if DEFECT in other:
        first = other.index(DEFECT) + 1
        return f"The other player defected in round {first}, and I do not cooperate after that."
    if not other:
        return _OPENS
    so_far = f"all {len(other)} rounds" if len(other) > 1 else "the only round"
    return f"The other player cooperated in {so_far} so far."


def _always(info: Info, action: Action) -> str:
    does = "cooperate" if action == COOPERATE else "defect"
    return f"I {does} in every round, whatever the other player does."


TEACHERS = (
    Teacher(STRATEGIES["tit_for_tat"], _copies, 0.33, balanced=True),
    Teacher(STRATEGIES["always_defect"], _always, 0.27),
    Teacher(STRATEGIES["grim_trigger"], _never_forgives, 0.22, balanced=True),
    Teacher(STRATEGIES["always_cooperate"], _always, 0.05, balanced=True),
    Teacher(STRATEGIES["generous_tit_for_tat"], _forgives, 0.05, balanced=True),
    at_random(0.08),
)

OPPONENTS = ("always_cooperate", "always_defect", "tit_for_tat", "generous_tit_for_tat", "grim_trigger")
"""Whom the paper's teachers meet."""
