"""Everything that can happen in a small game, found by walking its positions once."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import cache
from itertools import product

from equipoise.errors import RequestError
from equipoise.games.base import Game, GameOptions, State
from equipoise.types import Action

__all__ = ["FEW", "Extent", "extent_of"]

FEW, STEPS = 20_000, 400_000
"""Positions that are walked, and steps between them."""


@dataclass(frozen=True)
class Extent:
    """What a walk finds.

    Attributes:
        actions: Every action that is legal somewhere, in the order in which the walk meets them.
        outcomes: The most outcomes of a chance draw; 0 if nothing is drawn.
        decisions: The most decision points of an episode; seats that move at once share one.
        draws: The most chance draws of an episode.
        joint: Whether more than one seat is to move somewhere.
    """

    actions: tuple[Action, ...]
    outcomes: int
    decisions: int
    draws: int
    joint: bool


@dataclass
class _Walk:
    following: dict[State, list[State]] = field(default_factory=dict)
    actions: dict[Action, None] = field(default_factory=dict)
    outcomes: int = 0
    joint: bool = False

    def visit(self, state: State) -> list[State]:
        """Return the positions after one, and note what it offers."""
        if state.is_over:
            return []
        if state.chance is not None:
            drawn = [outcome for outcome, _ in state.chance_outcomes()]
            self.outcomes = max(self.outcomes, len(drawn))
            return [state.apply_chance(outcome).state for outcome in drawn]
        seats = state.players_to_move
        self.joint = self.joint or len(seats) > 1
        legal = [state.legal_actions(seat) for seat in seats]
        self.actions.update((action, None) for actions in legal for action in actions)
        return [state.apply(dict(zip(seats, joint, strict=True))).state for joint in product(*legal)]


def extent_of(game: Game) -> Extent:
    """Return what can happen in a game; walked once for a class and its options.

    Raises:
        RequestError: It has more than ``FEW`` positions, or ``STEPS`` steps between them.
    """
    return _extent(type(game), game.options)


@cache
def _extent(kind: type[Game], options: GameOptions) -> Extent:
    game = kind(options)
    walk, first = _Walk(), game.initial_state()
    left, seen, steps = deque([first]), {first}, 0
    while left:
        state = left.popleft()
        after = walk.visit(state)
        steps += len(after)
        apart = walk.following[state] = list(dict.fromkeys(after))
        new = [one for one in apart if one not in seen]
        left.extend(new)
        seen.update(new)
        if len(seen) > FEW or steps > STEPS:
            raise RequestError(
                f"{game.name} is too large to walk ({FEW} positions at most): choose options that make it "
                "smaller"
            )
    decisions, draws = _longest(walk.following, first)
    return Extent(tuple(walk.actions), walk.outcomes, decisions, draws, walk.joint)


def _longest(following: dict[State, list[State]], first: State) -> tuple[int, int]:
    """Return the most decision points and the most draws on the way to an end."""
    known: dict[State, tuple[int, int]] = {}
    stack = [first]
    while stack:
        state = stack[-1]
        open_ = [after for after in following[state] if after not in known]
        if open_:
            stack += open_
            continue
        stack.pop()
        ways = [known[after] for after in following[state]]
        most = [max((way[part] for way in ways), default=0) for part in (0, 1)]
        drawn = state.chance is not None
        known[state] = (most[0] + (not drawn and not state.is_over), most[1] + drawn)
    return known[first]
