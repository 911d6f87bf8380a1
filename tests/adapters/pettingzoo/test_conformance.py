"""PettingZoo's and Gymnasium's own checks on every game."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

pytest.importorskip("pettingzoo", reason="pettingzoo is not installed")

from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from equipoise.adapters.pettingzoo import aec_env, gym_env, parallel_env

GAMES = ("ipd", "auction", "split", "multi_issue", "kuhn", "commons")
SIMULTANEOUS = tuple(game for game in GAMES if game != "kuhn")

EXPECTED = (
    # Observations are mappings, which PettingZoo's own card and board games have too.
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "Environment has not defined a render",
    "Not able to test alternative render modes",
    "The old environment creation API has been deprecated",
)
"""What the checks say of every environment with action masks and without pictures; the rest is an error."""


@pytest.fixture(autouse=True)
def only_expected_warnings() -> Iterator[None]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    said = [str(one.message) for one in found]
    assert [text for text in said if not any(part in text for part in EXPECTED)] == []


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("game", GAMES)
def test_turns_pass_pettingzoos_api_and_seed_tests(game: str, text: bool) -> None:
    api_test(aec_env(game, text=text), num_cycles=30)
    seed_test(lambda: aec_env(game, text=text), num_cycles=30)


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("game", SIMULTANEOUS)
def test_parallel_moves_pass_pettingzoos_api_and_seed_tests(game: str, text: bool) -> None:
    parallel_api_test(parallel_env(game, text=text), num_cycles=30)
    parallel_seed_test(lambda: parallel_env(game, text=text), num_cycles=30)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("game", GAMES)
def test_one_seat_passes_gymnasiums_check(game: str, seat: int) -> None:
    check_env(gym_env(game, "random", seat=seat, text=bool(seat)))


def test_a_game_without_columns_of_its_own_passes_too() -> None:
    pytest.importorskip("pyspiel", reason="open-spiel is not installed")
    api_test(aec_env("openspiel:kuhn_poker", text=True), num_cycles=20)
    seed_test(lambda: aec_env("openspiel:kuhn_poker"), num_cycles=20)
    check_env(gym_env("openspiel:kuhn_poker", "random"))
