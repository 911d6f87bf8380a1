"""What several tests share: playing a game, walking all of it, and valuing two strategies by hand.

The exact values here are computed by pushing probability forward through the rules, one node at a time, and
use nothing of ``equipoise.auditing``: they are an independent check of it as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from equipoise.games.base import Game, State, Step
from equipoise.games.match import Match, pick
from equipoise.opponents.base import Classifier, Strategy, certain
from equipoise.types import Action, Decision, RoundOutcome, Seat

Act = Callable[[Seat, Hashable, tuple[Hashable, ...], tuple[Action, ...]], Action]
"""Maps seat, observation, history and legal actions to an action."""


@dataclass(frozen=True)
class Constant:
    """Draws that are all the same number."""

    value: float = 0.0

    def uniform(self, purpose: str) -> float:
        return self.value

    def once(self, purpose: str) -> float:
        return self.value


class Script(Strategy):
    """Plays a fixed sequence of actions, one a round, then the last one for ever."""

    classifier = Classifier(memory_depth=0, uses_horizon=True)
    source = "a test"

    def __init__(self, *actions: Action) -> None:
        self.name = "script"
        self.actions = actions

    def start(self) -> tuple[tuple[int, float], ...]:
        return ((0, 1.0),)

    def probabilities(
        self, memory: int, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        return certain(self.actions[min(memory, len(self.actions) - 1)])

    def update(self, memory: int, signal: Any) -> int:
        return memory + 1


def play(
    game: Game,
    players: Sequence[Strategy],
    chance: Callable[[int, str], float],
    draws: Callable[[Seat, int, int], float] = lambda seat, round_, step: 0.5,
) -> Match:
    """Play strategies against each other; ``draws`` gives the quantile of a seat's draw."""
    match = Match(game, chance)
    memories = [pick(player.start(), 0.0) for player in players]
    learned = [0] * len(players)
    while not match.is_over:
        actions: dict[Seat, Action | str] = {}
        for seat in match.players_to_move:
            asked = match.observe(seat)
            assert asked.legal is not None
            given = players[seat].probabilities(memories[seat], asked.observation, asked.legal)
            table = [(action, given.get(action, 0.0)) for action in asked.legal]
            actions[seat] = pick(table, draws(seat, asked.round, asked.step))  # type: ignore[assignment]
        match.apply(actions)
        for seat, player in enumerate(players):
            for signal in match.histories[seat][learned[seat] :]:
                memories[seat] = player.update(memories[seat], signal)
            learned[seat] = len(match.histories[seat])
    return match


@dataclass(frozen=True)
class Node:
    """A position together with what every seat remembers."""

    state: State
    histories: tuple[tuple[Hashable, ...], ...]

    def after(self, step: Step) -> Node:
        """Return the node that a step leads to."""
        if not step.signals:
            return Node(step.state, self.histories)
        pairs = zip(self.histories, step.signals, strict=True)
        return Node(step.state, tuple((*history, signal) for history, signal in pairs))

    def information_state(self, seat: Seat) -> Hashable:
        """Return everything the seat knows."""
        return (self.state.observation(seat), self.histories[seat])


def root(game: Game) -> Node:
    """Return the node an episode starts from."""
    return Node(game.initial_state(), ((),) * game.info_record.seats)


def joint_actions(state: State) -> Iterator[dict[Seat, Action]]:
    """Yield every combination of legal actions of the seats to move."""
    seats = state.players_to_move
    for actions in product(*(state.legal_actions(seat) for seat in seats)):
        yield dict(zip(seats, actions, strict=True))


def steps(state: State) -> Iterator[Step]:
    """Yield everything that can follow a position."""
    if state.is_over:
        return
    if state.chance is not None:
        for outcome, _ in state.chance_outcomes():
            yield state.apply_chance(outcome)
        return
    for actions in joint_actions(state):
        yield state.apply(actions)


def every_node(game: Game) -> list[Node]:
    """Return all nodes of a (small) game."""
    seen = {root(game)}
    queue = list(seen)
    for node in queue:
        for step in steps(node.state):
            if (following := node.after(step)) not in seen:
                seen.add(following)
                queue.append(following)
    return queue


def decision_at(game: Game, node: Node, seat: Seat, **fields: Any) -> Decision:
    """Return the decision of a seat that is to move at a node."""
    state = node.state
    asked = {
        "rules": game,
        "episode": "episode",
        "seat": seat,
        "round": state.round,
        "step": 0,
        "index": state.round,
        "legal": state.legal_actions(seat),
        "observation": state.observation(seat),
        "history": node.histories[seat],
        "draws": Constant(),
    }
    return Decision(**(asked | fields))


def every_decision(game: Game, **fields: Any) -> Iterator[Decision]:
    """Yield every decision of a (small) game, for every seat that is to move."""
    for node in every_node(game):
        for seat in node.state.players_to_move:
            yield decision_at(game, node, seat, **fields)


@dataclass
class Play:
    """One line through a game."""

    nodes: list[Node]
    outcomes: list[RoundOutcome] = field(default_factory=list)
    log: list[tuple[int, str, Hashable]] = field(default_factory=list)

    def take(self, step: Step) -> None:
        """Go on to what follows."""
        self.nodes.append(self.nodes[-1].after(step))
        if step.outcome is not None:
            self.outcomes.append(step.outcome)


