"""Lines through a game: random ones to the end, and all positions of a small game."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from random import Random

from equipoise.errors import EquipoiseError, RequestError
from equipoise.games.base import Game, State, Step
from equipoise.types import Action, RoundOutcome, Seat

__all__ = [
    "Line",
    "Move",
    "Node",
    "every_node",
    "joint_actions",
    "moves",
    "playable",
    "random_move",
    "root",
    "take",
]


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Move:
    """What happens at a node: a chance outcome (with its purpose), or the actions of the seats to move."""

    purpose: str | None = None
    outcome: Hashable = None
    actions: Mapping[Seat, Action] = field(default_factory=dict)


@dataclass
class Line:
    """One line through a game; ``nodes`` has one entry more than ``moves`` and ``steps``."""

    nodes: list[Node]
    moves: list[Move] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def go(self, move: Move) -> None:
        """Go on by a move."""
        self.follow(move, take(self.nodes[-1].state, move))

    def follow(self, move: Move, step: Step) -> None:
        """Go on by a move that has been taken."""
        self.moves.append(move)
        self.steps.append(step)
        self.nodes.append(self.nodes[-1].after(step))

    @property
    def outcomes(self) -> list[RoundOutcome]:
        """The outcomes of the finished rounds."""
        return [step.outcome for step in self.steps if step.outcome is not None]


@contextmanager
def playable(game: Game) -> Iterator[None]:
    """Guard a block that plays a game in order to check something else.

    Raises:
        RequestError: The game itself cannot be played.
    """
    try:
        yield
    except EquipoiseError:
        raise
    except Exception as error:
        message = " ".join(str(error).split())
        raise RequestError(
            f"{game.name} cannot be played ({type(error).__name__}: {message}): check the game first"
        ) from error


def root(game: Game) -> Node:
    """Return the node an episode starts from."""
    return Node(game.initial_state(), ((),) * game.info_record.seats)


def take(state: State, move: Move) -> Step:
    """Return what follows a position by a move."""
    return state.apply(move.actions) if move.purpose is None else state.apply_chance(move.outcome)


def joint_actions(state: State) -> Iterator[dict[Seat, Action]]:
    """Yield every combination of legal actions of the seats to move."""
    seats = state.players_to_move
    for actions in product(*(state.legal_actions(seat) for seat in seats)):
        yield dict(zip(seats, actions, strict=True))


def moves(state: State) -> Iterator[Move]:
    """Yield every move at a position."""
    if state.is_over:
        return
    if state.chance is not None:
        for outcome, _ in state.chance_outcomes():
            yield Move(state.chance, outcome)
        return
    for actions in joint_actions(state):
        yield Move(actions=actions)


def random_move(state: State, random: Random) -> Move:
    """Return a move at random, each outcome or action alike."""
    if state.chance is not None:
        return Move(state.chance, random.choice([outcome for outcome, _ in state.chance_outcomes()]))
    return Move(actions={s: random.choice(state.legal_actions(s)) for s in state.players_to_move})


def every_node(game: Game, limit: int) -> list[Node] | None:
    """Return all nodes of a game, or None if there are more than ``limit``."""
    start = root(game)
    seen, queue = {start}, [start]
    for node in queue:
        for move in moves(node.state):
            following = node.after(take(node.state, move))
            if following not in seen:
                if len(seen) >= limit:
                    return None
                seen.add(following)
                queue.append(following)
    return queue
