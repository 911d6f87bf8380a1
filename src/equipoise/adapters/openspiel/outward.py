"""Our games as Python games of OpenSpiel.

Actions go by their place among all actions of the game, chance outcomes by their place at their draw. A
seat's information state is the label that the game gives it. OpenSpiel asks for it at any time, also before
the first decision and after the last: between decisions it is what was seen last, with all that was learned
since.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from urllib.parse import quote, unquote

import numpy as np
import pyspiel

from equipoise.adapters.extent import Extent, extent_of
from equipoise.adapters.layout import Layout, layout_of
from equipoise.errors import RequestError
from equipoise.games.base import Game, State, Step
from equipoise.types import Action, Seat

__all__ = ["Position", "position_of", "register"]

_REGISTERED: dict[str, type[Game]] = {}
_SEATS = (0, 1)
_PLAIN = (bool, int, float, str)


def register(game: Game) -> Any:
    """Register the rules of a game with OpenSpiel and return it, with its options.

    Raises:
        RequestError: It is OpenSpiel's own, has more than two seats or too many positions, or other rules go
            by the name already.
    """
    game, name = game.stage(), f"equipoise_{game.name}"
    if not game.name.isidentifier():
        raise RequestError(f"{game.name!r} comes from elsewhere: load it there")
    if game.info_record.seats != len(_SEATS):
        raise RequestError(
            f"{game.name!r} has {game.info_record.seats} seats: only games of two are handed on"
        )
    extent_of(game)
    if _REGISTERED.setdefault(name, type(game)) is not type(game):
        raise RequestError(
            f"other rules are registered with OpenSpiel as {name!r}: name your game differently"
        )
    if name not in pyspiel.registered_names():
        # A class, which outlives the interpreter's end: OpenSpiel lets go of it later than that.
        pyspiel.register_game(_kind(game), type(name, (_SpielGame,), {"kind": type(game)}))
    return pyspiel.load_game(name, _written(game))


def _written(game: Game) -> dict[str, Any]:
    """Return the options as OpenSpiel's parameters.

    What is no number, word or truth value is JSON; signs that mean something in a game's name are escaped.
    """
    found = game.options.model_dump(mode="json")
    return {
        key: one if isinstance(one, _PLAIN) else quote(json.dumps(one, separators=(",", ":")), safe='[]{}:"')
        for key, one in found.items()
    }


def _read(kind: type[Game], parameters: Mapping[str, Any]) -> Game:
    """Return the game of OpenSpiel's parameters."""
    defaults = kind.Options().model_dump(mode="json")
    options = {
        key: given if isinstance(defaults[key], _PLAIN) else json.loads(unquote(str(given)))
        for key, given in parameters.items()
    }
    made: Game = kind.create(**options).stage()  # type: ignore[attr-defined]
    return made


def _kind(game: Game) -> Any:
    """Return what OpenSpiel wants declared of a game, whatever its options."""
    kind, record = pyspiel.GameType, game.info_record
    at_once = record.dynamics == "simultaneous"
    columns = bool(layout_of(game).fields)
    return kind(
        short_name=f"equipoise_{game.name}",
        long_name=record.title,
        dynamics=kind.Dynamics.SIMULTANEOUS if at_once else kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if record.zero_sum else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.REWARDS,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=columns,
        provides_observation_string=True,
        provides_observation_tensor=columns,
        parameter_specification=_written(type(game)()),
    )


def _size(game: Game, extent: Extent) -> Any:
    record = game.info_record
    low, high = record.payoff_bounds
    return pyspiel.GameInfo(
        num_distinct_actions=len(layout_of(game).actions),
        max_chance_outcomes=extent.outcomes,
        num_players=2,
        min_utility=low * record.rounds,
        max_utility=high * record.rounds,
        utility_sum=0.0 if record.zero_sum else None,
        max_game_length=extent.decisions,
    )


class _SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game as OpenSpiel holds it; subclasses say which."""

    kind: ClassVar[type[Game]]

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        self.rules = _read(self.kind, parameters or {})
        self.extent, self.layout = extent_of(self.rules), layout_of(self.rules)
        super().__init__(_kind(self.rules), _size(self.rules, self.extent), dict(parameters or {}))

    def new_initial_state(self) -> Any:
        """Return the start."""
        return _SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the most draws of an episode."""
        return self.extent.draws

    def make_py_observer(self, kind: Any = None, params: Any = None) -> Any:
        """Return what turns a state into text and numbers."""
        if params:
            raise ValueError(f"no parameters of observations are known: {params}")
        return _Observer(self.layout)


