"""Kuhn poker, several hands with alternating positions.

Three cards J < Q < K, ante 1, one bet of 1 (H. W. Kuhn, *A simplified two-person poker*, 1950). Seat 0
opens the 1st, 3rd, 5th hand. A hand's history of bets is written with ``p`` (pass) and ``b`` (bet) and
tells the position, so the seat need not. Information: ``card`` and ``bets``; with the option ``memory``
also ``round``, ``rounds`` and ``hands`` (earlier hands: own card, bets, whether this seat opened, and the
other's card if it was shown down).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from pydantic import Field

from equipoise.games.base import Game, GameInfo, GameOptions, State, Step, Weights
from equipoise.types import Action, RoundOutcome, Seat

__all__ = ["BET", "CALL", "FOLD", "PASS", "Hand", "KuhnPoker", "View"]

PASS, BET, CALL, FOLD = "PASS", "BET", "CALL", "FOLD"
CARDS = ("J", "Q", "K")
_RANK = {card: rank for rank, card in enumerate(CARDS)}
_FINAL = {"pp": 1.0, "bp": 1.0, "bb": 2.0, "pbp": 1.0, "pbb": 2.0}
_LETTER = {PASS: "p", FOLD: "p", BET: "b", CALL: "b"}


class View(NamedTuple):
    """What a player sees at a decision: its card and the bets of this hand.

    ``hand`` is the hand's number where the option ``memory`` is on, and 0 otherwise.
    """

    card: str
    bets: str
    hand: int = 0


class Hand(NamedTuple):
    """What a player learns at the end of a hand, where the option ``memory`` is on."""

    card: str
    bets: str
    opened: bool
    shown: str | None


class Options(GameOptions):
    """Options of Kuhn poker.

    Attributes:
        rounds: Hands of an episode.
        memory: Whether players remember earlier hands and showdowns.
    """

    rounds: int = Field(6, ge=1, le=1000)
    memory: bool = False


@dataclass(frozen=True, slots=True)
class _State(State):
    """Hand number, cards dealt so far by seat, and bets."""

    game: KuhnPoker = field(compare=False, repr=False)
    hand: int
    cards: tuple[str, ...] = ()
    bets: str = ""
    over: bool = False

    @property
    def round(self) -> int:
        return self.hand

    @property
    def is_over(self) -> bool:
        return self.over

    @property
    def players_to_move(self) -> tuple[Seat, ...]:
        if self.over or len(self.cards) < 2:
            return ()
        return ((self.hand + len(self.bets)) % 2,)

    @property
    def chance(self) -> str | None:
        return None if self.over or len(self.cards) == 2 else f"card/{len(self.cards)}"

    def chance_outcomes(self) -> tuple[tuple[Hashable, float], ...]:
        if self.chance is None:
            return ()
        left = [card for card in CARDS if card not in self.cards]
        return tuple((card, 1.0 / len(left)) for card in left)

    def apply_chance(self, outcome: Hashable) -> Step:
        return Step(_State(self.game, self.hand, (*self.cards, str(outcome)), self.bets))

    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        return (CALL, FOLD) if self.bets.endswith("b") else (PASS, BET)

    def observation(self, seat: Seat) -> View:
        return View(self.cards[seat], self.bets, self.hand if self.game.options.memory else 0)

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        (seat,) = self.players_to_move
        bets = self.bets + _LETTER[str(actions[seat])]
        if bets not in _FINAL:
            return Step(_State(self.game, self.hand, self.cards, bets))
        last = self.hand + 1 >= self.game.options.rounds
        following = _State(self.game, self.hand + (not last), over=last)
        return Step(following, self._outcome(bets), self._signals(bets))

    def _outcome(self, bets: str) -> RoundOutcome:
        opener = self.hand % 2
        if bets.endswith("bp"):
            # The one who folds moved last: the opener after pbp, the other after bp.
            winner = 1 - opener if bets == "pbp" else opener
        else:
            winner = 0 if _RANK[self.cards[0]] > _RANK[self.cards[1]] else 1
        won = _FINAL[bets]
        return RoundOutcome((won, -won) if winner == 0 else (-won, won))

    def _signals(self, bets: str) -> tuple[Hashable, ...]:
        if not self.game.options.memory:
            return ()
        opener, shown = self.hand % 2, not bets.endswith("bp")
        return tuple(
            Hand(self.cards[s], bets, s == opener, self.cards[1 - s] if shown else None) for s in (0, 1)
        )


class KuhnPoker(Game):
    """Kuhn poker."""

    Options = Options
    name = "kuhn"

    @cached_property
    def info_record(self) -> GameInfo:
        """The game's declaration."""
        memory = self.options.memory
        return GameInfo(
            id="kuhn",
            version=1,
            title="Kuhn poker",
            summary=(
                "Each player antes 1 and gets one card of J, Q, K. The opener passes or bets 1; facing "
                "a bet the other calls or folds; after two passes or a call the higher card wins."
            ),
            rounds=self.options.rounds,
            seats=2,
            dynamics="sequential",
            information="imperfect",
            zero_sum=True,
            symmetric=False,
            payoff_bounds=(-2.0, 2.0),
            payoff_scale=2.0,
            weights=Weights(1.5, 0.0, 0.0),
            independent_rounds=not memory,
            solution="bounds" if memory else "exact",
        )

    def initial_state(self) -> State:
        """Return the first hand before the deal."""
        return _State(self, 0)

    def info(self, seat: Seat, observation: Hashable, history: tuple[Hashable, ...]) -> Mapping[str, object]:
        """Return ``game, seat, round, rounds, card, bets`` (and ``hands`` with memory)."""
        assert isinstance(observation, View)
        known: dict[str, object] = {
            "game": "kuhn",
            "seat": seat,
            "round": observation.hand,
            "rounds": self.options.rounds if self.options.memory else 1,
            "card": observation.card,
            "bets": observation.bets,
        }
        if self.options.memory:
            known["hands"] = history
        return known

    def label(self, observation: Hashable, history: tuple[Hashable, ...]) -> str:
        """Return card and bets, as in ``Q:pb``; with memory the earlier hands come first."""
        assert isinstance(observation, View)
        now = f"{observation.card}:{observation.bets}"
        if not self.options.memory:
            return now
        past = (
            f"{hand.card}:{hand.bets}:{'o' if hand.opened else 's'}:{hand.shown or '-'}"  # type: ignore[attr-defined]
            for hand in history
        )
        return " ".join([*past, f"#{observation.hand} {now}"])

    def stage(self) -> Game:
        """Return a single hand: hands are independent unless they are remembered."""
        return self if self.options.memory else KuhnPoker(Options(rounds=1))
