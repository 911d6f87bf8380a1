"""The two seams of an environment: what the engine needs, and what exact analysis needs on top.

The engine plays an :class:`Environment`: any multi-seat task, free text included. A :class:`Game` is a set
of rules over finite actions whose positions (:class:`State`) are immutable, hashable and *Markov*: a state
holds what the rules need to go on and nothing of how it was reached. What a player remembers is kept
outside, as one *signal* a finished round. That split is what makes exact work cheap: two histories that
lead to the same state and the same memories are the same node (see ``auditing.exact``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from equipoise.errors import RequestError, nearest
from equipoise.types import Action, Decision, Draws, RoundOutcome, Seat

__all__ = ["Environment", "Game", "GameInfo", "GameOptions", "HiddenTypes", "State", "Step", "Weights"]


@dataclass(frozen=True, slots=True)
class Weights:
    """Penalty weights λ of the objective, in the order exploitability, collusion, externality."""

    e: float
    c: float
    x: float

    def replace(self, changes: Mapping[str, float]) -> Weights:
        """Return the weights with some of them replaced.

        Raises:
            RequestError: There is no such weight, or it is negative or not finite.
        """
        values = {"e": self.e, "c": self.c, "x": self.x}
        for name, value in changes.items():
            if name not in values:
                raise RequestError(f"unknown weight {name!r}: choose among e, c, x")
            if not 0.0 <= float(value) < float("inf"):
                raise RequestError(f"weight {name} = {value!r}: penalty weights are finite and not negative")
            values[name] = float(value)
        return Weights(**values)


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What a game declares about itself; every result stores ``id`` and ``version``.

    Attributes:
        id: Short name.
        version: Raised whenever a rule changes.
        title: Name in full.
        summary: The rules in a sentence or two, for people.
        rounds: Rounds of an episode (a cap where the horizon is hidden).
        seats: Number of seats.
        dynamics: Whether the seats move at once or in turn.
        information: ``complete`` if every seat that moves knows the state; else ``imperfect``.
        zero_sum: Whether the payoffs of a round sum to 0.
        symmetric: Whether swapping seats, policies and deal swaps payoffs and every seat faces the
            same information states, so that one seat stands for all.
        payoff_bounds: Smallest and largest payoff of a seat in a round.
        payoff_scale: Scale of the objective: s = 3 / payoff_scale. Not a maximum.
        weights: Default penalty weights.
        independent_rounds: Whether nothing carries over between rounds, so that one round is solved,
            tabulated and credited by itself.
        collusion: What c_t = 1 means, anchored to its benchmark; None where not applicable.
        externality: What x_t measures, anchored to its benchmark; None where not applicable.
        diagnostics: Names of further per-round numbers that the rules report for each seat.
        solution: How the game can be solved: ``exact`` (tree and linear programme), ``bounds``, or
            ``none`` where it is too large for anything but playing episodes.
    """

    id: str
    version: int
    title: str
    summary: str
    rounds: int
    seats: int
    dynamics: Literal["simultaneous", "sequential"]
    information: Literal["complete", "imperfect"]
    zero_sum: bool
    symmetric: bool
    payoff_bounds: tuple[float, float]
    payoff_scale: float
    weights: Weights
    independent_rounds: bool = False
    collusion: str | None = None
    externality: str | None = None
    diagnostics: tuple[str, ...] = ()
    solution: Literal["exact", "bounds", "none"] = "exact"

    @property
    def key(self) -> str:
        """``id@version``, as results and transcripts name the game."""
        return f"{self.id}@{self.version}"

    @property
    def utility_scale(self) -> float:
        """The factor s = 3 / payoff_scale of the objective."""
        return 3.0 / self.payoff_scale


class Step(NamedTuple):
    """What follows an action or a chance outcome.

    Attributes:
        state: The next position.
        outcome: The round's outcome if the step ended a round.
        signals: What each seat learned when the round ended; empty if it did not.
    """

    state: State
    outcome: RoundOutcome | None = None
    signals: tuple[Hashable, ...] = ()


class State(ABC):
    """A position of the rules: immutable, hashable, without memory of how it was reached.

    Exactly one of three holds: it is over, chance is to move, or some seats are to move.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def round(self) -> int:
        """The current round, from 0."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether the episode has ended."""

    @property
    @abstractmethod
    def players_to_move(self) -> tuple[Seat, ...]:
        """The seats that must act now; empty at chance nodes and at the end."""

    @property
    def chance(self) -> str | None:
        """The purpose of the pending chance draw (unique within its round), or None."""
        return None

    def chance_outcomes(self) -> Sequence[tuple[Hashable, float]]:
        """Return the outcomes of the pending draw with their probabilities; one factor a node."""
        return ()

    def apply_chance(self, outcome: Hashable) -> Step:
        """Return what follows from a chance outcome."""
        raise RequestError(f"no chance draw is pending, got outcome {outcome!r}")

    @abstractmethod
    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        """Return the legal actions of a seat that is to move."""

    @abstractmethod
    def observation(self, seat: Seat) -> Hashable:
        """Return what the seat sees now, apart from past rounds."""

    @abstractmethod
    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        """Return what follows when the seats to move act."""


