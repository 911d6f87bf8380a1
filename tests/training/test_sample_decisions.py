"""Decisions to try models on."""

from __future__ import annotations

from equipoise.games.registry import make_game
from equipoise.training.sample_decisions import sample_decisions


def test_no_two_are_the_same_to_the_player() -> None:
    for name in ("ipd", "auction", "multi_issue"):
        found = sample_decisions(make_game(name), 20)
        assert len(found) == 20
        assert len({decision.information_state for decision in found}) == 20


def test_both_seats_are_asked_and_the_seed_counts() -> None:
    game = make_game("kuhn")
    found = sample_decisions(game, 12)
    assert {decision.seat for decision in found} == {0, 1}
    # All of the game: three cards in four betting positions.
    assert len(found) == 12
    again = sample_decisions(game, 12)
    assert [d.information_state for d in found] == [d.information_state for d in again]
    other = sample_decisions(make_game("auction"), 12, seed=1)
    assert [d.information_state for d in other] != [
        d.information_state for d in sample_decisions(make_game("auction"), 12)
    ]
