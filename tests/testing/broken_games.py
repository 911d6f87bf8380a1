"""For every rule about games one game that breaks it, and as little else as can be."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, ClassVar

from equipoise.games.base import Game, State, Step
from equipoise.types import RoundOutcome
from tests.testing.toy import ACTIONS, Toy, ToyState, ToyWords

NUMBERS = count()


class Undeclared(Toy):
    declared: ClassVar[Mapping[str, Any]] = {"payoff_scale": 0.0}


class Credulous(Toy):
    @classmethod
    def create(cls, **options: object) -> Game:
        return cls(cls.Options(rounds=2))


class Unvalidated(Toy):
    @classmethod
    def create(cls, **options: object) -> Game:
        return cls(cls.Options(**options))  # type: ignore[arg-type]


class Raises(Toy):
    def outcome(self, state: ToyState, a: str, b: str) -> RoundOutcome | None:
        return {("A", "A"): None}[a, b]


class StillToMove(Toy):
    def players(self, state: ToyState) -> tuple[int, ...]:
        return () if len(state.drawn) < self.draws and not state.over else (0, 1)


class ThreeSeats(Toy):
    def players(self, state: ToyState) -> tuple[int, ...]:
        return (0, 1, 2) if super().players(state) else ()


class Rewinds(Toy):
    """Plays the first round again after the second."""

    def move(self, state: ToyState, a: str, b: str) -> Step:
        if state.t == 1 and state.tag == 0:
            return Step(ToyState(self, 0, tag=1), self.outcome(state, a, b), self.signals(state, a, b))
        return super().move(state, a, b)


class TooManyRounds(Toy):
    def following(self, state: ToyState) -> ToyState:
        last = state.t + 1 >= self.options.rounds
        return ToyState(self, state.t + 1, over=last)


class NothingLegal(Toy):
    def legal(self, state: ToyState, seat: int) -> tuple[Any, ...]:
        return ACTIONS if state.t == 0 else ()


class LegalTwice(Toy):
    def legal(self, state: ToyState, seat: int) -> tuple[Any, ...]:
        return ("A", "B", "A")


class LegalFloat(Toy):
    def legal(self, state: ToyState, seat: int) -> tuple[Any, ...]:
        return ("A", 0.5)


class Lossy(Toy):
    def chances(self) -> tuple[tuple[Any, float], ...]:
        return ((0, 0.5), (1, 0.4))


class SameOutcome(Toy):
    def chances(self) -> tuple[tuple[Any, float], ...]:
        return ((0, 0.5), (0, 0.5))


class SamePurpose(Toy):
    draws = 2

    def purpose(self, state: ToyState) -> str:
        return "bonus"


class ShowsLists(Toy):
    def observe(self, state: ToyState, seat: int) -> Any:
        return [state.t, sum(state.drawn)]


class TellsOneSeat(Toy):
    def signals(self, state: ToyState, a: str, b: str) -> tuple[Any, ...]:
        return super().signals(state, a, b)[:1]


class TellsLists(Toy):
    def signals(self, state: ToyState, a: str, b: str) -> tuple[Any, ...]:
        return ([a, b], [b, a])


class TellsTooEarly(Toy):
    def outcome(self, state: ToyState, a: str, b: str) -> RoundOutcome | None:
        return None


class Endless(Toy):
    def move(self, state: ToyState, a: str, b: str) -> Step:
        return Step(ToyState(self, state.t))

    def purpose(self, state: ToyState) -> str:
        # Every draw has a purpose of its own, so that only the end is missing.
        return f"bonus/{next(NUMBERS)}"


class Scribbles(Toy):
    def move(self, state: ToyState, a: str, b: str) -> Step:
        state.notes.append(a)
        return super().move(state, a, b)


class NeverEqual(Toy):
    declared: ClassVar[Mapping[str, Any]] = {"information": "imperfect"}

    def tag(self) -> int:
        return next(NUMBERS)


class Whimsical(Toy):
    declared: ClassVar[Mapping[str, Any]] = {"symmetric": False}

    def outcome(self, state: ToyState, a: str, b: str) -> RoundOutcome | None:
        bonus = float(next(NUMBERS) % 7) / 7.0
        return RoundOutcome((bonus, bonus), (0.0, 0.0), (0.0, 0.0), ((0.0, 0.0),))


class SkipsARound(Toy):
    def move(self, state: ToyState, a: str, b: str) -> Step:
        return Step(self.following(state)) if state.t == 0 else super().move(state, a, b)


class TooRich(Toy):
    declared: ClassVar[Mapping[str, Any]] = {"payoff_bounds": (0.0, 1.5)}


class NotZeroSum(Toy):
    declared: ClassVar[Mapping[str, Any]] = {"zero_sum": True}


class Excessive(Toy):
    def outcome(self, state: ToyState, a: str, b: str) -> RoundOutcome | None:
        right = super().outcome(state, a, b)
        assert right is not None
        return right._replace(collusion=(1.5, 1.5))


class Undisclosed(Toy):
    declared: ClassVar[Mapping[str, Any]] = {"externality": None}

    def forfeit(self, state: State, seat: int) -> RoundOutcome:
        return RoundOutcome((0.0, 0.0), (0.0, 0.0), None, ((0.0, 0.0),))


class Unmeasured(Toy):
    def outcome(self, state: ToyState, a: str, b: str) -> RoundOutcome | None:
        right = super().outcome(state, a, b)
        assert right is not None
        return right._replace(diagnostics=())


class Unbounded(Toy):
    def outcome(self, state: ToyState, a: str, b: str) -> RoundOutcome | None:
        right = super().outcome(state, a, b)
        assert right is not None
        return right._replace(diagnostics=((float("inf"), float("inf")),))


class PaysOne(Toy):
    declared: ClassVar[Mapping[str, Any]] = {"symmetric": False}

    def outcome(self, state: ToyState, a: str, b: str) -> RoundOutcome | None:
        right = super().outcome(state, a, b)
        assert right is not None
        return right._replace(payoffs=right.payoffs[:1])


class UnfairForfeit(Toy):
    """Zero-sum where it is played, and not where it is forfeited."""

    declared: ClassVar[Mapping[str, Any]] = {"zero_sum": True, "payoff_bounds": (-2.0, 2.0)}

    def outcome(self, state: ToyState, a: str, b: str) -> RoundOutcome | None:
        right = super().outcome(state, a, b)
        assert right is not None
        lead = right.payoffs[0] - right.payoffs[1]
        return right._replace(payoffs=(lead, -lead))

    def forfeit(self, state: State, seat: int) -> RoundOutcome:
        return super().forfeit(state, seat)._replace(payoffs=(-1.0, 0.0))


class SilentForfeit(Toy):
    def forfeit(self, state: State, seat: int) -> RoundOutcome:
        return super().forfeit(state, seat)._replace(diagnostics=())


class Ruinous(Toy):
    def forfeit(self, state: State, seat: int) -> RoundOutcome:
        return super().forfeit(state, seat)._replace(payoffs=(-5.0, 0.0))


class NoStage(Toy):
    def stage(self) -> Game:
        return None  # type: ignore[return-value]


class OtherStage(Toy):
    def stage(self) -> Game:
        return OtherStage(self.Options(rounds=self.options.rounds + 1))


class Overweight(Toy):
    def round_weight(self, round_: int) -> float:
        return 1.0


class OverweightHidden(Toy):
    """The horizon is hidden, so that weights count with the probability that a round is played."""

    def info(self, seat: int, observation: Any, history: tuple[Any, ...]) -> dict[str, object]:
        return {**super().info(seat, observation, history), "rounds": None}

    def round_weight(self, round_: int) -> float:
        return 0.4


class Uninformative(Toy):
    def info(self, seat: int, observation: Any, history: tuple[Any, ...]) -> dict[str, object]:
        told = dict(super().info(seat, observation, history))
        del told["rounds"]
        return told


class Mislabelled(Toy):
    def info(self, seat: int, observation: Any, history: tuple[Any, ...]) -> dict[str, object]:
        return {**super().info(seat, observation, history), "seat": 1 - seat}


class CountsFromOne(Toy):
    def info(self, seat: int, observation: Any, history: tuple[Any, ...]) -> dict[str, object]:
        return {**super().info(seat, observation, history), "round": "first"}


class Moody(Toy):
    def info(self, seat: int, observation: Any, history: tuple[Any, ...]) -> dict[str, object]:
        return {**super().info(seat, observation, history), "mood": next(NUMBERS)}


class Nameless(Toy):
    def label(self, observation: Any, history: tuple[Any, ...]) -> str:
        return "?"


class Wordless(Toy):
    def label(self, observation: Any, history: tuple[Any, ...]) -> str:
        return (observation, history)  # type: ignore[return-value]


class Renames(Toy):
    def label(self, observation: Any, history: tuple[Any, ...]) -> str:
        return f"{next(NUMBERS)} {super().label(observation, history)}"


class HiddenLegal(Toy):
    declared: ClassVar[Mapping[str, Any]] = {"information": "imperfect"}

    def observe(self, state: ToyState, seat: int) -> Any:
        return (state.t,)

    def signals(self, state: ToyState, a: str, b: str) -> tuple[Any, ...]:
        return ((a, b), (b, a))

    def legal(self, state: ToyState, seat: int) -> tuple[Any, ...]:
        return ACTIONS if sum(state.drawn) else ACTIONS[:1]


class HidesTheBonus(Toy):
    def observe(self, state: ToyState, seat: int) -> Any:
        return (state.t,)


class ShowsTheSeat(Toy):
    def observe(self, state: ToyState, seat: int) -> Any:
        return (state.t, sum(state.drawn), seat)


class FavoursSeatZero(Toy):
    def outcome(self, state: ToyState, a: str, b: str) -> RoundOutcome | None:
        right = super().outcome(state, a, b)
        assert right is not None
        return right._replace(payoffs=(right.payoffs[0], right.payoffs[1] / 2.0))


class Mumbles(ToyWords):
    def say(self, action: Any) -> str:
        return "same word"


class ReadsAnything(ToyWords):
    def parse(self, text: str, legal: Any) -> Any:
        read = super().parse(text, legal)
        return legal[0] if read is None else read


BROKEN: tuple[tuple[str, type[Toy], str], ...] = (
    ("declaration", Undeclared, "payoff_scale is 0.0"),
    ("options", Credulous, "option no_such_option = 1 is accepted"),
    ("options", Unvalidated, "option no_such_option = 1 raises ValidationError"),
    ("runs", Raises, "KeyError"),
    ("one-to-move", StillToMove, "over True, chance None, players (0, 1)"),
    ("one-to-move", ThreeSeats, "players (0, 1, 2)"),
    ("round-number", Rewinds, "round 1 is followed by round 0"),
    ("round-number", TooManyRounds, "round 2 of 2"),
    ("legal-actions", NothingLegal, "no action is legal"),
    ("legal-actions", LegalTwice, "has an action twice"),
    ("legal-actions", LegalFloat, "action 0.5 is a float"),
    ("chance-outcomes", Lossy, "probabilities sum to 0.9"),
    ("chance-outcomes", SameOutcome, "has an outcome twice"),
    ("draw-purposes", SamePurpose, "draws 'bonus' twice"),
    ("hashable", ShowsLists, "an observation cannot be hashed"),
    ("hashable", TellsLists, "a signal cannot be hashed"),
    ("signals", TellsOneSeat, "gives 1 signals to 2 seats"),
    ("signals", TellsTooEarly, "a step within a round"),
    ("ends", Endless, "an episode is not over after 2000 moves"),
    ("immutable", Scribbles, "changed after it was played on from"),
    ("equal-states", NeverEqual, "the same moves lead to"),
    ("same-payoffs", Whimsical, "the same deal and actions give"),
    ("round-count", SkipsARound, "an episode has 1 rounds where 2 are declared"),
    ("payoffs-in-bounds", TooRich, "gets 2.0"),
    ("payoffs-in-bounds", PaysOne, "1 payoffs at"),
    ("zero-sum", NotZeroSum, "sum to"),
    ("terms-in-range", Excessive, "collusion is (1.5, 1.5)"),
    ("terms-in-range", Undisclosed, "externality is (0.0, 0.0)"),
    ("diagnostics", Unmeasured, "diagnostics () at"),
    ("diagnostics", Unbounded, "report finite numbers"),
    ("forfeit-in-bounds", UnfairForfeit, "a forfeit pays (-1.0, 0.0)"),
    ("forfeit-in-bounds", SilentForfeit, "a forfeit reports 0 diagnostics"),
    ("forfeit-in-bounds", Ruinous, "gets -5.0"),
    ("stage", NoStage, "stage() returns None"),
    ("stage", OtherStage, "and 3 rounds"),
    ("round-weights", Overweight, "sum to 2"),
    ("round-weights", OverweightHidden, "sum to 0.8"),
    ("info-keys", Uninformative, "lacks 'rounds'"),
    ("info-keys", Mislabelled, "info has seat = 1 at seat 0"),
    ("info-keys", CountsFromOne, "round = 'first'"),
    ("info-keys", Moody, "info differs where seat"),
    ("labels-unique", Nameless, "label '?' names"),
    ("labels-unique", Wordless, "return a str on one line"),
    ("labels-unique", Renames, "has the labels"),
    ("legal-known", HiddenLegal, "as legal actions"),
    ("nothing-hidden", HidesTheBonus, "is the same at"),
    ("same-information", ShowsTheSeat, "ever knows"),
    ("transposition", FavoursSeatZero, "when seats and policies are exchanged"),
)
"""The rule, a game that breaks it, and what its message must name."""

CONSEQUENCES = {
    # Policies that see their seat play by it.
    "same-information": {"transposition"},
    # Arbitrary policies play by the label.
    "labels-unique": {"transposition"},
}
"""Rules that cannot hold where another is broken."""