class HiddenTypes(ABC):
    """The hidden part of a symmetric game of two seats in which it is one *type* a seat, drawn once.

    A deal is what both see of the draw. Given the deal the types are independent and equally distributed; a
    type shows in its owner's observations and in outcomes, and moves nothing else. Declaring it lets exact
    work treat types that behave alike as one.
    """

    @abstractmethod
    def deals(self) -> Sequence[tuple[Hashable, float]]:
        """Return the public deals with their probabilities."""

    @abstractmethod
    def types(self, deal: Hashable) -> Sequence[tuple[Hashable, float]]:
        """Return the types a seat may have under a deal, with their probabilities."""

    @abstractmethod
    def first(self, deal: Hashable, types: tuple[Hashable, Hashable]) -> State:
        """Return the first decision under a deal and a type a seat."""

    @abstractmethod
    def retype(self, state: State, types: tuple[Hashable, Hashable]) -> State:
        """Return a position with other types in place."""

    @abstractmethod
    def means(
        self,
        deal: Hashable,
        blocks: tuple[Sequence[int], Sequence[int]],
        actions: tuple[Sequence[Action], Sequence[Action]],
    ) -> NDArray[np.float64]:
        """Return (A, B, F): features of a round as seat 0 sees it, mean over the types in two blocks.

        Args:
            deal: The deal.
            blocks: By seat, the numbers of the types that are averaged over, by their probability.
            actions: By seat, the actions.
        """


class GameOptions(BaseModel):
    """Base of every game's options: validated, frozen, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def changed(self) -> dict[str, object]:
        """Return the options that differ from the defaults, ready for JSON."""
        return self.model_dump(mode="json", exclude_defaults=True)


class Game(ABC):
    """A set of rules with finite actions, and the words for what a seat knows.

    Subclasses set ``Options`` and ``name`` and implement the abstract members.
    """

    Options: ClassVar[type[GameOptions]] = GameOptions
    name: ClassVar[str]

    def __init__(self, options: GameOptions | None = None) -> None:
        """Take validated options; None means the defaults."""
        self.options: Any = options if options is not None else self.Options()

    @classmethod
    def create(cls, **options: object) -> Game:
        """Build the game from raw options.

        Raises:
            RequestError: An option is unknown (the nearest right one is named) or out of range.
        """
        try:
            return cls(cls.Options(**options))
        except ValidationError as error:
            raise RequestError(f"{cls.name}: {_explain(error, cls.Options)}") from None

    @property
    @abstractmethod
    def info_record(self) -> GameInfo:
        """The game's declaration, with the options taken into account."""

    @abstractmethod
    def initial_state(self) -> State:
        """Return the position before the first draw or move."""

    @abstractmethod
    def info(self, seat: Seat, observation: Hashable, history: tuple[Hashable, ...]) -> Mapping[str, object]:
        """Return what a seat knows as a plain mapping; its keys are part of the game's contract."""

    @abstractmethod
    def label(self, observation: Hashable, history: tuple[Hashable, ...]) -> str:
        """Return a short name of an information state, unique in the game."""

    def stage(self) -> Game:
        """Return the game that exact work is done on: one round if rounds are independent."""
        return self

    def hidden_types(self) -> HiddenTypes | None:
        """Return the hidden part of the game as types, where it has that form; None where not."""
        return None

    def round_weight(self, round_: int) -> float:
        """Return E[1/T | round ``round_`` is played], the weight of its payoff in an episode's mean."""
        return 1.0 / self.info_record.rounds

    def forfeit(self, state: State, seat: Seat) -> RoundOutcome:
        """Return the outcome of a round that a seat forfeits: it gets the lower payoff bound.

        The other seats get the mirror image in zero-sum games and 0 (within bounds) elsewhere. Terms
        are 0: a forfeit is counted as such, not as harm.
        """
        record = self.info_record
        low, high = record.payoff_bounds
        other = -low / (record.seats - 1) if record.zero_sum else min(max(0.0, low), high)
        zeros = (0.0,) * record.seats
        return RoundOutcome(
            payoffs=tuple(low if s == seat else other for s in range(record.seats)),
            collusion=None if record.collusion is None else zeros,
            externality=None if record.externality is None else zeros,
            diagnostics=tuple(zeros for _ in record.diagnostics),
        )


@dataclass(frozen=True, slots=True)
class Question:
    """What an environment asks a seat: the fields of a decision that only the environment knows."""

    round: int
    step: int
    index: int
    legal: tuple[Action, ...] | None
    observation: Hashable
    history: tuple[Hashable, ...]
    label: str = field(default="")


class Environment(ABC):
    """What the engine plays: a multi-seat task from deal to end. Instances are used once."""

    @property
    @abstractmethod
    def seats(self) -> int:
        """Number of seats."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether the episode has ended."""

    @property
    @abstractmethod
    def players_to_move(self) -> tuple[Seat, ...]:
        """The seats that must act now; never empty before the end."""

    @abstractmethod
    def observe(self, seat: Seat) -> Question:
        """Return what a seat that must act is asked."""

    @abstractmethod
    def apply(self, actions: Mapping[Seat, Action | str]) -> None:
        """Let the seats act (free-text environments take any string) and move on to the next decision."""

    @abstractmethod
    def forfeit(self, seat: Seat) -> None:
        """End the episode because a seat gave no valid answer."""

    @property
    @abstractmethod
    def outcomes(self) -> tuple[RoundOutcome, ...]:
        """The outcomes of all finished rounds."""

    @abstractmethod
    def decision(self, seat: Seat, episode: str, draws: Draws, retry: int) -> Decision:
        """Return the full question to a seat that must act."""


def _explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Turn the first pydantic error into one line that names the value and the way out."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = list(model.model_fields)
        guess = nearest(where, known)
        hint = f"did you mean {guess!r}?" if guess else f"options are {', '.join(known) or 'none'}"
        return f"unknown option {where!r}: {hint}"
    reason = first["msg"].removeprefix("Value error, ").lower()
    return f"option {where} = {first['input']!r}: {reason}" if where else f"{first['input']!r}: {reason}"
