"""The compiled tables: numbering, reach, limits."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from equipoise.auditing.exact.compile import TooLargeError, compile_tree
from equipoise.errors import EquipoiseError, RequestError
from equipoise.games.registry import make_game
from equipoise.opponents.base import Uniform
from equipoise.opponents.registry import get_strategy
from tests.auditing.oracle import states


@pytest.mark.parametrize(
    ("name", "options", "count"),
    # ipd: 1 + 4 + 16 own histories; one hand of Kuhn: 3 cards times 2 bets faced by each position.
    # With noise a state is met once for each action that was chosen but not executed: 1 + 2 * 4.
    [("ipd", {"rounds": 3}, 21), ("ipd", {"rounds": 2, "noise": 0.1}, 9), ("kuhn", {"rounds": 1}, 6)],
)
def test_the_states_are_those_of_the_game(name: str, options: dict[str, object], count: int) -> None:
    game = make_game(name, **options)
    trees = [compile_tree(game, {"random": Uniform()}, seat) for seat in (0, 1)]
    assert [len(tree.keys) for tree in trees] == [count, count]
    labels = {game.label(*key) for tree in trees for key in tree.keys}
    assert labels == set(states(game))


def test_a_deterministic_opponent_prunes_what_it_never_does() -> None:
    # Against always_defect a history is told by the policy's own actions: 1 + 2 + 4 states.
    tree = compile_tree(make_game("ipd", rounds=3), {"d": get_strategy("ipd", "always_defect")}, 0)
    assert len(tree.keys) == 7


def test_reach_is_the_probability_that_chance_and_the_opponent_play_their_part() -> None:
    tree = compile_tree(make_game("ipd", rounds=3), {"random": Uniform()}, 0)
    by_depth: dict[int, set[float]] = defaultdict(set)
    for depth, reach in zip(tree.depths.tolist(), tree.reach[:, 0].tolist(), strict=True):
        by_depth[depth].add(reach)
    # The opponent's coin: 1, then 1/2 for each of its actions, then 1/4.
    assert by_depth == {0: {1.0}, 1: {0.5}, 2: {0.25}}
    kuhn = compile_tree(make_game("kuhn", rounds=1), {"random": Uniform()}, 0)
    labels = [kuhn.game.label(*key) for key in kuhn.keys]
    reach = dict(zip(labels, kuhn.reach[:, 0].tolist(), strict=True))
    assert {label: reach[label] for label in ("J:", "K:")} == pytest.approx({"J:": 1 / 3, "K:": 1 / 3})
    assert reach["Q:pb"] == pytest.approx(1 / 6)  # the other bets after a pass with probability 1/2


def test_parents_come_first_and_steps_count_within_a_round() -> None:
    tree = compile_tree(make_game("kuhn", rounds=2, memory=True), {"random": Uniform()}, 0)
    owner = {int(s): row for row, numbers in enumerate(tree.sequences) for s in numbers if s >= 0}
    for row, parent in enumerate(tree.parents.tolist()):
        if parent == 0:
            assert tree.depths[row] == 0
            continue
        above = owner[parent]
        assert above < row
        assert tree.depths[row] == tree.depths[above] + 1
        same = tree.rounds[above] == tree.rounds[row]
        assert tree.steps[row] == (tree.steps[above] + 1 if same else 0)
    assert set(tree.steps.tolist()) == {0, 1}  # open, then call after passing
    assert set(tree.rounds.tolist()) == {0, 1}


def test_opponents_share_a_tree_without_mixing() -> None:
    game = make_game("ipd", rounds=3)
    pair = {"d": get_strategy("ipd", "always_defect"), "c": get_strategy("ipd", "always_cooperate")}
    both = compile_tree(game, pair, 0)
    for column, (name, strategy) in enumerate(pair.items()):
        alone = compile_tree(game, {name: strategy}, 0)
        uniform = [np.full(t.sequences.shape, 0.5) for t in (both, alone)]
        assert both.values(uniform[0])[column] == pytest.approx(alone.values(uniform[1])[0], abs=1e-14)


def test_the_limit_is_inclusive_and_exceeding_it_is_an_error_of_the_work() -> None:
    game = make_game("ipd", rounds=3)
    assert len(compile_tree(game, {"random": Uniform()}, 0, limit=21).keys) == 21
    with pytest.raises(TooLargeError, match="ipd: more than 20 information states"):
        compile_tree(game, {"random": Uniform()}, 0, limit=20)
    assert issubclass(TooLargeError, EquipoiseError)
    assert not issubclass(TooLargeError, RequestError)
