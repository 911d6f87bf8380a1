"""Compiles rules and opponents into the sequence-form tables of ``tree``.

What a seat cannot see is carried as a cloud of weighted *particles*, hidden nodes that are consistent with
what it knows; chance and opponents are pushed through the cloud, equal particles are merged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.exact.tree import InformationKey, Tree
from equipoise.errors import EquipoiseError
from equipoise.games.base import Game, State, Step
from equipoise.objective.features import Features, feature_count, features
from equipoise.opponents.base import Strategy
from equipoise.types import Action, Seat

__all__ = ["TooLargeError", "compile_tree"]

_Particle = tuple[State, Hashable, int]
"""A hidden node consistent with what the seat knows: state, opponent's memory, opponent's number."""

_Cloud = dict[_Particle, float]
"""Particles with the probability that chance and the opponent reach them."""


class TooLargeError(EquipoiseError):
    """The tree has more information states than allowed."""


class _Builder:
    """Grows the tables depth first; one instance compiles one tree."""

    def __init__(self, game: Game, opponents: Mapping[str, Strategy], seat: Seat, limit: int) -> None:
        self.game, self.seat, self.limit = game, seat, limit
        self.strategies = tuple(opponents.values())
        self.width = feature_count(game.info_record)
        self.keys: list[InformationKey] = []
        self.legal: list[tuple[Action, ...]] = []
        self.sequences: list[list[int]] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self.rounds: list[int] = []
        self.steps: list[int] = []
        self.reach: list[NDArray[np.float64]] = []
        self.payoff: list[NDArray[np.float64]] = []
        self._vectors: dict[Hashable, Features] = {}

    def build(self) -> None:
        root = self._sequence()
        cloud: _Cloud = {}
        for number, strategy in enumerate(self.strategies):
            for memory, probability in strategy.start():
                cloud[self.game.initial_state(), memory, number] = probability
        stack = [(root, -1, found) for found in self._settle(root, {(): cloud})]
        while stack:
            if len(self.keys) + len(stack) > self.limit:
                raise self._too_large()
            parent, above, (key, cloud) = stack.pop()
            row = self._information_state(key, cloud, parent, above)
            for action in self.legal[row]:
                sequence = self._sequence()
                self.sequences[row].append(sequence)
                moved = self._act(sequence, key[1], cloud, action)
                stack += [(sequence, row, found) for found in self._settle(sequence, moved)]

    def _too_large(self) -> TooLargeError:
        return TooLargeError(
            f"{self.game.name}: more than {self.limit} information states, too many to solve exactly"
        )

    def _sequence(self) -> int:
        self.payoff.append(np.zeros((len(self.strategies), self.width)))
        return len(self.payoff) - 1

    def _information_state(self, key: InformationKey, cloud: _Cloud, parent: int, above: int) -> int:
        """Add a row below the row ``above`` (−1: none); return its number."""
        state = next(iter(cloud))[0]
        reach = np.zeros(len(self.strategies))
        for (_, _, number), weight in cloud.items():
            reach[number] += weight
        same_round = above >= 0 and self.rounds[above] == state.round
        self.keys.append(key)
        self.legal.append(state.legal_actions(self.seat))
        self.sequences.append([])
        self.parents.append(parent)
        self.depths.append(self.depths[above] + 1 if above >= 0 else 0)
        self.rounds.append(state.round)
        self.steps.append(self.steps[above] + 1 if same_round else 0)
        self.reach.append(reach)
        return len(self.keys) - 1

    def _settle(
        self, sequence: int, clouds: Mapping[tuple[Hashable, ...], _Cloud]
    ) -> list[tuple[InformationKey, _Cloud]]:
        """Let chance and the opponents move until the seat must act; return what it then knows."""
        found: dict[InformationKey, _Cloud] = {}
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
                todo.append((*self._record(sequence, history, particle, step, mass), mass))
        return list(found.items())

    def _others_move(self, state: State, memory: Any, number: int) -> list[tuple[Step, float]]:
        if state.chance is not None:
            return [(state.apply_chance(o), p) for o, p in state.chance_outcomes() if p > 0.0]
        (other,) = state.players_to_move
        answer = self._answer(state, memory, number, other)
        return [(state.apply({other: action}), p) for action, p in answer.items() if p > 0.0]

    def _act(
        self, sequence: int, history: tuple[Hashable, ...], cloud: _Cloud, action: Action
    ) -> Mapping[tuple[Hashable, ...], _Cloud]:
        moved: dict[tuple[Hashable, ...], _Cloud] = defaultdict(dict)
        for particle, weight in cloud.items():
            state, memory, number = particle
            others = [seat for seat in state.players_to_move if seat != self.seat]
            if others:
                answer = self._answer(state, memory, number, others[0])
                steps = [
                    (state.apply({self.seat: action, others[0]: other}), p)
                    for other, p in answer.items()
                    if p > 0.0
                ]
            else:
                steps = [(state.apply({self.seat: action}), 1.0)]
            for step, probability in steps:
                mass = weight * probability
                past, following = self._record(sequence, history, particle, step, mass)
                here = moved[past]
                here[following] = here.get(following, 0.0) + mass
        return moved

    def _answer(self, state: State, memory: Any, number: int, other: Seat) -> Mapping[Action, float]:
        return self.strategies[number].probabilities(
            memory, state.observation(other), state.legal_actions(other)
        )

    def _record(
        self, sequence: int, history: tuple[Hashable, ...], particle: _Particle, step: Step, mass: float
    ) -> tuple[tuple[Hashable, ...], _Particle]:
        state, memory, number = particle
        if step.outcome is not None:
            vector = self._vectors.get(step.outcome)
            if vector is None:
                vector = self._vectors[step.outcome] = features(step.outcome, self.seat)
            self.payoff[sequence][number] += mass * self.game.round_weight(state.round) * vector
        if step.signals:
            history = (*history, step.signals[self.seat])
            memory = self.strategies[number].update(memory, step.signals[1 - self.seat])
        return history, (step.state, memory, number)


def compile_tree(game: Game, opponents: Mapping[str, Strategy], seat: Seat, limit: int = 100_000) -> Tree:
    """Compile the tables of a seat against several opponents at once.

    Args:
        game: The rules; pass ``game.stage()`` where rounds are independent.
        opponents: Opponents by name, in finite-memory form.
        seat: The seat the tables are for.
        limit: Largest number of information states.

    Raises:
        TooLargeError: There are more.
    """
    builder = _Builder(game, opponents, seat, limit)
    builder.build()
    width = max((len(row) for row in builder.sequences), default=0)
    padded = np.full((len(builder.keys), width), -1, dtype=np.int64)
    for row, numbers in enumerate(builder.sequences):
        padded[row, : len(numbers)] = numbers
    return Tree(
        game=game,
        seat=seat,
        opponents=tuple(opponents),
        keys=tuple(builder.keys),
        legal=tuple(builder.legal),
        sequences=padded,
        parents=np.array(builder.parents, dtype=np.int64),
        depths=np.array(builder.depths, dtype=np.int64),
        rounds=np.array(builder.rounds, dtype=np.int64),
        steps=np.array(builder.steps, dtype=np.int64),
        reach=np.array(builder.reach).reshape(len(builder.keys), len(opponents)),
        payoff=np.array(builder.payoff),
    )
