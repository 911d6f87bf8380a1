"""Positions of an environment of PettingZoo: a seed and the moves since.

Environments cannot be copied (those that can be pickled come back as they were made), so a position that is
gone back to is played anew from its reset; playing on costs one step.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.errors import RequestError
from equipoise.games.base import State, Step
from equipoise.types import Action, RoundOutcome, Seat

if TYPE_CHECKING:
    from equipoise.adapters.pettingzoo.rules import PettingZooGame

__all__ = ["DIGIT", "View", "ZooState"]

DIGIT = 256
"""A seed is drawn in two digits, so that no draw has too many outcomes."""


@dataclass(frozen=True, slots=True)
class View:
    """What a seat knows when it is to move.

    Attributes:
        seat: The seat.
        past: What it was shown and what it then did, oldest first; observations as JSON.
        now: What it is shown.
    """

    seat: Seat
    past: tuple[tuple[str, int], ...]
    now: str


class ZooState(State):
    """A seed and the moves since; holds the live environment until somebody moves on with it."""

    __slots__ = ("_following", "_game", "_key", "_live", "_views", "legal", "mover", "outcome", "paid")

    def __init__(
        self,
        game: PettingZooGame,
        key: tuple[tuple[int, ...], tuple[int, ...]],
        live: Any = None,
        views: tuple[tuple[tuple[str, int], ...], ...] = ((), ()),
        paid: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        self._game, self._key, self._live, self._views, self.paid = game, key, live, views, paid
        self._following: dict[int, Step] = {}
        self.mover: Seat | None = None
        self.legal: tuple[int, ...] = ()
        self.outcome: RoundOutcome | None = None
        if live is not None:
            self._look(live)

    def _look(self, env: Any) -> None:
        """Note who is to move and what it sees, or that it is over."""
        self.paid, over = _clear(env, self.paid, self._game.agents)
        if over:
            self.outcome = self._game.settle(self.paid)
            self._live = None
            env.close()
            return
        self.mover = self._game.agents.index(env.agent_selection)
        shown, _, _, _, info = env.last()
        self.legal = _legal(env, shown, info)
        self._views = tuple(
            (*view, (_text(shown), -1)) if seat == self.mover else view
            for seat, view in enumerate(self._views)
        )
        if len(self._key[1]) >= self._game.options.max_moves:
            raise RequestError(
                f"{self._game.name} has not ended after {len(self._key[1])} moves: set max_moves"
            )

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ZooState) and self._key == other._key

    def __repr__(self) -> str:
        return f"{self._game.name}{self._key}"

    @property
    def round(self) -> int:
        return 0

    @property
    def is_over(self) -> bool:
        return self.outcome is not None

    @property
    def players_to_move(self) -> tuple[Seat, ...]:
        return () if self.mover is None else (self.mover,)

    @property
    def chance(self) -> str | None:
        drawn = len(self._key[0])
        return f"seed/{drawn}" if drawn < self._game.digits else None

    def chance_outcomes(self) -> tuple[tuple[Hashable, float], ...]:
        if self.chance is None:
            return ()
        return tuple((digit, 1.0 / DIGIT) for digit in range(DIGIT))

    def apply_chance(self, outcome: Hashable) -> Step:
        return Step(self._game.after_draw((*self._key[0], int(str(outcome)))))

    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        return self.legal

    def observation(self, seat: Seat) -> View:
        known = self._views[seat]
        if seat == self.mover:
            return View(seat, known[:-1], known[-1][0])
        return View(seat, known, "")

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        assert self.mover is not None
        action = int(str(actions[self.mover]))
        step = self._following.get(action)
        if step is None:
            step = self._grow(action)
            if self._game.keeps:
                self._following[action] = step
        return step

    def _grow(self, action: int) -> Step:
        """Return what follows an action, from a live environment."""
        assert self.mover is not None
        env = self._take_live()
        shown = self._views[self.mover][-1][0]
        views = tuple(
            (*view[:-1], (shown, action)) if seat == self.mover else view
            for seat, view in enumerate(self._views)
        )
        paid = _step(env, action, self.paid, self._game.agents)
        seed, moves = self._key
        following = ZooState(self._game, (seed, (*moves, action)), env, views, paid)
        return Step(following, following.outcome)

    def _take_live(self) -> Any:
        """Return an environment in this position: the one that is here, or one that is played anew."""
        env, self._live = self._live, None
        if env is None:
            env = self._game.open_seeded(self._key[0])
            for move in self._key[1]:
                _clear(env, (0.0, 0.0), self._game.agents)
                env.step(move)
            _clear(env, (0.0, 0.0), self._game.agents)
        return env


def _step(env: Any, action: int | None, paid: tuple[float, float], agents: list[str]) -> tuple[float, float]:
    """Move, and return what was paid so far."""
    env.step(action)
    gained = [float(env.rewards.get(agent, 0.0)) for agent in agents]
    return paid[0] + gained[0], paid[1] + gained[1]


def _clear(env: Any, paid: tuple[float, float], agents: list[str]) -> tuple[tuple[float, float], bool]:
    """Let agents that are done leave, and tell whether nobody is left."""
    while env.agents:
        agent = env.agent_selection
        if not (env.terminations[agent] or env.truncations[agent]):
            return paid, False
        paid = _step(env, None, paid, agents)
    return paid, True


def _legal(env: Any, shown: Any, info: Mapping[str, Any]) -> tuple[int, ...]:
    space = env.action_space(env.agent_selection)
    first = int(space.start)
    mask = shown.get("action_mask") if isinstance(shown, Mapping) else None
    mask = info.get("action_mask") if mask is None else mask
    if mask is None:
        return tuple(range(first, first + int(space.n)))
    return tuple(first + int(number) for number in np.flatnonzero(mask))


def _text(shown: Any) -> str:
    """Return an observation as JSON, without its mask."""
    return json.dumps(_plain(shown), separators=(",", ":"), sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {str(key): _plain(one) for key, one in value.items() if key != "action_mask"}
        return kept["observation"] if set(kept) == {"observation"} else kept
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value
