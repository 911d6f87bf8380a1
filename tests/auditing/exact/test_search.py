"""The certified interval holds at every moment, shrinks, and ends at the exact value."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.auditing.exact.reply import worst_case
from equipoise.auditing.exact.search import ReplySearch
from equipoise.games.base import Game, GameInfo
from equipoise.games.registry import make_game
from equipoise.objective.features import OWN, feature_count
from equipoise.types import Action
from tests.auditing.oracle import random_policy

GAMES: dict[str, dict[str, Any]] = {
    "ipd": {"rounds": 4},
    "split": {"rounds": 2},
    "commons": {"rounds": 3},
    "kuhn": {"rounds": 1},
    "auction": {"rounds": 2},
}


def own(game: Game) -> np.ndarray[Any, np.dtype[np.float64]]:
    vector = np.zeros(feature_count(game.info_record))
    vector[OWN] = 1.0
    return vector


def run(game: Game, seed: int, seat: int, batch: int) -> tuple[list[tuple[float, float]], int, float]:
    """Return the intervals after every batch, the number of questions and the exact value."""
    policy = random_policy(game, seed)
    strategy = policy.strategy(game)
    table: dict[Any, Mapping[Action, float]] = {}
    search = ReplySearch(game, table, 1 - seat, own(game))
    intervals = [tuple(search.interval)]
    while wanted := search.wants(batch):
        assert len(wanted) <= batch
        for one in wanted:
            assert one.key not in table
            observation, history = one.key
            table[one.key] = strategy.probabilities(history, observation, one.legal)
        intervals.append(tuple(search.interval))
    intervals.append(tuple(search.interval))
    return intervals, len(table), worst_case(game, [(strategy, seat)]).best_response


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=4, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**20), batch=st.sampled_from([1, 7, 64]), seat=st.sampled_from([0, 1]))
def test_it_holds_shrinks_and_ends_exact(name: str, seed: int, batch: int, seat: int) -> None:
    game = make_game(name, **GAMES[name]).stage()
    if name == "auction" and batch == 1:
        batch = 16
    intervals, _, exact = run(game, seed, seat, batch)
    for low, high in intervals:
        assert low - 1e-12 <= exact <= high + 1e-12
    widths = [high - low for low, high in intervals]
    assert all(after <= before + 1e-12 for before, after in itertools.pairwise(widths))
    assert intervals[-1] == pytest.approx((exact, exact), abs=1e-12)


def test_it_asks_less_than_everything() -> None:
    game = make_game("ipd", rounds=6)
    intervals, asked, exact = run(game, 3, 0, 16)
    assert intervals[-1] == pytest.approx((exact, exact), abs=1e-12)
    # The whole table has 1,365 information states.
    assert asked < 1000


def test_before_anything_is_asked_the_bounds_are_those_of_the_rules() -> None:
    search = ReplySearch(make_game("ipd"), {}, 1, own(make_game("ipd")))
    assert search.interval == pytest.approx((1.0, 5.0))
    (first,) = search.wants(10)
    assert first.key[1] == ()
    assert first.round == 0
    assert first.legal == ("COOPERATE", "DEFECT")


def test_a_game_that_hides_more_than_it_says_is_not_trusted() -> None:
    class Blind(type(make_game("kuhn"))):  # type: ignore[misc]
        """Kuhn poker that claims complete information."""

        @property
        def info_record(self) -> GameInfo:
            return replace(make_game("kuhn", rounds=1).info_record, information="complete")

    game = Blind(make_game("kuhn", rounds=1).options)
    intervals, _, exact = run(game, 1, 0, 1)
    # The first interval, before anything was seen to be hidden, is taken at its word.
    assert all(low - 1e-12 <= exact <= high + 1e-12 for low, high in intervals[2:])
    assert intervals[-1] == pytest.approx((exact, exact), abs=1e-12)
