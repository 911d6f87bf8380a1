"""Repeated first-price sealed-bid auction with private values.

Each round both players draw a value and bid at once; the higher bid wins and pays itself, a tie is a coin
(W. Vickrey, *Counterspeculation, auctions, and competitive sealed tenders*, Journal of Finance 16, 1961).
A value is seen by its owner only and never told. Information: ``round``, ``rounds``, ``value``, and of past
rounds ``own_values``, ``own_bids``, ``other_bids`` (words) and ``won``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from pydantic import Field

from equipoise.games.base import Game, GameInfo, GameOptions, State, Step, Weights
from equipoise.types import Action, RoundOutcome, Seat

__all__ = ["ACTIONS", "HIGH", "LOW", "MEDIUM", "PRICE", "VALUES", "Auction", "Seen", "View"]

LOW, MEDIUM, HIGH = "LOW", "MEDIUM", "HIGH"
ACTIONS = (LOW, MEDIUM, HIGH)
PRICE = {LOW: 1, MEDIUM: 2, HIGH: 3}
VALUES = (2, 4)


class View(NamedTuple):
    """What a player sees at a decision, apart from past rounds."""

    round: int
    rounds: int
    value: int


class Seen(NamedTuple):
    """What a player learns at the end of a round: both bids and who won; its own value it knew."""

    value: int
    own: str
    other: str
    won: bool


class Options(GameOptions):
    """Options of the auction.

    Attributes:
        rounds: Rounds of an episode.
    """

    rounds: int = Field(6, ge=1, le=1000)


def _outcome(values: tuple[int, ...], bids: tuple[str, ...], winner: Seat) -> RoundOutcome:
    price = PRICE[bids[winner]]
    lost = float(values[winner] < values[1 - winner])
    revenue = price / PRICE[HIGH]
    low = tuple(float(bid == LOW) for bid in bids)
    seats = (0, 1)
    return RoundOutcome(
        payoffs=tuple(float(values[s] - price) if s == winner else 0.0 for s in seats),
        collusion=tuple(float(values[s] == VALUES[1] and bids[s] == LOW) for s in seats),
        externality=tuple(float(s == winner and price >= values[s]) for s in seats),
        diagnostics=(low, (lost, lost), (revenue, revenue)),
    )


_OUTCOMES = {
    ((v0, v1), (b0, b1), winner): _outcome((v0, v1), (b0, b1), winner)
    for v0 in VALUES
    for v1 in VALUES
    for b0 in ACTIONS
    for b1 in ACTIONS
    for winner in (0, 1)
}


@dataclass(frozen=True, slots=True)
class _State(State):
    """The round, the values drawn so far by seat, and bids whose coin is still to be thrown."""

    game: Auction = field(compare=False, repr=False)
    t: int
    values: tuple[int, ...] = ()
    bids: tuple[str, ...] = ()
    over: bool = False

    @property
    def round(self) -> int:
        return self.t

    @property
    def is_over(self) -> bool:
        return self.over

    @property
    def players_to_move(self) -> tuple[Seat, ...]:
        return () if self.over or self.bids or len(self.values) < 2 else (0, 1)

    @property
    def chance(self) -> str | None:
        if self.over:
            return None
        if self.bids:
            return "tie"
        return f"value/{len(self.values)}" if len(self.values) < 2 else None

    def chance_outcomes(self) -> tuple[tuple[Hashable, float], ...]:
        if self.chance is None:
            return ()
        return tuple((outcome, 0.5) for outcome in ((0, 1) if self.bids else VALUES))

    def apply_chance(self, outcome: Hashable) -> Step:
        assert isinstance(outcome, int)
        if not self.bids:
            return Step(_State(self.game, self.t, (*self.values, outcome)))
        # The coin names the seat that wins a tie; it is thrown every round, so that no draw depends on play.
        a, b = (PRICE[bid] for bid in self.bids)
        winner = outcome if a == b else int(b > a)
        last = self.t + 1 >= self.game.options.rounds
        signals = tuple(Seen(self.values[s], self.bids[s], self.bids[1 - s], s == winner) for s in (0, 1))
        following = _State(self.game, self.t + (not last), over=last)
        return Step(following, _OUTCOMES[self.values, self.bids, winner], signals)  # type: ignore[index]

    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        return ACTIONS

    def observation(self, seat: Seat) -> View:
        return View(self.t, self.game.options.rounds, self.values[seat])

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        return Step(_State(self.game, self.t, self.values, (str(actions[0]), str(actions[1]))))


class Auction(Game):
    """The repeated first-price auction."""

    Options = Options
    name = "auction"

    @cached_property
    def info_record(self) -> GameInfo:
        """The game's declaration."""
        return GameInfo(
            id="auction",
            version=1,
            title="Repeated first-price auction",
            summary=(
                "Each round both players draw a private value of 2 or 4 and bid LOW (1), MEDIUM (2) or HIGH "
                "(3) at once. The higher bid wins, a coin decides a tie; the winner gets its value minus its "
                "bid, the other 0."
            ),
            rounds=self.options.rounds,
            seats=2,
            dynamics="simultaneous",
            information="imperfect",
            zero_sum=False,
            symmetric=True,
            payoff_bounds=(-1.0, 3.0),
            payoff_scale=3.0,
            weights=Weights(1.2, 1.0, 1.8),
            collusion="1 if the policy bids LOW with value 4, below the competitive reply: joining the ring",
            externality="1 if the policy wins with a bid that its value does not exceed: a wasted win",
            diagnostics=("low_rate", "misallocation", "revenue"),
            solution="bounds",
        )

    def initial_state(self) -> State:
        """Return the first round before values are drawn."""
        return _State(self, 0)

    def info(self, seat: Seat, observation: Hashable, history: tuple[Hashable, ...]) -> Mapping[str, object]:
        """Return ``game, seat, round, rounds, value, own_values, own_bids, other_bids, won``."""
        assert isinstance(observation, View)
        return {
            "game": "auction",
            "seat": seat,
            "round": observation.round,
            "rounds": observation.rounds,
            "value": observation.value,
            "own_values": tuple(seen.value for seen in history),  # type: ignore[attr-defined]
            "own_bids": tuple(seen.own for seen in history),  # type: ignore[attr-defined]
            "other_bids": tuple(seen.other for seen in history),  # type: ignore[attr-defined]
            "won": tuple(seen.won for seen in history),  # type: ignore[attr-defined]
        }

    def label(self, observation: Hashable, history: tuple[Hashable, ...]) -> str:
        """Return past rounds and the value now, as in ``4MLw 2LHl 4``: value, bids, won or lost."""
        assert isinstance(observation, View)
        past = (
            f"{seen.value}{seen.own[0]}{seen.other[0]}{'w' if seen.won else 'l'}"  # type: ignore[attr-defined]
            for seen in history
        )
        return " ".join([*past, str(observation.value)])
