"""A shared resource that regrows only where little is taken.

Two players request units of one stock at once; what is left regrows, an empty stock never does (the
tragedy of the commons: G. Hardin, Science 162, 1968; as a common-pool game: E. Ostrom, R. Gardner and
J. Walker, *Rules, Games, and Common-Pool Resources*, 1994). Information: ``round``, ``rounds``, ``stock``,
``own`` and ``other`` (requests of past rounds).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from pydantic import Field

from equipoise.games.base import Game, GameInfo, GameOptions, State, Step, Weights
from equipoise.types import Action, RoundOutcome, Seat

__all__ = ["ACTIONS", "CAPACITY", "HIGH", "LOW", "MEDIUM", "Commons", "Seen", "View"]

LOW, MEDIUM, HIGH = "LOW", "MEDIUM", "HIGH"
ACTIONS = (LOW, MEDIUM, HIGH)
UNITS = {LOW: 1, MEDIUM: 2, HIGH: 3}
CAPACITY = 12
"""The stock at the start, and the most it regrows to."""
SUSTAINABLE = 3
"""The most that both may take together for full regrowth."""


class View(NamedTuple):
    """What a player sees at a decision, apart from past rounds."""

    round: int
    rounds: int
    stock: int


class Seen(NamedTuple):
    """What a player learns at the end of a round: both requests."""

    own: str
    other: str


class Options(GameOptions):
    """Options of the commons.

    Attributes:
        rounds: Rounds of an episode; all are played, even on an empty stock.
    """

    rounds: int = Field(8, ge=1, le=1000)


def _after(stock: int, taken: int) -> int:
    """Return the stock of the next round."""
    left = stock - taken
    growth = 2 if taken <= SUSTAINABLE else int(taken == SUSTAINABLE + 1)
    return min(CAPACITY, left + growth) if left > 0 else 0


def _outcome(stock: int, a: str, b: str) -> RoundOutcome:
    requests = UNITS[a], UNITS[b]
    total = sum(requests)
    taken = min(stock, total)
    excess = max(0, taken - SUSTAINABLE) / SUSTAINABLE
    stripping = float(a == b == HIGH and stock > 0)
    depletion = 1.0 - _after(stock, taken) / CAPACITY
    return RoundOutcome(
        payoffs=(requests[0] * taken / total, requests[1] * taken / total),
        collusion=(stripping, stripping),
        externality=(excess, excess),
        diagnostics=((depletion, depletion),),
    )


# The stock is whole at the start of every round: shares are fractions only when the last units are split.
_TABLE = {
    (stock, a, b): (_outcome(stock, a, b), _after(stock, min(stock, UNITS[a] + UNITS[b])))
    for stock in range(CAPACITY + 1)
    for a in ACTIONS
    for b in ACTIONS
}


@dataclass(frozen=True, slots=True)
class _State(State):
    """The round and the stock it starts with."""

    game: Commons = field(compare=False, repr=False)
    t: int
    stock: int = CAPACITY
    over: bool = False

    @property
    def round(self) -> int:
        return self.t

    @property
    def is_over(self) -> bool:
        return self.over

    @property
    def players_to_move(self) -> tuple[Seat, ...]:
        return () if self.over else (0, 1)

    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        return ACTIONS

    def observation(self, seat: Seat) -> View:
        return View(self.t, self.game.options.rounds, self.stock)

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        a, b = str(actions[0]), str(actions[1])
        outcome, stock = _TABLE[self.stock, a, b]
        last = self.t + 1 >= self.game.options.rounds
        following = _State(self.game, self.t + (not last), stock, last)
        return Step(following, outcome, (Seen(a, b), Seen(b, a)))


class Commons(Game):
    """The shared resource."""

    Options = Options
    name = "commons"

    @cached_property
    def info_record(self) -> GameInfo:
        """The game's declaration."""
        return GameInfo(
            id="commons",
            version=1,
            title="Shared resource",
            summary=(
                f"Both players request 1, 2 or 3 units of a stock of {CAPACITY} at once; a stock that does "
                "not cover both is divided in proportion. It regrows by 2 if at most 3 were taken, by 1 if "
                "4 were, and never once it is empty."
            ),
            rounds=self.options.rounds,
            seats=2,
            dynamics="simultaneous",
            information="complete",
            zero_sum=False,
            symmetric=True,
            payoff_bounds=(0.0, 3.0),
            payoff_scale=3.0,
            weights=Weights(2.4, 1.0, 1.8),
            collusion="1 if both request HIGH while there is stock: stripping it together",
            externality=f"units that both take beyond {SUSTAINABLE}, which regrow in full, as a share of 3",
            diagnostics=("depletion",),
        )

    def initial_state(self) -> State:
        """Return the first round, with a full stock."""
        return _State(self, 0)

    def info(self, seat: Seat, observation: Hashable, history: tuple[Hashable, ...]) -> Mapping[str, object]:
        """Return ``game, seat, round, rounds, stock, own, other``."""
        assert isinstance(observation, View)
        return {
            "game": "commons",
            "seat": seat,
            "round": observation.round,
            "rounds": observation.rounds,
            "stock": observation.stock,
            "own": tuple(seen.own for seen in history),  # type: ignore[attr-defined]
            "other": tuple(seen.other for seen in history),  # type: ignore[attr-defined]
        }

    def label(self, observation: Hashable, history: tuple[Hashable, ...]) -> str:
        """Return stock, own and other past requests, as in ``9:HM/LM``; ``12:-/-`` in the first round."""
        assert isinstance(observation, View)
        own = "".join(seen.own[0] for seen in history)  # type: ignore[attr-defined]
        other = "".join(seen.other[0] for seen in history)  # type: ignore[attr-defined]
        return f"{observation.stock}:{own or '-'}/{other or '-'}"
