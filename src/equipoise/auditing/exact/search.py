"""A certified interval of the best reply to a policy that must be asked, best first.

The responder's tree of histories is grown where it matters. A position that has not been looked at has the
bounds of ``extent``; asking the policy what it does there replaces them by the bounds of what follows. What
is looked at is the plan that may still be worth most, and in it the positions reached most often (the
idea of AO*: N. Nilsson, *Principles of Artificial Intelligence*, 1980). The interval holds at every moment,
and shrinks to the exact value.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.exact.dynamics import Cloud, Dynamics, History, Particle
from equipoise.auditing.exact.extent import Extent, Extents
from equipoise.auditing.exact.tree import InformationKey
from equipoise.games.base import Game, State, Step
from equipoise.objective.features import Features
from equipoise.opponents.base import Classifier, Strategy
from equipoise.types import Action, Probabilities, Seat

__all__ = ["ReplySearch", "Wanted"]


class Wanted(NamedTuple):
    """An information state of the policy that has not been asked yet, as a decision describes it.

    Attributes:
        key: Observation and history.
        legal: Legal actions.
        round: The round.
        step: Which of the policy's decisions in the round it is.
        nth: Which of its decisions in the episode it is.
    """

    key: InformationKey
    legal: tuple[Action, ...]
    round: int
    step: int
    nth: int


class _Memory(NamedTuple):
    """What a policy with perfect recall has seen, and how often it was asked."""

    history: tuple[Hashable, ...] = ()
    step: int = 0
    nth: int = 0


class _Recalls(Strategy):
    """Remembers what the policy has seen; what it answers is looked up by :class:`_Asking`."""

    name = "asked"
    classifier = Classifier(memory_depth=None, stochastic=True, uses_horizon=True, knows_private=True)
    source = "a policy that is asked"

    def start(self) -> tuple[tuple[_Memory, float], ...]:
        return ((_Memory(), 1.0),)

    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        raise NotImplementedError

    def update(self, memory: _Memory, signal: Any) -> _Memory:
        return memory._replace(history=(*memory.history, signal))


class _Asking(Dynamics):
    """Moves with the policy as far as it has been asked; what is missing is noted, and leads nowhere."""

    def __init__(self, game: Game, table: Mapping[InformationKey, Probabilities], seat: Seat) -> None:
        super().__init__(game, (_Recalls(),), seat)
        self.table = table
        self.wanted: dict[InformationKey, Wanted] = {}

    def answer(self, state: State, memory: Any, number: int, other: Seat) -> Mapping[Action, float]:
        key = (state.observation(other), memory.history)
        row = self.table.get(key)
        if row is None:
            legal = state.legal_actions(other)
            self.wanted[key] = Wanted(key, legal, state.round, memory.step, memory.nth)
            return {}
        return row

    def record(
        self, earned: NDArray[np.float64], history: History, particle: Particle, step: Step, mass: float
    ) -> tuple[History, Particle]:
        asked = any(seat != self.seat for seat in particle[0].players_to_move)
        past, (state, memory, number) = super().record(earned, history, particle, step, mass)
        assert isinstance(memory, _Memory)
        done = 0 if step.outcome is not None else memory.step + asked
        return past, (state, memory._replace(step=done, nth=memory.nth + asked), number)


@dataclass(eq=False)
class _Node:
    """A position of the responder; bounds are of what it adds to the value of the root.

    Attributes:
        history: The responder's signals.
        cloud: Hidden nodes with the probability that chance and the policy reach them.
        low: Lower bound.
        high: Upper bound.
        parent: The node before it.
        moves: For each own action, what it earns at once and the nodes it leads to; empty if unexpanded.
    """

    history: tuple[Hashable, ...]
    cloud: Cloud
    low: float
    high: float
    parent: _Node | None
    moves: list[tuple[float, list[_Node]]] = field(default_factory=list)

    @property
    def gap(self) -> float:
        return self.high - self.low

    def options(self) -> list[tuple[float, float, list[_Node]]]:
        """Return the bounds of every own action, with the nodes behind it."""
        return [
            (earned + sum(n.low for n in nodes), earned + sum(n.high for n in nodes), nodes)
            for earned, nodes in self.moves
        ]


class ReplySearch:
    """The tree of one responder; ask what it wants, tell it the answers, read the interval."""

    def __init__(
        self, game: Game, table: Mapping[InformationKey, Probabilities], seat: Seat, reward: Features
    ) -> None:
        """Start at the root.

        Args:
            game: The rules; pass ``game.stage()`` where rounds are independent.
            table: The policy as far as it has been asked; it may grow between calls.
            seat: The seat of the responder.
            reward: (F,) what a round's features are worth to the responder.
        """
        self._moves = _Asking(game, table, seat)
        self._extents = Extents(game, seat, reward)
        self._reward = reward
        self._first: float | None = None
        self._roots: list[_Node] = []
        self._deceived = False

    @property
    def interval(self) -> Extent:
        """The bounds of the best reply's mean reward per round."""
        if self._first is None:
            state = self._moves.game.initial_state()
            return self._extents.of(state)
        low = sum(node.low for node in self._roots)
        high = sum(node.high for node in self._roots)
        return Extent(self._first + low, self._first + high)

    def wants(self, count: int) -> list[Wanted]:
        """Return up to ``count`` information states whose answers would shrink the interval most.

        Everything that can be done without asking is done first; an empty list means that the interval has
        its final width.
        """
        while True:
            if self._deceived:
                self._restart()
            open_nodes = self._open(max(count, 1))
            if not open_nodes:
                return []
            wanted: dict[InformationKey, Wanted] = {}
            for node in open_nodes:
                wanted.update(self._expand(node))
                if len(wanted) >= count:
                    break
            if wanted:
                return list(wanted.values())[:count]

    def _restart(self) -> None:
        """Grow the tree anew with bounds that do not rely on the responder knowing the state."""
        self._extents.distrust()
        self._first, self._roots, self._deceived = None, [], False

    def _open(self, count: int) -> Sequence[_Node | None]:
        return [None] if self._first is None else self._promising(count)

    def _expand(self, node: _Node | None) -> Mapping[InformationKey, Wanted]:
        """Expand a node (None: the root); return what must be asked before that is possible."""
        self._moves.wanted = {}
        moves: list[tuple[float, list[_Node]]] = []
        if node is None:
            earned = self._moves.nothing()
            found = self._moves.settle(earned, {(): self._moves.start()})
            moves.append((float(earned[0] @ self._reward), self._nodes(found, None)))
        else:
            state = next(iter(node.cloud))[0]
            for action in state.legal_actions(self._moves.seat):
                earned = self._moves.nothing()
                acted = self._moves.act(earned, node.history, node.cloud, action)
                found = self._moves.settle(earned, acted)
                moves.append((float(earned[0] @ self._reward), self._nodes(found, node)))
        if self._moves.wanted:
            return self._moves.wanted
        if node is None:
            self._first, self._roots = moves[0]
        else:
            node.moves = moves
            node.cloud = {}
            _tighten(node)
        return {}

    def _nodes(self, found: Iterable[tuple[InformationKey, Cloud]], parent: _Node | None) -> list[_Node]:
        nodes = []
        for (_, history), cloud in found:
            if self._extents.trusts and len({state for state, _, _ in cloud}) > 1:
                self._deceived = True
            extents = [(self._extents.of(state), weight) for (state, _, _), weight in cloud.items()]
            low = sum(extent.low * weight for extent, weight in extents)
            high = sum(extent.high * weight for extent, weight in extents)
            nodes.append(_Node(history, cloud, low, high, parent))
        return nodes

    def _promising(self, count: int) -> list[_Node]:
        """Return unexpanded nodes of the plan that may be worth most, those reached most often first."""
        leaves: list[_Node] = []
        stack = [node for node in self._roots if node.gap > 0.0]
        while stack:
            node = stack.pop()
            if not node.moves:
                leaves.append(node)
                continue
            # Only this plan can bring the upper bound down.
            _, _, nodes = max(node.options(), key=lambda option: option[1])
            stack += [child for child in nodes if child.gap > 0.0]
        reach = np.array([sum(leaf.cloud.values()) for leaf in leaves])
        return [leaves[i] for i in np.argsort(-reach, kind="stable")[:count]]


def _tighten(node: _Node | None) -> None:
    """Carry new bounds towards the root, as far as they change anything."""
    while node is not None:
        options = node.options()
        low = max(node.low, max(option[0] for option in options))
        high = min(node.high, max(option[1] for option in options))
        if (low, high) == (node.low, node.high):
            return
        node.low, node.high = low, high
        node = node.parent
