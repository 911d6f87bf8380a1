"""What a walk of a small game finds."""

from __future__ import annotations

import pytest

from equipoise.adapters.extent import Extent, extent_of
from equipoise.errors import RequestError
from equipoise.games.registry import make_game

C, D = "COOPERATE", "DEFECT"


@pytest.mark.parametrize(
    ("name", "options", "wanted"),
    [
        # Three cards for the first, at most three moves (pass, bet, call) after two draws.
        ("kuhn", {"rounds": 1}, Extent(("PASS", "BET", "CALL", "FOLD"), 3, 3, 2, False)),
        ("kuhn", {"rounds": 2}, Extent(("PASS", "BET", "CALL", "FOLD"), 3, 6, 4, False)),
        ("ipd", {"rounds": 3}, Extent((C, D), 0, 3, 0, True)),
        # Two flips a round, and a draw to go on after the first.
        ("ipd", {"rounds": 2, "noise": 0.1, "continuation": 0.5}, Extent((C, D), 2, 2, 5, True)),
        # Two values and a coin each round.
        ("auction", {"rounds": 2}, Extent(("LOW", "MEDIUM", "HIGH"), 2, 2, 6, True)),
    ],
)
def test_a_walk_finds_what_there_is(name: str, options: dict[str, object], wanted: Extent) -> None:
    assert extent_of(make_game(name, **options)) == wanted


def test_a_large_game_is_refused() -> None:
    with pytest.raises(RequestError, match="multi_issue is too large to walk"):
        extent_of(make_game("multi_issue"))
