"""The feature vector of a round, and its bounds."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.games.registry import make_game
from equipoise.objective.features import bounds, feature_count, features
from equipoise.types import RoundOutcome
from tests.helpers import every_node, steps


def test_by_hand() -> None:
    outcome = RoundOutcome((5.0, -1.0), (1.0, 0.0), (0.25, 0.5), ((0.0, 1.0),))
    assert features(outcome, 0).tolist() == [5.0, -1.0, 1.0, 0.25, 5.0, 1.0, 0.0]
    assert features(outcome, 1).tolist() == [-1.0, 5.0, 0.0, 0.5, 1.0, 5.0, 1.0]


def test_terms_that_do_not_apply_are_zero() -> None:
    assert features(RoundOutcome((2.0, -2.0)), 1).tolist() == [-2.0, 2.0, 0.0, 0.0, 2.0, 2.0]


def test_the_opponents_payoff_is_the_mean_of_the_others() -> None:
    found = features(RoundOutcome((1.0, -2.0, 4.0)), 0)
    assert found.tolist() == [1.0, 1.0, 0.0, 0.0, 1.0, 3.0]


@pytest.mark.parametrize(
    ("name", "options"),
    [("ipd", {"rounds": 2}), ("ipd", {"rounds": 1, "temptation": 9.0}), ("kuhn", {"rounds": 1})],
)
def test_every_round_lies_within_the_bounds_and_reaches_the_payoffs(
    name: str, options: dict[str, object]
) -> None:
    game = make_game(name, **options)
    info = game.info_record
    low, high = bounds(info)
    rows = np.array(
        [
            features(step.outcome, seat)
            for node in every_node(game)
            for step in steps(node.state)
            if step.outcome is not None
            for seat in (0, 1)
        ]
    )
    assert rows.shape[1] == feature_count(info) == len(low) == len(high)
    assert (rows >= low).all()
    assert (rows <= high).all()
    assert rows[:, 0].min() == info.payoff_bounds[0]
    assert rows[:, 0].max() == info.payoff_bounds[1]
