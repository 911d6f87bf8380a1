"""Strategies for Kuhn poker, given by betting probabilities at the twelve information states.

The Nash family is that of H. W. Kuhn, *A simplified two-person poker* (1950): the opener bluffs the jack
with α in [0, 1/3], bets the king with 3α and calls with the queen with α + 1/3; here α = 1/3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from equipoise.errors import RequestError
from equipoise.games.kuhn import BET, CALL, CARDS, FOLD, PASS, View
from equipoise.opponents.base import Classifier, Strategy
from equipoise.types import Action

__all__ = ["STRATEGIES", "Rates", "nash"]

Cards = tuple[float, float, float]


@dataclass(frozen=True)
class Rates(Strategy):
    """A strategy by rates, each for J, Q and K.

    Attributes:
        name: Its name.
        open: Probability to bet as opener.
        second: Probability to bet after the opener passed.
        call_first: Probability that the opener calls after passing.
        call_second: Probability to call the opener's bet.
        source: Where it comes from.
    """

    name: str
    open: Cards
    second: Cards
    call_first: Cards
    call_second: Cards
    source: str

    @property
    def classifier(self) -> Classifier:  # type: ignore[override]
        """Memoryless; stochastic if a rate is not 0 or 1; uses its card if a rate depends on it."""
        rates = (*self.open, *self.second, *self.call_first, *self.call_second)
        mixed = any(rate not in (0.0, 1.0) for rate in rates)
        tells = any(len(set(row)) > 1 for row in (self.open, self.second, self.call_first, self.call_second))
        return Classifier(memory_depth=0, stochastic=mixed, knows_private=tells)

    def probabilities(
        self, memory: None, observation: View, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        """Return the rates for the card and bets seen."""
        row = {"": self.open, "p": self.second, "pb": self.call_first, "b": self.call_second}
        rate = row[observation.bets][CARDS.index(observation.card)]
        yes, no = (CALL, FOLD) if observation.bets.endswith("b") else (BET, PASS)
        return {yes: rate, no: 1.0 - rate}


def nash(alpha: float = 1.0 / 3.0, name: str = "nash") -> Rates:
    """Return the equilibrium of Kuhn's family with bluffing rate ``alpha``.

    Raises:
        RequestError: ``alpha`` is outside [0, 1/3].
    """
    if not 0.0 <= alpha <= 1.0 / 3.0:
        raise RequestError(f"alpha = {alpha!r}: Kuhn's family has bluffing rates from 0 to 1/3")
    return Rates(
        name,
        open=(alpha, 0.0, 3.0 * alpha),
        second=(1.0 / 3.0, 0.0, 1.0),
        call_first=(0.0, alpha + 1.0 / 3.0, 1.0),
        call_second=(0.0, 1.0 / 3.0, 1.0),
        source=f"Kuhn 1950, α = {alpha:.3g}",
    )


def _simple(name: str, bets: Cards, calls: Cards, source: str) -> Rates:
    """Return a strategy that bets and calls alike in both positions."""
    return Rates(name, bets, bets, calls, calls, source)


_NEVER, _KING, _TOP_TWO, _ANY = (0.0,) * 3, (0.0, 0.0, 1.0), (0.0, 1.0, 1.0), (1.0,) * 3

_LIST = (
    nash(),
    _simple("tight_passive", _KING, _KING, "bets and calls only the king"),
    _simple("loose_aggressive", _TOP_TWO, _TOP_TWO, "bets and calls king and queen"),
    _simple("max_exploiter", _TOP_TWO, _KING, "bets king and queen, calls only the king"),
    _simple("always_bet", _ANY, _ANY, "bets and calls everything"),
    _simple("always_pass", _NEVER, _NEVER, "passes and folds everything"),
)

STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in _LIST}
"""All strategies of the game by name (``random`` is added by the registry)."""
