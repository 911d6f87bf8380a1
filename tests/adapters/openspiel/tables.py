"""Random behaviours of OpenSpiel's own policy class, and the same as tables of this package."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyspiel
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import expected_game_score, exploitability

from equipoise.policies.registry import load_game
from equipoise.policies.tabular import TabularPolicy

__all__ = ["Pair", "random_pair", "their_game", "their_nash_conv", "their_value", "uniform_pair"]


class Pair(NamedTuple):
    """One behaviour in both forms."""

    theirs: Any
    ours: TabularPolicy


def their_game(name: str) -> Any:
    """Return OpenSpiel's game, in turns."""
    game = pyspiel.load_game(name)
    at_once = game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    return pyspiel.convert_to_turn_based(game) if at_once else game


def uniform_pair(name: str) -> Pair:
    """Return the uniform behaviour of a game."""
    return _pair(name, spiel_policy.TabularPolicy(their_game(name)))


def random_pair(name: str, seed: int) -> Pair:
    """Return a behaviour drawn with a seed."""
    theirs = spiel_policy.TabularPolicy(their_game(name))
    draw = np.random.default_rng(seed)
    weights = draw.exponential(size=theirs.action_probability_array.shape) * theirs.legal_actions_mask
    theirs.action_probability_array[:] = weights / weights.sum(axis=1, keepdims=True)
    return _pair(name, theirs)


def _pair(name: str, theirs: Any) -> Pair:
    table = {}
    for state, row in zip(theirs.states, theirs.action_probability_array.tolist(), strict=True):
        player = state.current_player()
        label = f"{player}: {state.information_state_string(player)}".replace("\n", "\\n")
        table[label] = {state.action_to_string(player, a): row[a] for a in state.legal_actions()}
    return Pair(theirs, TabularPolicy(load_game(f"openspiel:{name}").info_record.key, table))


def their_value(name: str, first: Any, second: Any) -> list[float]:
    """Return OpenSpiel's expected returns of two behaviours."""
    found = expected_game_score.policy_value(their_game(name).new_initial_state(), [first, second])
    return [float(value) for value in found]


def their_nash_conv(name: str, theirs: Any, **settings: Any) -> float:
    """Return OpenSpiel's NashConv."""
    return float(exploitability.nash_conv(their_game(name), theirs, **settings))
