"""Strategies for the iterated prisoner's dilemma.

Names and behaviour follow the literature: R. Axelrod, *The Evolution of Cooperation* (1984) for tit for
tat, grim trigger (Friedman) and the unconditional strategies; M. A. Nowak and K. Sigmund, *A strategy of
win-stay, lose-shift that outperforms tit-for-tat*, Nature 364 (1993) for Pavlov; Nowak and Sigmund,
*Tit for tat in heterogeneous populations*, Nature 355 (1992) for generous tit for tat.
"""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.errors import RequestError
from equipoise.games.ipd import COOPERATE, DEFECT, Seen, View
from equipoise.opponents.base import Classifier, MemoryOne, Strategy, certain
from equipoise.types import Action

__all__ = ["STRATEGIES", "forgiving", "random_cooperator"]

_C, _D = certain(COOPERATE), certain(DEFECT)
AXELROD = "Axelrod 1984"


def _check(rate: float) -> None:
    if not 0.0 <= rate <= 1.0:
        raise RequestError(f"rate {rate!r} is no probability: choose one from 0 to 1")


def _mix(cooperate: float) -> Mapping[Action, float]:
    return {COOPERATE: cooperate, DEFECT: 1.0 - cooperate}


def _copies(first: str, name: str, source: str) -> Strategy:
    """Play the other's last action; open with ``first``."""
    return MemoryOne(
        name,
        Classifier(memory_depth=1),
        source,
        act=lambda memory, view: certain(memory),
        first=first,
        learn=lambda memory, seen: seen.other,
    )


def forgiving(chance: float, name: str, source: str) -> Strategy:
    """Tit for tat that answers a defection with cooperation with probability ``chance``.

    Raises:
        RequestError: ``chance`` is no probability.
    """
    _check(chance)
    return MemoryOne(
        name,
        Classifier(memory_depth=1, stochastic=0.0 < chance < 1.0),
        source,
        act=lambda memory, view: _C if memory == COOPERATE else _mix(chance),
        first=COOPERATE,
        learn=lambda memory, seen: seen.other,
    )


def random_cooperator(cooperate: float, name: str, source: str) -> Strategy:
    """Cooperate with a fixed probability every round.

    Raises:
        RequestError: ``cooperate`` is no probability.
    """
    _check(cooperate)
    return MemoryOne(
        name,
        Classifier(memory_depth=0, stochastic=0.0 < cooperate < 1.0),
        source,
        act=lambda memory, view: _mix(cooperate),
    )


def _always(action: str, name: str) -> Strategy:
    return MemoryOne(name, Classifier(memory_depth=0), AXELROD, act=lambda m, v: certain(action))


def _alternates(memory: None, view: View) -> Mapping[Action, float]:
    return _D if view.round % 2 == 0 else _C


def _pavlov(memory: str, seen: Seen) -> str:
    """Keep an action that met cooperation, change one that met defection."""
    return seen.own if seen.other == COOPERATE else (DEFECT if seen.own == COOPERATE else COOPERATE)


_LIST: tuple[Strategy, ...] = (
    _copies(COOPERATE, "tit_for_tat", AXELROD + " (A. Rapoport's entry)"),
    forgiving(0.25, "generous_tit_for_tat", "Nowak and Sigmund 1992, forgiveness 1/4"),
    random_cooperator(0.5, "mixed_half", "a coin each round; SEPO paper, train pool"),
    MemoryOne(
        "grim_trigger",
        Classifier(memory_depth=None),
        AXELROD + " (J. Friedman's entry)",
        act=lambda betrayed, view: _D if betrayed else _C,
        first=False,
        learn=lambda betrayed, seen: betrayed or seen.other == DEFECT,
    ),
    _always(DEFECT, "always_defect"),
    MemoryOne(
        "alternating_defect",
        Classifier(memory_depth=0, uses_horizon=True),
        "SEPO paper, exploiter pool: defects in the 1st, 3rd, 5th … round",
        act=_alternates,
    ),
    _always(COOPERATE, "always_cooperate"),
    _copies(DEFECT, "suspicious_tit_for_tat", "tit for tat that opens with a defection"),
    MemoryOne(
        "pavlov",
        Classifier(memory_depth=1),
        "Nowak and Sigmund 1993 (win-stay, lose-shift)",
        act=lambda memory, view: certain(memory),
        first=COOPERATE,
        learn=_pavlov,
    ),
    MemoryOne(
        "tit_for_two_tats",
        Classifier(memory_depth=2),
        AXELROD + ": defects after two defections in a row",
        act=lambda streak, view: _D if streak >= 2 else _C,
        first=0,
        learn=lambda streak, seen: min(2, streak + 1) if seen.other == DEFECT else 0,
    ),
    random_cooperator(0.75, "random_75", "cooperates with probability 3/4"),
)

STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in _LIST}
"""All strategies of the game by name (``random`` is added by the registry)."""
