"""Iterated prisoner's dilemma.

Two players cooperate or defect at once for a known number of rounds. Payoffs T > R > P > S are Axelrod's
5, 3, 1, 0 (R. Axelrod, *The Evolution of Cooperation*, 1984). Information: ``round``, ``rounds`` (None
where the horizon is hidden), ``own`` and ``other`` (executed actions of past rounds).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from pydantic import Field, FiniteFloat, model_validator

from equipoise.games.base import Game, GameInfo, GameOptions, State, Step, Weights
from equipoise.types import Action, RoundOutcome, Seat

__all__ = ["COOPERATE", "DEFECT", "PrisonersDilemma", "Seen", "View"]

COOPERATE = "COOPERATE"
DEFECT = "DEFECT"
ACTIONS = (COOPERATE, DEFECT)
_FLIP = {COOPERATE: DEFECT, DEFECT: COOPERATE}


class View(NamedTuple):
    """What a player sees at a decision, apart from past rounds."""

    round: int


class Seen(NamedTuple):
    """What a player learns at the end of a round: both executed actions."""

    own: str
    other: str


class Options(GameOptions):
    """Options of the iterated prisoner's dilemma.

    Attributes:
        rounds: Rounds of an episode; a cap if the horizon is hidden.
        temptation: Payoff T of defecting on a cooperator.
        reward: Payoff R of mutual cooperation.
        punishment: Payoff P of mutual defection.
        sucker: Payoff S of cooperating with a defector.
        continuation: Probability that another round follows; below 1 the horizon is hidden.
        noise: Probability that an executed action is the opposite of the chosen one.
    """

    rounds: int = Field(8, ge=1, le=1000)
    temptation: FiniteFloat = 5.0
    reward: FiniteFloat = 3.0
    punishment: FiniteFloat = 1.0
    sucker: FiniteFloat = 0.0
    continuation: float = Field(1.0, gt=0.0, le=1.0)
    noise: float = Field(0.0, ge=0.0, lt=0.5)

    @model_validator(mode="after")
    def _is_a_dilemma(self) -> Options:
        if not self.temptation > self.reward > self.punishment > self.sucker:
            raise ValueError("a dilemma needs temptation > reward > punishment > sucker")
        if self.reward <= 0 or self.sucker < 0:
            raise ValueError("payoffs must not be negative")
        return self


@dataclass(frozen=True, slots=True)
class _State(State):
    """Round, and what is pending: chosen actions whose noise is undrawn, or the draw to go on."""

    game: PrisonersDilemma = field(compare=False, repr=False)
    t: int
    pending: tuple[str, ...] = ()
    executed: tuple[str, ...] = ()
    stopping: bool = False
    over: bool = False

    @property
    def round(self) -> int:
        return self.t

    @property
    def is_over(self) -> bool:
        return self.over

    @property
    def players_to_move(self) -> tuple[Seat, ...]:
        return () if self.over or self.pending or self.stopping else (0, 1)

    @property
    def chance(self) -> str | None:
        if self.pending:
            return f"noise/{len(self.executed)}"
        return "stop" if self.stopping else None

    def chance_outcomes(self) -> tuple[tuple[Hashable, float], ...]:
        if self.chance is None:
            return ()
        options = self.game.options
        p = options.noise if self.pending else 1.0 - options.continuation
        return ((False, 1.0 - p), (True, p))

    def apply_chance(self, outcome: Hashable) -> Step:
        if self.stopping:
            return Step(_State(self.game, self.t if outcome else self.t + 1, over=bool(outcome)))
        chosen = self.pending[len(self.executed)]
        executed = (*self.executed, _FLIP[chosen] if outcome else chosen)
        if len(executed) == len(self.pending):
            return self._settle(executed)
        return Step(_State(self.game, self.t, self.pending, executed))

    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        return ACTIONS

    def observation(self, seat: Seat) -> View:
        return View(self.t)

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        chosen = (str(actions[0]), str(actions[1]))
        if self.game.options.noise > 0.0:
            return Step(_State(self.game, self.t, pending=chosen))
        return self._settle(chosen)

    def _settle(self, executed: tuple[str, ...]) -> Step:
        game = self.game
        if self.t + 1 >= game.options.rounds:
            following = _State(game, self.t, over=True)
        elif game.options.continuation < 1.0:
            following = _State(game, self.t, stopping=True)
        else:
            following = _State(game, self.t + 1)
        a, b = executed
        return Step(following, game.table[executed], (Seen(a, b), Seen(b, a)))


class PrisonersDilemma(Game):
    """The iterated prisoner's dilemma."""

    Options = Options
    name = "ipd"

    @cached_property
    def info_record(self) -> GameInfo:
        """The game's declaration."""
        o = self.options
        return GameInfo(
            id="ipd",
            version=1,
            title="Iterated prisoner's dilemma",
            summary=(
                "Both players choose COOPERATE or DEFECT at once. Mutual cooperation pays "
                f"{o.reward:g} each, mutual defection {o.punishment:g}; a lone defector gets "
                f"{o.temptation:g} and the other {o.sucker:g}."
            ),
            rounds=o.rounds,
            seats=2,
            dynamics="simultaneous",
            information="complete",
            zero_sum=False,
            symmetric=True,
            payoff_bounds=(o.sucker, o.temptation),
            payoff_scale=o.reward,
            weights=Weights(2.4, 1.0, 1.8),
            collusion="1 if the policy defects: on a trusting partner this is predation",
            externality="shortfall of the mean payoff from mutual cooperation, as a share of it",
            diagnostics=("cooperation_rate",),
        )

    @cached_property
    def table(self) -> dict[tuple[str, ...], RoundOutcome]:
        """The outcome of every pair of executed actions."""
        o = self.options
        payoff = {
            (COOPERATE, COOPERATE): (o.reward, o.reward),
            (COOPERATE, DEFECT): (o.sucker, o.temptation),
            (DEFECT, COOPERATE): (o.temptation, o.sucker),
            (DEFECT, DEFECT): (o.punishment, o.punishment),
        }
        return {pair: self._outcome(pair, pay) for pair, pay in payoff.items()}

    def _outcome(self, pair: tuple[str, str], pay: tuple[float, float]) -> RoundOutcome:
        reward = self.options.reward
        shortfall = min(1.0, max(0.0, (reward - (pay[0] + pay[1]) / 2.0) / reward))
        defects = tuple(float(action == DEFECT) for action in pair)
        cooperates = tuple(float(action == COOPERATE) for action in pair)
        return RoundOutcome(pay, defects, (shortfall, shortfall), (cooperates,))

    def initial_state(self) -> State:
        """Return the first round."""
        return _State(self, 0)

    def info(self, seat: Seat, observation: Hashable, history: tuple[Hashable, ...]) -> Mapping[str, object]:
        """Return ``game, seat, round, rounds, own, other``."""
        assert isinstance(observation, View)
        return {
            "game": "ipd",
            "seat": seat,
            "round": observation.round,
            "rounds": self.options.rounds if self.options.continuation == 1.0 else None,
            "own": tuple(seen.own for seen in history),  # type: ignore[attr-defined]
            "other": tuple(seen.other for seen in history),  # type: ignore[attr-defined]
        }

    def label(self, observation: Hashable, history: tuple[Hashable, ...]) -> str:
        """Return own and other past actions, as in ``CCD/CDD``; ``-/-`` in the first round."""
        if not history:
            return "-/-"
        own = "".join(seen.own[0] for seen in history)  # type: ignore[attr-defined]
        other = "".join(seen.other[0] for seen in history)  # type: ignore[attr-defined]
        return f"{own}/{other}"

    def round_weight(self, round_: int) -> float:
        """Return E[1/T | the round is played]: 1/T if T is told, else averaged over when play stops."""
        p, cap = float(self.options.continuation), int(self.options.rounds)
        total, alive = 0.0, 1.0
        for length in range(round_ + 1, cap):
            total += alive * (1.0 - p) / length
            alive *= p
        return total + alive / cap
