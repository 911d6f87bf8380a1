"""Bounds of what can still be gained: valid against every opponent, and tight where the rules allow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.auditing.exact.extent import Extents
from equipoise.auditing.exact.reply import worst_case
from equipoise.games.base import Game
from equipoise.games.registry import make_game
from equipoise.objective.features import OPPONENT, OWN, feature_count
from equipoise.opponents.registry import strategies
from tests.auditing.oracle import random_policy
from tests.helpers import SMALL, named


def reward(game: Game, feature: int, sign: float = 1.0) -> np.ndarray[Any, np.dtype[np.float64]]:
    vector = np.zeros(feature_count(game.info_record))
    vector[feature] = sign
    return vector


@pytest.mark.parametrize(("name", "options"), named(SMALL))
def test_no_worst_case_leaves_the_bounds_of_the_start(name: str, options: dict[str, object]) -> None:
    game = make_game(name, **options).stage()
    start = game.initial_state()
    gains = Extents(game, 1, reward(game, OWN)).of(start)
    losses = Extents(game, 1, reward(game, OPPONENT, -1.0)).of(start)
    for strategy in strategies(name).values():
        found = worst_case(game, [(strategy, 0)])
        assert gains.low - 1e-12 <= found.best_response <= gains.high + 1e-12
        assert losses.low - 1e-12 <= -found.security <= losses.high + 1e-12


@settings(max_examples=5, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**20))
def test_random_tables_in_the_dilemma_stay_within_too(seed: int) -> None:
    game = make_game("ipd", rounds=3, noise=0.1)
    extent = Extents(game, 1, reward(game, OWN)).of(game.initial_state())
    found = worst_case(game, [(random_policy(game, seed).strategy(game), 0)])
    assert extent.low <= found.best_response <= extent.high


def test_the_dilemma_from_its_rules() -> None:
    game = make_game("ipd")
    # A responder can always defect for P = 1 a round, and hope for T = 5.
    assert Extents(game, 1, reward(game, OWN)).of(game.initial_state()) == pytest.approx((1.0, 5.0))
    # It can keep the other down to P, and hope to leave it S = 0.
    assert Extents(game, 1, reward(game, OPPONENT, -1.0)).of(game.initial_state()) == pytest.approx(
        (-1.0, 0.0)
    )


def test_hidden_information_falls_back_on_payoff_bounds() -> None:
    game = make_game("auction")
    assert Extents(game, 0, reward(game, OWN)).of(game.initial_state()) == pytest.approx((-1.0, 3.0))
