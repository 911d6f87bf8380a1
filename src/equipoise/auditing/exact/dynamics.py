"""How hidden positions move while one seat decides: chance and opponents, pushed forward exactly.

What a seat cannot see is carried as a cloud of weighted *particles*, hidden nodes that are consistent with
what it knows; chance and opponents are pushed through the cloud, equal particles are merged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.exact.tree import InformationKey
from equipoise.errors import EquipoiseError
from equipoise.games.base import Game, State, Step
from equipoise.objective.features import Features, feature_count, features
from equipoise.opponents.base import Strategy
from equipoise.types import Action, Seat

__all__ = [
    "Cloud",
    "Dynamics",
    "EndsEarlyError",
    "History",
    "Particle",
    "TooLargeError",
    "check_end",
]

Particle = tuple[State, Hashable, int]
"""A hidden node consistent with what the seat knows: state, opponent's memory, opponent's number."""

Cloud = dict[Particle, float]
"""Particles with the probability that chance and the opponent reach them."""

History = tuple[Hashable, ...]
"""The signals that the seat has received."""


class TooLargeError(EquipoiseError):
    """Exact work would take more information states or steps than allowed."""


class EndsEarlyError(TooLargeError):
    """The game may end before its last round, so that a round's weight is no matter of its number."""


def check_end(game: Game, state: State, step: Step) -> None:
    """Check that the weight of rounds is right for an episode that ends with a step.

    Raises:
        EndsEarlyError: It ends before the last round, and the game has no weights of its own.
    """
    early = step.state.is_over and state.round + 1 < game.info_record.rounds
    if early and type(game).round_weight is Game.round_weight:
        raise EndsEarlyError(
            f"{game.name} can end before its last round, so exact values are not known: audit it by sampling"
        )


class Dynamics:
    """The moves of everybody but one seat.

    Attributes:
        game: The rules.
        seat: The seat that decides.
        strategies: The opponents, numbered by their order.
        width: Length of a feature vector.
        steps: Transitions of the rules made so far: what the work costs.
        limit: Largest number of steps; None sets no limit.
    """

    def __init__(
        self, game: Game, strategies: Sequence[Strategy], seat: Seat, limit: int | None = None
    ) -> None:
        """Take the rules, the opponents in finite-memory form and the seat that decides."""
        self.game, self.seat, self.limit = game, seat, limit
        self.strategies = tuple(strategies)
        self.width = feature_count(game.info_record)
        self.steps = 0
        self._vectors: dict[Hashable, Features] = {}

    def nothing(self) -> NDArray[np.float64]:
        """Return (O, F) zeros: what has been earned so far, by opponent."""
        return np.zeros((len(self.strategies), self.width))

    def start(self) -> Cloud:
        """Return the cloud before anything is drawn; every opponent is met with weight 1."""
        state = self.game.initial_state()
        return {
            (state, memory, number): probability
            for number, strategy in enumerate(self.strategies)
            for memory, probability in strategy.start()
        }

    def settle(
        self, earned: NDArray[np.float64], clouds: Mapping[History, Cloud]
    ) -> list[tuple[InformationKey, Cloud]]:
        """Let chance and the opponents move until the seat must act; return what it then may know.

        Args:
            earned: (O, F) what finished rounds earn is added here.
            clouds: Clouds by the seat's history.

        Raises:
            TooLargeError: The limit of steps is reached.
        """
        found: dict[InformationKey, Cloud] = {}
        todo = [(history, particle, w) for history, cloud in clouds.items() for particle, w in cloud.items()]
        while todo:
            history, particle, weight = todo.pop()
            state, memory, number = particle
            if state.is_over:
                continue
            if self.seat in state.players_to_move:
                here = found.setdefault((state.observation(self.seat), history), {})
                here[particle] = here.get(particle, 0.0) + weight
                continue
            for step, probability in self._others_move(state, memory, number):
                mass = weight * probability
                todo.append((*self.record(earned, history, particle, step, mass), mass))
        return list(found.items())

    def act(
        self, earned: NDArray[np.float64], history: History, cloud: Cloud, action: Action
    ) -> Mapping[History, Cloud]:
        """Let the seat act, and whoever moves at the same time; return the clouds by history.

        Args:
            earned: (O, F) what finished rounds earn is added here.
            history: The seat's history.
            cloud: What it believes, all at one information state.
            action: What it does.

        Raises:
            TooLargeError: The limit of steps is reached.
        """
        moved: dict[History, Cloud] = defaultdict(dict)
        for particle, weight in cloud.items():
            state, memory, number = particle
            for step, probability in self._all_move(state, memory, number, action):
                mass = weight * probability
                past, following = self.record(earned, history, particle, step, mass)
                here = moved[past]
                here[following] = here.get(following, 0.0) + mass
        return moved

    def answer(self, state: State, memory: Any, number: int, other: Seat) -> Mapping[Action, float]:
        """Return the distribution of an opponent's action."""
        return self.strategies[number].probabilities(
            memory, state.observation(other), state.legal_actions(other)
        )

    def _others_move(self, state: State, memory: Any, number: int) -> list[tuple[Step, float]]:
        if state.chance is not None:
            return [(state.apply_chance(o), p) for o, p in state.chance_outcomes() if p > 0.0]
        (other,) = state.players_to_move
        answer = self.answer(state, memory, number, other)
        return [(state.apply({other: action}), p) for action, p in answer.items() if p > 0.0]

    def _all_move(self, state: State, memory: Any, number: int, action: Action) -> list[tuple[Step, float]]:
        others = [seat for seat in state.players_to_move if seat != self.seat]
        if not others:
            return [(state.apply({self.seat: action}), 1.0)]
        answer = self.answer(state, memory, number, others[0])
        return [
            (state.apply({self.seat: action, others[0]: other}), p) for other, p in answer.items() if p > 0.0
        ]

    def record(
        self, earned: NDArray[np.float64], history: History, particle: Particle, step: Step, mass: float
    ) -> tuple[History, Particle]:
        """Follow a step from a particle; return the seat's history and the particle after it."""
        state, memory, number = particle
        self.steps += 1
        if self.limit is not None and self.steps > self.limit:
            raise TooLargeError(f"{self.game.name}: more than {self.limit} steps, too many to solve exactly")
        if step.outcome is not None:
            check_end(self.game, state, step)
            vector = self._vectors.get(step.outcome)
            if vector is None:
                vector = self._vectors[step.outcome] = features(step.outcome, self.seat)
            earned[number] += mass * self.game.round_weight(state.round) * vector
        if step.signals:
            history = (*history, step.signals[self.seat])
            memory = self.strategies[number].update(memory, step.signals[1 - self.seat])
        return history, (step.state, memory, number)
