"""Arrays that say all a seat knows, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equipoise.adapters.fields import Number, Past, Progress, Word, encode
from equipoise.adapters.layout import Layout, layout_of
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.rollout.deals import Deal, Split
from tests.helpers import FULL, SMALL, every_decision, named


def test_columns_are_those_of_the_definition() -> None:
    fields = (
        Progress(4),
        Word("card", ("J", "Q")),
        Number("pool", 4, 2),
        Past("own", 2, (Word("", (0, 1)),)),
    )
    info = {"round": 1, "card": "Q", "pool": (0, 3), "own": (1,)}
    assert encode(fields, info) == [0.5, 0.0, 1.0, 0.2, 0.8, 0.0, 1.0, 0.0, 0.0]
    assert sum(field.size for field in fields) == 9


@pytest.mark.parametrize(("name", "options"), named(SMALL))
def test_what_a_seat_can_tell_apart_looks_different(name: str, options: dict[str, object]) -> None:
    game = make_game(name, **options)
    layout = layout_of(game)
    known, shown = set(), set()
    for decision in every_decision(game):
        # Kuhn poker without memory: a policy is not told which hand it is in.
        known.add((decision.observation, decision.history))
        found = layout.observation(game, decision.seat, decision.observation, decision.history)
        assert found.shape == (layout.size,)
        shown.add(found.tobytes())
        assert decision.legal is not None
        assert np.flatnonzero(layout.mask(decision.legal)).tolist() == sorted(
            layout.actions.index(action) for action in decision.legal
        )
    assert len(shown) == len(known)


@pytest.mark.parametrize(("name", "options"), named(FULL))
def test_columns_stay_within_their_space_to_the_end(name: str, options: dict[str, object]) -> None:
    game = make_game(name, **options)
    layout = layout_of(game)
    deal = Deal(3, Split.TRAIN, game.info_record.key, 0)
    match = Match(game, deal.chance)
    while not match.is_over:
        seen = match.state.observation(0)
        match.apply({seat: match.state.legal_actions(seat)[-1] for seat in match.players_to_move})
    # The last that was seen, with all that was learned: what an agent is shown at the end.
    found = layout.observation(game, 0, seen, match.histories[0])
    assert found.dtype == np.float32
    assert found.min() >= 0.0
    assert found.max() <= 1.0


def test_actions_of_an_unknown_game_are_found_by_walking_it() -> None:
    class Other(type(make_game("kuhn"))):  # type: ignore[misc]
        name = "other"

    layout = layout_of(Other.create(rounds=1))
    assert set(layout.actions) == {"PASS", "BET", "CALL", "FOLD"}
    assert layout.fields == ()


def test_a_game_that_is_too_large_to_walk_is_refused() -> None:
    class Other(type(make_game("multi_issue"))):  # type: ignore[misc]
        name = "other"

    with pytest.raises(RequestError, match="other is too large to walk"):
        layout_of(Other.create())


def test_a_label_that_does_not_fit_is_refused() -> None:
    game = make_game("ipd", rounds=1000)
    (decision,) = list(every_decision(make_game("ipd", rounds=1)))[:1]
    long = tuple(_seen(game) for _ in range(600))
    with pytest.raises(RequestError, match="takes 1201 bytes, 1024 is the most"):
        Layout(("COOPERATE",)).observation(game, 0, decision.observation, long)


def _seen(game: Game) -> Any:
    state = game.initial_state()
    return state.apply({0: "COOPERATE", 1: "DEFECT"}).signals[0]
