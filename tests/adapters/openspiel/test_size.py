"""The estimated size of games, against walks of all of them."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("pyspiel")

from equipoise.adapters.openspiel import rules, size
from equipoise.adapters.openspiel.size import estimated_histories
from equipoise.games.ipd import PrisonersDilemma
from equipoise.policies.registry import load_game
from tests.helpers import every_node


@pytest.mark.parametrize("name", ["kuhn_poker", "liars_dice(dice_sides=2)", "leduc_poker"])
def test_the_estimate_is_near_the_count(name: str) -> None:
    game = load_game(f"openspiel:{name}")
    count = len(every_node(game))
    assert estimated_histories(game.initial_state(), 1e9) == pytest.approx(count, rel=0.3)


def test_many_paths_average_to_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    # The start, one card, two cards, and below each pair p, b, pp, pb, bp, bb, pbp, pbb.
    game = load_game("openspiel:kuhn_poker")
    assert len(every_node(game)) == 1 + 3 + 6 + 6 * 8
    monkeypatch.setattr(size, "PROBES", 4000)
    assert estimated_histories(game.initial_state(), 1e9) == pytest.approx(58, rel=0.02)


def test_a_hopeless_game_is_told_from_few_moves() -> None:
    game = load_game("openspiel:chess")
    assert math.isinf(estimated_histories(game.initial_state(), 1e6))
    assert game.info_record.solution == "none"


def test_what_can_be_solved_is_declared_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("kuhn_poker", "leduc_poker", "liars_dice", "tiny_hanabi", "matrix_rps"):
        assert load_game(f"openspiel:{name}").info_record.solution == "exact"
    monkeypatch.setattr(rules, "SOLVABLE", 20)
    assert load_game("openspiel:kuhn_poker").info_record.solution == "none"
    assert PrisonersDilemma().info_record.solution == "exact"
