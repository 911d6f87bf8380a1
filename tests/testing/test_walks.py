"""Lines and positions, against the independent enumeration of ``tests.helpers``."""

from __future__ import annotations

from random import Random

import pytest

from equipoise.games.registry import make_game
from equipoise.testing.walks import Line, every_node, moves, random_move, root, take
from tests import helpers
from tests.helpers import SMALL, named


@pytest.mark.parametrize(("name", "options"), named({k: v for k, v in SMALL.items() if k != "multi_issue"}))
def test_all_positions_are_found(name: str, options: dict[str, object]) -> None:
    game = make_game(name, **options)
    found = every_node(game, 100_000)
    assert found is not None
    assert len(found) == len(set(found))
    assert {(n.state, n.histories) for n in found} == {
        (n.state, n.histories) for n in helpers.every_node(game)
    }


def test_too_many_positions_are_given_up() -> None:
    game = make_game("ipd", rounds=2)
    # The root, four outcomes of a round, and four more after each.
    assert len(every_node(game, 21) or ()) == 21
    assert every_node(game, 20) is None


def test_a_line_is_what_its_moves_lead_to() -> None:
    game, random = make_game("kuhn", rounds=2, memory=True), Random(3)
    line = Line([root(game)])
    while not line.nodes[-1].state.is_over:
        move = random_move(line.nodes[-1].state, random)
        assert move in list(moves(line.nodes[-1].state))
        line.go(move)
    assert len(line.nodes) == len(line.moves) + 1 == len(line.steps) + 1
    assert len(line.outcomes) == 2
    assert [len(history) for history in line.nodes[-1].histories] == [2, 2]
    for node, move, step in zip(line.nodes, line.moves, line.steps, strict=False):
        assert take(node.state, move) == step


def test_nothing_follows_the_end() -> None:
    game = make_game("split", rounds=1)
    last = every_node(game, 1000) or []
    assert list(moves(last[-1].state)) == []
