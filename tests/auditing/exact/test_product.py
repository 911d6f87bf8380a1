"""Values on the product of rules and memories, against walking every line of the game by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.auditing.exact.compile import compile_tree
from equipoise.auditing.exact.dynamics import EndsEarlyError
from equipoise.auditing.exact.product import expected_features, joint_actions
from equipoise.auditing.exact.tree import Tree
from equipoise.games.base import Game, State, Step
from equipoise.games.ipd import COOPERATE, DEFECT
from equipoise.games.registry import make_game
from equipoise.opponents.base import Classifier, Strategy
from equipoise.opponents.registry import strategies
from equipoise.policies.tabular import TabularPolicy
from equipoise.types import Action
from tests.auditing.oracle import means_at, playing, random_policy, random_table, reading

GAMES: dict[str, dict[str, Any]] = {
    "ipd 2": {"rounds": 2},
    "ipd 3": {"rounds": 3},
    "ipd 2 noisy": {"rounds": 2, "noise": 0.15},
    "ipd 3 hidden": {"rounds": 3, "continuation": 0.6},
    "ipd 2 noisy hidden": {"rounds": 2, "noise": 0.3, "continuation": 0.5, "temptation": 7.0},
    "kuhn 1": {"rounds": 1},
    "kuhn 2 memory": {"rounds": 2, "memory": True},
}


def game_of(case: str) -> Game:
    return make_game(case.split()[0], **GAMES[case])


class Moody(Strategy):
    """Draws a mood before the episode, changes it when it learns something, and acts on both."""

    name = "moody"
    classifier = Classifier(memory_depth=None, stochastic=True)
    source = "a test"

    def start(self) -> tuple[tuple[int, float], ...]:
        return ((0, 0.2), (1, 0.5), (5, 0.3))

    def probabilities(
        self, memory: int, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        p = (memory % 4) / 3.0
        return {legal[0]: p, legal[1]: 1.0 - p}

    def update(self, memory: int, signal: Any) -> int:
        return memory + 1 + len(str(signal)) % 3


def matrix(tree: Tree, policy: TabularPolicy) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return a table's probabilities in the rows of a tree."""
    return np.array(
        [
            [policy.table[tree.game.label(*key)][action] for action in legal]
            for key, legal in zip(tree.keys, tree.legal, strict=True)
        ]
    )


@pytest.mark.parametrize("case", GAMES)
@settings(max_examples=4, derandomize=True, deadline=None)
@given(seeds=st.tuples(st.integers(0, 2**20), st.integers(0, 2**20)), seat=st.sampled_from((0, 1)))
def test_product_tree_and_enumeration_agree_on_random_tables(
    case: str, seeds: tuple[int, int], seat: int
) -> None:
    game = game_of(case)
    policy, other = (random_policy(game, seed, sharpness=0.6) for seed in seeds)
    wanted = means_at(game, reading(game, policy.table), reading(game, other.table), seat)
    opponent = other.strategy(game)
    by_product = expected_features(game, policy.strategy(game), opponent, seat)
    tree = compile_tree(game, {"other": opponent}, seat)
    assert by_product == pytest.approx(wanted, abs=1e-12)
    assert tree.values(matrix(tree, policy))[0] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("case", ["ipd 2 noisy", "ipd 3 hidden", "kuhn 1"])
def test_every_scripted_strategy_has_the_enumerated_value(case: str) -> None:
    game = game_of(case)
    policy = random_table(game, 11)
    table = TabularPolicy(game.info_record.key, policy).strategy(game)
    for opponent in strategies(game.name).values():
        for seat in (0, 1):
            wanted = means_at(game, reading(game, policy), playing(opponent), seat)
            assert expected_features(game, table, opponent, seat) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("case", ["ipd 3", "ipd 2 noisy hidden", "kuhn 1", "kuhn 2 memory"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_mixture_over_initial_memories_is_drawn_once_an_episode(case: str, seat: int) -> None:
    game = game_of(case)
    policy = random_policy(game, 3)
    wanted = means_at(game, reading(game, policy.table), playing(Moody()), seat)
    assert expected_features(game, policy.strategy(game), Moody(), seat) == pytest.approx(wanted, abs=1e-12)
    tree = compile_tree(game, {"moody": Moody()}, seat)
    assert tree.values(matrix(tree, policy))[0] == pytest.approx(wanted, abs=1e-12)
    back = means_at(game, playing(Moody()), reading(game, policy.table), 1 - seat)
    found = expected_features(game, Moody(), policy.strategy(game), 1 - seat)
    assert found == pytest.approx(back, abs=1e-12)


def test_a_mixture_is_no_coin_at_every_round() -> None:
    # Always C or always D, drawn once: tit for tat meets (3 + 3)/2 or (0 + 1)/2 a round, never a mix.
    class Drawn(Strategy):
        name, classifier, source = "drawn", Classifier(memory_depth=0), "a test"

        def start(self) -> tuple[tuple[str, float], ...]:
            return ((COOPERATE, 0.5), (DEFECT, 0.5))

        def probabilities(
            self, memory: str, observation: Any, legal: tuple[Action, ...]
        ) -> Mapping[Action, float]:
            return {memory: 1.0}

    found = expected_features(make_game("ipd", rounds=2), strategies("ipd")["tit_for_tat"], Drawn(), 0)
    assert found[0] == pytest.approx((3.0 + 0.5) / 2.0, abs=1e-12)


def test_joint_actions_leave_out_what_has_no_weight() -> None:
    found = list(joint_actions(None, {0: {"a": 0.25, "b": 0.75}, 1: {"c": 1.0, "d": 0.0}}))  # type: ignore[arg-type]
    assert found == [({0: "a", 1: "c"}, 0.25), ({0: "b", 1: "c"}, 0.75)]


def test_a_game_that_may_end_early_has_no_exact_values() -> None:
    class Hasty(type(make_game("ipd"))):  # type: ignore[misc]
        """A dilemma that ends with the first mutual cooperation, whatever its number of rounds."""

        def initial_state(self) -> State:
            return _Hasty(super().initial_state())

    class _Hasty(State):
        def __init__(self, inner: State, over: bool = False) -> None:
            self.inner, self.over = inner, over

        round = property(lambda self: self.inner.round)  # type: ignore[assignment]
        is_over = property(lambda self: self.over or self.inner.is_over)  # type: ignore[assignment]
        players_to_move = property(lambda self: () if self.over else self.inner.players_to_move)  # type: ignore[assignment]

        def legal_actions(self, seat: int) -> tuple[Action, ...]:
            return self.inner.legal_actions(seat)

        def observation(self, seat: int) -> Any:
            return self.inner.observation(seat)

        def apply(self, actions: Mapping[int, Action]) -> Step:
            step = self.inner.apply(actions)
            met = set(actions.values()) == {COOPERATE}
            return step._replace(state=_Hasty(step.state, met))

    game = Hasty(make_game("ipd").options)
    if type(game).round_weight is not Game.round_weight:
        Hasty.round_weight = Game.round_weight  # type: ignore[method-assign]
    kind = strategies("ipd")["always_cooperate"]
    with pytest.raises(EndsEarlyError, match="ipd can end before its last round"):
        expected_features(game, kind, kind, 0)
    with pytest.raises(EndsEarlyError):
        compile_tree(game, {"it": kind}, 0)
