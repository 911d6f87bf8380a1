"""A small right game whose parts can be broken one at a time."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from pydantic import Field

from equipoise.games.base import Game, GameInfo, GameOptions, State, Step, Weights
from equipoise.prompts.base import Renderer
from equipoise.types import Action, Decision, RoundOutcome, Seat

ACTIONS = ("A", "B")


class View(NamedTuple):
    round: int
    bonus: int


class Seen(NamedTuple):
    own: str
    other: str
    bonus: int


class Options(GameOptions):
    """Options of the toy.

    Attributes:
        rounds: Rounds of an episode.
    """

    rounds: int = Field(2, ge=1, le=5)


@dataclass(frozen=True, slots=True)
class ToyState(State):
    """The round and the bonus drawn in it; everything else is asked of the game, so that it can be broken."""

    game: Toy = field(compare=False, repr=False)
    t: int
    drawn: tuple[int, ...] = ()
    over: bool = False
    tag: int = 0
    notes: list[str] = field(default_factory=list, compare=False)

    @property
    def round(self) -> int:
        return self.t

    @property
    def is_over(self) -> bool:
        return self.over

    @property
    def players_to_move(self) -> tuple[Seat, ...]:
        return self.game.players(self)

    @property
    def chance(self) -> str | None:
        return None if self.over or len(self.drawn) == self.game.draws else self.game.purpose(self)

    def chance_outcomes(self) -> tuple[tuple[Hashable, float], ...]:
        return self.game.chances()

    def apply_chance(self, outcome: Hashable) -> Step:
        return Step(ToyState(self.game, self.t, (*self.drawn, int(outcome)), tag=self.tag))  # type: ignore[call-overload]

    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        return self.game.legal(self, seat)

    def observation(self, seat: Seat) -> Hashable:
        return self.game.observe(self, seat)

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        return self.game.move(self, str(actions[0]), str(actions[1]))


class Toy(Game):
    """Two rounds; A takes a bonus that is drawn and shown, both taking it counts as collusion."""

    Options = Options
    name = "toy"
    draws = 1
    declared: ClassVar[Mapping[str, Any]] = {}

    @property
    def info_record(self) -> GameInfo:
        right: dict[str, Any] = {
            "id": "toy",
            "version": 1,
            "title": "Toy",
            "summary": "A takes the bonus, B leaves it.",
            "rounds": self.options.rounds,
            "seats": 2,
            "dynamics": "simultaneous",
            "information": "complete",
            "zero_sum": False,
            "symmetric": True,
            "payoff_bounds": (0.0, 2.0),
            "payoff_scale": 1.0,
            "weights": Weights(1.0, 1.0, 1.0),
            "collusion": "both take",
            "externality": "the bonus is left",
            "diagnostics": ("took",),
        }
        return GameInfo(**(right | dict(self.declared)))

    def initial_state(self) -> State:
        return ToyState(self, 0)

    def players(self, state: ToyState) -> tuple[Seat, ...]:
        return () if state.over or len(state.drawn) < self.draws else (0, 1)

    def purpose(self, state: ToyState) -> str:
        return f"bonus/{len(state.drawn)}"

    def chances(self) -> tuple[tuple[Hashable, float], ...]:
        return ((0, 0.5), (1, 0.5))

    def legal(self, state: ToyState, seat: Seat) -> tuple[Any, ...]:
        return ACTIONS

    def observe(self, state: ToyState, seat: Seat) -> Hashable:
        return View(state.t, sum(state.drawn))

    def move(self, state: ToyState, a: str, b: str) -> Step:
        return Step(self.following(state), self.outcome(state, a, b), self.signals(state, a, b))

    def following(self, state: ToyState) -> ToyState:
        last = state.t + 1 >= self.options.rounds
        return ToyState(self, state.t if last else state.t + 1, over=last, tag=self.tag())

    def tag(self) -> int:
        return 0

    def outcome(self, state: ToyState, a: str, b: str) -> RoundOutcome | None:
        took = (float(a == "A"), float(b == "A"))
        both, none = float(a == b == "A"), float(a == b == "B")
        payoffs = tuple(one * (1.0 + sum(state.drawn)) for one in took)
        return RoundOutcome(payoffs, (both, both), (none, none), (took,))

    def signals(self, state: ToyState, a: str, b: str) -> tuple[Hashable, ...]:
        bonus = sum(state.drawn)
        return (Seen(a, b, bonus), Seen(b, a, bonus))

    def info(self, seat: Seat, observation: Any, history: tuple[Any, ...]) -> Mapping[str, object]:
        round_, rounds = observation[0], self.options.rounds
        return {"game": "toy", "seat": seat, "round": round_, "rounds": rounds, "history": history}

    def label(self, observation: Any, history: tuple[Any, ...]) -> str:
        return f"{tuple(observation)} {[tuple(seen) for seen in history]}"


class ToyWords(Renderer):
    """Words for the toy."""

    game = "toy"

    def rules(self, game: Game) -> str:
        return "Say A or B.\n\n"

    def situation(self, decision: Decision) -> str:
        return "Which?"
