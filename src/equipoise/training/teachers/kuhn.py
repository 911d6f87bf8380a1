"""Teachers for Kuhn poker, given by betting rates like the opponents (opponents/kuhn.py)."""

from __future__ import annotations

from equipoise.games.kuhn import BET, CALL, CARDS
from equipoise.opponents.kuhn import Cards, Rates
from equipoise.training.teachers.base import PAPER, Info, Teacher, Why, at_random
from equipoise.types import Action

__all__ = ["OPPONENTS", "TEACHERS"]

_THIRD = 1.0 / 3.0
_OFTEN = {_THIRD: "one time in three", 0.2: "one time in five"}
_KING: Cards = (0.0, 0.0, 1.0)


def _rate(rates: Rates, info: Info) -> float:
    """Return how often a strategy bets or calls at an information state."""
    rows = {"": rates.open, "p": rates.second, "pb": rates.call_first, "b": rates.call_second}
    return rows[info["bets"]][CARDS.index(info["card"])]


def _why(rates: Rates) -> Why:
    """Return the reasons of a strategy: its rate with this card, and what came of it."""

    def why(info: Info, action: Action) -> str:
        card, rate = info["card"], _rate(rates, info)
        move = "call a bet with it" if info["bets"].endswith("b") else "bet it"
        if rate in (0.0, 1.0):
            often = "always" if rate else "never"
            return f"I hold {card}, and I {often} {move} here."
        does = "I do" if action in (BET, CALL) else "I do not"
        return f"I hold {card}, and I {move} {_OFTEN[rate]} here; this time {does}."

    return why


def _teacher(weight: float, name: str, bets: Cards, calls: Cards, source: str) -> Teacher:
    """Return a teacher that bets and calls alike in both positions."""
    rates = Rates(
        name, open=bets, second=bets, call_first=calls, call_second=calls, source=f"{PAPER}: {source}"
    )
    return Teacher(rates, _why(rates), weight, balanced=True)


_BLUFFS: Cards = (_THIRD, 0.0, 1.0)

TEACHERS = (
    _teacher(
        0.45,
        "nash_like",
        _BLUFFS,
        (0.0, _THIRD, 1.0),
        "Nash-like, the queen called with 1/3 in both positions",
    ),
    _teacher(0.25, "tight_value", _KING, _KING, "bets and calls for value only, with the king"),
    _teacher(0.20, "pot_control", (0.2, 0.0, 1.0), _KING, "the jack bluffs with 0.2, only the king calls"),
    at_random(0.08),
    _teacher(0.02, "passive_queen", _BLUFFS, _KING, "the queen always passes"),
)

OPPONENTS = ("nash", "tight_passive", "loose_aggressive", "always_bet")
"""Whom the paper's teachers meet, but for ``always_pass``, which is held out here."""