def walk(game: Game, act: Act, chance: Callable[[State], Hashable]) -> Play:
    """Play from start to end with given actions and given chance outcomes."""
    line = Play([root(game)])
    while not (state := line.nodes[-1].state).is_over:
        if state.chance is not None:
            outcome = chance(state)
            line.log.append((state.round, state.chance, outcome))
            line.take(state.apply_chance(outcome))
            continue
        histories = line.nodes[-1].histories
        actions = {
            seat: act(seat, state.observation(seat), histories[seat], state.legal_actions(seat))
            for seat in state.players_to_move
        }
        line.take(state.apply(actions))
    return line


@dataclass(frozen=True)
class Value:
    """Expected means over the rounds of an episode; one entry a seat."""

    payoffs: tuple[float, ...]
    collusion: tuple[float, ...]
    externality: tuple[float, ...]


def value(game: Game, players: Sequence[Strategy]) -> Value:
    """Return the exact value of strategies against each other."""
    seats = range(len(players))
    totals = {name: [0.0 for _ in seats] for name in ("payoffs", "collusion", "externality")}
    layer: dict[tuple[State, tuple[Hashable, ...]], float] = defaultdict(float)
    for drawn in product(*(player.start() for player in players)):
        weight = 1.0
        for _, probability in drawn:
            weight *= probability
        layer[game.initial_state(), tuple(memory for memory, _ in drawn)] += weight
    while layer:
        following: dict[tuple[State, tuple[Hashable, ...]], float] = defaultdict(float)
        for (state, memories), mass in layer.items():
            for step, probability in _moves(state, players, memories):
                weight = mass * probability
                if step.outcome is not None:
                    for name, total in totals.items():
                        for seat, amount in enumerate(getattr(step.outcome, name) or ()):
                            total[seat] += weight * amount * game.round_weight(state.round)
                learned = memories
                if step.signals:
                    learned = tuple(
                        player.update(memory, signal)
                        for player, memory, signal in zip(players, memories, step.signals, strict=True)
                    )
                if not step.state.is_over:
                    following[step.state, learned] += weight
        layer = following
    return Value(**{name: tuple(total) for name, total in totals.items()})


def _moves(
    state: State, players: Sequence[Strategy], memories: Sequence[Hashable]
) -> Iterator[tuple[Step, float]]:
    if state.chance is not None:
        for outcome, probability in state.chance_outcomes():
            yield state.apply_chance(outcome), probability
        return
    given = {
        seat: players[seat].probabilities(memories[seat], state.observation(seat), state.legal_actions(seat))
        for seat in state.players_to_move
    }
    for actions in joint_actions(state):
        weight = 1.0
        for seat, action in actions.items():
            weight *= given[seat].get(action, 0.0)
        if weight > 0.0:
            yield state.apply(actions), weight


def reachable_memories(strategy: Strategy, signals: Sequence[Hashable], rounds: int) -> list[set[Hashable]]:
    """Return the memories a strategy can have at the start of each round."""
    layers = [{memory for memory, _ in strategy.start()}]
    for _ in range(rounds - 1):
        layers.append({strategy.update(memory, signal) for memory in layers[-1] for signal in signals})
    return layers


def memory_after(strategy: Strategy, signals: Sequence[Hashable]) -> Hashable:
    """Return the memory after a sequence of signals, from the (only) initial memory."""
    ((memory, _),) = strategy.start()
    for signal in signals:
        memory = strategy.update(memory, signal)
    return memory


SMALL: dict[str, tuple[dict[str, object], ...]] = {
    "ipd": (
        {"rounds": 1},
        {"rounds": 4},
        {"rounds": 3, "noise": 0.1},
        {"rounds": 3, "continuation": 0.7},
        {"rounds": 2, "noise": 0.2, "continuation": 0.5, "temptation": 7.0, "reward": 4.0, "sucker": 0.5},
    ),
    "kuhn": ({"rounds": 1}, {"rounds": 2}, {"rounds": 2, "memory": True}),
    "auction": ({"rounds": 1}, {"rounds": 2}),
    "split": ({"rounds": 1}, {"rounds": 2}),
    # Values are hidden from the other side in the first, but not in the second, where there is only one kind.
    "multi_issue": (
        {"rounds": 1, "valuation": "pool10", "pool": (2, 1, 4)},
        {"rounds": 1, "valuation": "pool10", "pool": (2, 2, 3)},
    ),
    "commons": ({"rounds": 1}, {"rounds": 3}),
}
"""Options of each game under which all of it can be enumerated in a second."""

FULL: dict[str, tuple[dict[str, object], ...]] = {
    "ipd": (
        {},
        {"noise": 0.05},
        {"continuation": 0.9},
        {"rounds": 20, "continuation": 0.8, "noise": 0.25},
        {"temptation": 4.5, "reward": 2.5, "punishment": 1.5, "sucker": 0.25},
    ),
    "kuhn": ({}, {"rounds": 3}, {"memory": True}, {"rounds": 4, "memory": True}),
    "auction": ({}, {"rounds": 20}),
    "split": ({}, {"rounds": 20}),
    "multi_issue": ({}, {"valuation": "pool10"}, {"rounds": 9, "pool": (4, 1, 2)}),
    "commons": ({}, {"rounds": 20}),
}
"""Options of each game, the defaults first, that are played at random."""


def named(table: Mapping[str, Sequence[Mapping[str, object]]]) -> list[Any]:
    """Return the (game name, options) pairs of a table, with readable test names."""
    import pytest

    return [
        pytest.param(name, dict(options), id=" ".join([name, *(f"{k}={v}" for k, v in options.items())]))
        for name, variants in table.items()
        for options in variants
    ]
