"""Best replies by belief, against the tree of histories and against published values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.auditing.exact.beliefs import beliefs
from equipoise.auditing.exact.compile import TooLargeError, compile_tree
from equipoise.auditing.exact.reply import best_reply
from equipoise.games.base import Game
from equipoise.games.registry import make_game
from equipoise.objective.features import OPPONENT, OWN, feature_count
from equipoise.opponents.base import Strategy
from equipoise.opponents.registry import get_strategy, strategies
from tests.auditing.oracle import random_policy
from tests.helpers import SMALL, named

ONE_NODE_A_ROUND = ("always_defect", "always_cooperate", "random", "mixed_half")


def reward(game: Game, own: float, opponent: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    vector = np.zeros(feature_count(game.info_record))
    vector[OWN], vector[OPPONENT] = own, opponent
    return vector


def by_tree(game: Game, strategy: Strategy, seat: int, worth: np.ndarray[Any, Any]) -> float:
    tree = compile_tree(game, {"it": strategy}, seat)
    return best_reply(tree, tree.payoff[:, 0] @ worth)[0]


@pytest.mark.parametrize(("name", "options"), named(SMALL))
def test_beliefs_give_what_the_tree_of_histories_gives(name: str, options: dict[str, object]) -> None:
    game = make_game(name, **options).stage()
    worths = [reward(game, 1.0, 0.0), reward(game, 0.0, -1.0), reward(game, 1.0, -1.0)]
    for strategy in strategies(name).values():
        for seat in (0, 1):
            graph = beliefs(game, strategy, seat)
            expected = [by_tree(game, strategy, seat, worth) for worth in worths]
            assert [graph.best(worth) for worth in worths] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=10, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**20), options=st.sampled_from([{"rounds": 3}, {"rounds": 2, "noise": 0.2}]))
def test_a_table_with_a_memory_of_everything(seed: int, options: dict[str, object]) -> None:
    game = make_game("ipd", **options)
    strategy = random_policy(game, seed).strategy(game)
    worth = reward(game, 1.0, -0.5)
    assert beliefs(game, strategy, 1).best(worth) == pytest.approx(
        by_tree(game, strategy, 1, worth), abs=1e-12
    )


@pytest.mark.parametrize("name", ONE_NODE_A_ROUND)
def test_histories_that_teach_nothing_are_one_node(name: str) -> None:
    game = make_game("ipd")
    graph = beliefs(game, get_strategy("ipd", name), 1)
    # Eight rounds: the tree of histories has 21,845 information states.
    assert graph.nodes == 8


def test_a_long_game_stays_small() -> None:
    game = make_game("ipd", rounds=100)
    graph = beliefs(game, get_strategy("ipd", "tit_for_tat"), 1)
    assert graph.nodes == 199
    # Cooperate until the last round, and take the temptation there.
    assert graph.best(reward(game, 1.0, 0.0)) == pytest.approx((99 * 3 + 5) / 100, abs=1e-12)


def test_a_mixture_is_found_out_as_it_plays() -> None:
    class Mixed(Strategy):
        """Always defects or always cooperates, by a coin before the game."""

        name, source = "mixed", "a test"
        classifier = get_strategy("ipd", "random").classifier

        def start(self) -> tuple[tuple[str, float], ...]:
            return (("DEFECT", 0.5), ("COOPERATE", 0.5))

        def probabilities(self, memory: Any, observation: Any, legal: Any) -> dict[Any, float]:
            return {memory: 1.0}

    graph = beliefs(make_game("ipd", rounds=2), Mixed(), 1)
    # One belief before the first round, two certainties after it.
    assert graph.nodes == 3
    assert graph.best(reward(make_game("ipd", rounds=2), 1.0, 0.0)) == pytest.approx((1 + 5) / 2, abs=1e-12)


def test_the_bound_on_steps() -> None:
    game, strategy = make_game("ipd"), get_strategy("ipd", "generous_tit_for_tat")
    with pytest.raises(TooLargeError, match="ipd: more than 20 steps"):
        beliefs(game, strategy, 1, 20)
