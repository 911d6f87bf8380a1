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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import RequestError
from equipoise.games.rules import Chance, GameInfo, GameOptions, Rules, Weights
from equipoise.types import Action, Decision, Draws, RoundOutcome, Seat

__all__ = [
    "Environment",
    "Game",
    "GameInfo",
    "GameOptions",
    "HiddenTypes",
    "State",
    "Step",
    "Weights",
    "finite_game",
]


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


class Game(Rules):
    """A set of rules with finite actions, and the words for what a seat knows.

    Subclasses set ``Options`` and ``name`` and implement the abstract members.
    """

    def start(self, index: int, chance: Chance) -> Environment:
        """Return a match, ready to play."""
        from equipoise.games.match import Match

        return Match(self, chance)

    @abstractmethod
    def initial_state(self) -> State:
        """Return the position before the first draw or move."""

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


def finite_game(rules: Rules) -> Game:
    """Return rules that are a game with finite actions.

    Raises:
        RequestError: They are a free-text task.
    """
    if not isinstance(rules, Game):
        raise RequestError(
            f"{rules.name!r} is a free-text task, this needs a game with finite actions: see "
            "`equipoise games`"
        )
    return rules


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

    @property
    def notes(self) -> Mapping[str, object]:
        """What there is to know of the episode beyond its rounds, ready for JSON; nothing by default."""
        return {}

    @abstractmethod
    def decision(self, seat: Seat, episode: str, draws: Draws, retry: int) -> Decision:
        """Return the full question to a seat that must act."""
