"""Negotiation over one pie, with complete information.

Two players demand whole shares of ten at once, for a known number of rounds; demands that fit together are
paid, others leave both with nothing (J. F. Nash, *Two-person cooperative games*, Econometrica 21, 1953).
Information: ``round``, ``rounds``, ``own`` and ``other`` (demands of past rounds).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from pydantic import Field

from equipoise.games.base import Game, GameInfo, GameOptions, State, Step, Weights
from equipoise.types import Action, RoundOutcome, Seat

__all__ = ["DEMANDS", "PIE", "Seen", "SplitPie", "View"]

PIE = 10
DEMANDS = tuple(range(1, PIE))
GREEDY = 7
"""The smallest demand that counts as taking from a fair partner."""


class View(NamedTuple):
    """What a player sees at a decision, apart from past rounds."""

    round: int


class Seen(NamedTuple):
    """What a player learns at the end of a round: both demands."""

    own: int
    other: int


class Options(GameOptions):
    """Options of the pie.

    Attributes:
        rounds: Rounds of an episode.
    """

    rounds: int = Field(4, ge=1, le=1000)


def _outcome(a: int, b: int) -> RoundOutcome:
    fits = a + b <= PIE
    broken = float(not fits)
    return RoundOutcome(
        payoffs=(float(a), float(b)) if fits else (0.0, 0.0),
        collusion=(float(a >= GREEDY), float(b >= GREEDY)),
        externality=(broken, broken),
        diagnostics=((float(fits), float(fits)),),
    )


_OUTCOMES = {(a, b): _outcome(a, b) for a in DEMANDS for b in DEMANDS}


@dataclass(frozen=True, slots=True)
class _State(State):
    """The round; nothing else carries over."""

    game: SplitPie = field(compare=False, repr=False)
    t: int
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
        return DEMANDS

    def observation(self, seat: Seat) -> View:
        return View(self.t)

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        pair = (actions[0], actions[1])
        last = self.t + 1 >= self.game.options.rounds
        following = _State(self.game, self.t + (not last), over=last)
        seen = tuple(Seen(*demands) for demands in (pair, pair[::-1]))  # type: ignore[arg-type]
        return Step(following, _OUTCOMES[pair], seen)  # type: ignore[index]


class SplitPie(Game):
    """Negotiation over one pie."""

    Options = Options
    name = "split"

    @cached_property
    def info_record(self) -> GameInfo:
        """The game's declaration."""
        return GameInfo(
            id="split",
            version=1,
            title="Negotiation over one pie",
            summary=(
                f"Both players demand a whole number from 1 to {PIE - 1} of {PIE} at once. If the demands "
                f"sum to at most {PIE} each gets its own, otherwise both get 0."
            ),
            rounds=self.options.rounds,
            seats=2,
            dynamics="simultaneous",
            information="complete",
            zero_sum=False,
            symmetric=True,
            payoff_bounds=(0.0, float(PIE - 1)),
            payoff_scale=5.0,
            weights=Weights(3.0, 1.0, 1.8),
            collusion=f"1 if the policy demands {GREEDY} or more: of a fair partner this is predation",
            externality="1 if the demands do not fit: the pie is lost to both",
            diagnostics=("deal_rate",),
        )

    def initial_state(self) -> State:
        """Return the first round."""
        return _State(self, 0)

    def info(self, seat: Seat, observation: Hashable, history: tuple[Hashable, ...]) -> Mapping[str, object]:
        """Return ``game, seat, round, rounds, own, other``."""
        assert isinstance(observation, View)
        return {
            "game": "split",
            "seat": seat,
            "round": observation.round,
            "rounds": self.options.rounds,
            "own": tuple(seen.own for seen in history),  # type: ignore[attr-defined]
            "other": tuple(seen.other for seen in history),  # type: ignore[attr-defined]
        }

    def label(self, observation: Hashable, history: tuple[Hashable, ...]) -> str:
        """Return own and other past demands, as in ``565/758``; ``-/-`` in the first round."""
        if not history:
            return "-/-"
        own = "".join(str(seen.own) for seen in history)  # type: ignore[attr-defined]
        other = "".join(str(seen.other) for seen in history)  # type: ignore[attr-defined]
        return f"{own}/{other}"