@dataclass(frozen=True)
class Position:
    """A position with what every seat knows, and what it was paid. Never changed, so copies are the same."""

    game: Game
    state: State
    histories: tuple[tuple[Hashable, ...], ...] = ((), ())
    seen: tuple[Hashable, ...] = (None, None)
    paid: tuple[float, ...] = (0.0, 0.0)
    before: tuple[float, ...] = (0.0, 0.0)
    """What was paid up to the last decision: OpenSpiel's rewards are what came since."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self

    def after(self, step: Step) -> Position:
        """Return what follows a step."""
        histories = self.histories
        if step.signals:
            histories = tuple((*known, new) for known, new in zip(histories, step.signals, strict=True))
        gain = (0.0, 0.0) if step.outcome is None else step.outcome.payoffs
        paid = tuple(had + got for had, got in zip(self.paid, gain, strict=True))
        before = self.before if self.state.chance is not None else self.paid
        return replace(self, state=step.state, histories=histories, paid=paid, before=before).looking()

    def looking(self) -> Position:
        """Return the position with what the seats see, where there is something to decide."""
        if not self.state.players_to_move:
            return self
        return replace(self, seen=tuple(self.state.observation(seat) for seat in _SEATS))

    def known(self, seat: Seat) -> str:
        """Return what a seat knows in words: the game's label, or nothing before the first decision."""
        if self.seen[seat] is None:
            return ""
        return self.game.label(self.seen[seat], self.histories[seat])


class _SpielState(pyspiel.State):  # type: ignore[misc]
    """A state as OpenSpiel asks for it."""

    def __init__(self, game: _SpielGame) -> None:
        super().__init__(game)
        self.actions = game.layout.actions
        self.at = Position(game.rules, game.rules.initial_state()).looking()

    def current_player(self) -> int:
        """Return who is to move."""
        state = self.at.state
        if state.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        if state.chance is not None:
            return int(pyspiel.PlayerId.CHANCE)
        movers = state.players_to_move
        return movers[0] if len(movers) == 1 else int(pyspiel.PlayerId.SIMULTANEOUS)

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(map(self.actions.index, self.at.state.legal_actions(player)))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the pending draw that can happen."""
        drawn = self.at.state.chance_outcomes()
        return [(number, float(p)) for number, (_, p) in enumerate(drawn) if p > 0.0]

    def _apply_action(self, action: int) -> None:
        state = self.at.state
        if state.chance is not None:
            step = state.apply_chance(state.chance_outcomes()[action][0])
        else:
            step = state.apply({state.players_to_move[0]: self.actions[action]})
        self.at = self.at.after(step)

    def _apply_actions(self, actions: list[int]) -> None:
        chosen: dict[Seat, Action] = {seat: self.actions[actions[seat]] for seat in _SEATS}
        self.at = self.at.after(self.at.state.apply(chosen))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"{self.at.state.chance}={self.at.state.chance_outcomes()[action][0]}"
        return str(self.actions[action])

    def is_terminal(self) -> bool:
        """Tell whether it is over."""
        return self.at.state.is_over

    def rewards(self) -> list[float]:
        """Return what was paid since the last decision."""
        at = self.at
        return [now - then for now, then in zip(at.paid, at.before, strict=True)]

    def returns(self) -> list[float]:
        """Return what was paid so far."""
        return list(self.at.paid)

    def __str__(self) -> str:
        return " | ".join(self.at.known(seat) for seat in _SEATS) + f" {self.at.paid}"


class _Observer:
    """Text and numbers of what a seat knows; the numbers are those of ``layout``."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        size = layout.size if layout.fields else 0
        self.tensor = np.zeros(size, np.float32)
        self.dict = {"information": self.tensor} if size else {}

    def set_from(self, state: Any, player: int) -> None:
        """Write the numbers of what a player knows."""
        at: Position = state.at
        self.tensor.fill(0.0)
        if self._layout.fields and at.seen[player] is not None:
            self.tensor[:] = self._layout.observation(at.game, player, at.seen[player], at.histories[player])

    def string_from(self, state: Any, player: int) -> str:
        """Return the text of what a player knows."""
        at: Position = state.at
        return f"{player}: {at.known(player)}"


def position_of(state: Any) -> Position:
    """Return the position behind a state of OpenSpiel, converted to turns or not."""
    inner = state.simultaneous_game_state() if hasattr(state, "simultaneous_game_state") else state
    at: Position = inner.at
    return at
