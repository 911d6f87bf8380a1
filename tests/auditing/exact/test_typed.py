"""Values by blocks of types, against the product that follows every pair of types by itself."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from equipoise.auditing.exact.beliefs import beliefs
from equipoise.auditing.exact.compile import TooLargeError
from equipoise.auditing.exact.product import expected_features
from equipoise.auditing.exact.typed import Board, typed_features
from equipoise.auditing.exact.typed_reply import typed_best
from equipoise.games.base import Game, HiddenTypes
from equipoise.games.multi_issue import MultiIssue
from equipoise.games.registry import make_game
from equipoise.objective.features import OPPONENT, OWN, feature_count, features
from equipoise.opponents.base import Strategy
from equipoise.opponents.registry import get_strategy

OPTIONS: tuple[dict[str, Any], ...] = (
    {"pool": (2, 1, 1), "rounds": 2},
    {"pool": (2, 1, 4), "rounds": 3, "valuation": "pool10"},
)


class Untyped(MultiIssue):
    """The same rules without the declaration that exact work uses."""

    def hidden_types(self) -> None:  # type: ignore[override]
        return None


class Insistent(Strategy):
    """Opens by its values and a coin, then repeats itself, or asks for one of each if that failed."""

    name, source = "insistent", "a test"
    classifier = get_strategy("multi_issue", "greedy").classifier

    def start(self) -> tuple[tuple[Any, float], ...]:
        return ((("high",), 0.25), (("low",), 0.75))

    def probabilities(self, memory: Any, observation: Any, legal: Any) -> dict[Any, float]:
        if len(memory) > 1:
            return {memory[1]: 1.0}
        best = max(range(3), key=lambda item: (observation.values[item], item))
        most = tuple(observation.pool[i] if i == best else 0 for i in range(3))
        return {most: 1.0} if memory[0] == "high" else {most: 0.5, legal[-1]: 0.5}

    def update(self, memory: Any, signal: Any) -> Any:
        return (memory[0], signal.own if sum(signal.other) < 3 else (1, 1, 1))


def hidden(game: Game) -> HiddenTypes:
    found = game.hidden_types()
    assert found is not None
    return found


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_features_are_those_of_the_plain_product(options: dict[str, Any]) -> None:
    game, plain = make_game("multi_issue", **options), Untyped.create(**options)
    players = [get_strategy("multi_issue", name) for name in ("tit_for_tat", "greedy", "residual", "random")]
    if options["rounds"] == 2:
        players = [*players[:3], Insistent()]
    for policy, opponent in product(players, players):
        found = typed_features(game, policy, opponent)
        for seat in (0, 1):
            expected = expected_features(plain, policy, opponent, seat)
            assert found == pytest.approx(expected, abs=1e-10), (policy.name, opponent.name, seat)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_mean_outcomes_are_the_means_of_the_rules(options: dict[str, Any]) -> None:
    game = make_game("multi_issue", **options)
    types = hidden(game)
    deal = types.deals()[0][0]
    kinds = [kind for kind, _ in types.types(deal)]
    blocks = (tuple(range(0, len(kinds), 2)), tuple(range(len(kinds) // 2 + 1)))
    legal = types.first(deal, (kinds[0], kinds[0])).legal_actions(0)
    demands = (legal[::3], legal[::2])
    found = types.means(deal, blocks, demands)
    for (i, a), (j, b) in product(enumerate(demands[0]), enumerate(demands[1])):
        rows = []
        for first, second in product(*blocks):
            step = types.first(deal, (kinds[first], kinds[second])).apply({0: a, 1: b})
            assert step.outcome is not None
            rows.append(features(step.outcome, 0))
        assert found[i, j] == pytest.approx(np.mean(rows, axis=0), abs=1e-12)


def test_deals_and_types_are_those_of_chance() -> None:
    game = make_game("multi_issue")
    types = hidden(game)
    deals = types.deals()
    assert len(deals) == 64
    assert sum(p for _, p in deals) == pytest.approx(1.0)
    assert all(len(types.types(deal)) == 36 for deal, _ in deals)


def test_a_block_splits_only_where_answers_part() -> None:
    game = make_game("multi_issue", pool=(2, 1, 3))
    board = Board(hidden(game), (2, 1, 3))
    (together,) = board.split(get_strategy("multi_issue", "random"), None, board.first, 0, board.whole)
    assert together.block == board.whole
    assert together.share == pytest.approx(1.0)
    parts = board.split(get_strategy("multi_issue", "specialist"), None, board.first, 1, board.whole)
    assert len(parts) > 1
    assert sorted(number for part in parts for number in part.block) == list(board.whole)
    assert sum(part.share for part in parts) == pytest.approx(1.0)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_best_replies_are_those_by_plain_beliefs(options: dict[str, Any]) -> None:
    game, plain = make_game("multi_issue", **options), Untyped.create(**options)
    rewards = np.zeros((3, feature_count(game.info_record)))
    rewards[0, OWN] = rewards[2, OWN] = 1.0
    rewards[1, OPPONENT] = rewards[2, OPPONENT] = -1.0
    players = [get_strategy("multi_issue", name) for name in ("concede", "greedy", "residual")]
    if options["rounds"] == 2:
        players.append(Insistent())
    for opponent in players:
        graph = beliefs(plain, opponent, 1)
        expected = [graph.best(reward) for reward in rewards]
        assert typed_best(game, opponent, rewards) == pytest.approx(expected, abs=1e-10), opponent.name


def test_replies_in_the_whole_game() -> None:
    game = make_game("multi_issue")
    rewards = np.zeros((1, feature_count(game.info_record)))
    rewards[0, OWN] = 1.0
    # Beside a fair partner (half of each item, rounded down) the rest is free: Σ over items of the mean of
    # units − floor(units / 2), which is 3/2, times the mean value 10/3.
    assert typed_best(game, get_strategy("multi_issue", "fair"), rewards) == pytest.approx([15.0], abs=1e-9)
    # Hardball leaves one unit of each item: whatever the values, they sum to 10.
    assert typed_best(game, get_strategy("multi_issue", "hardball"), rewards) == pytest.approx(
        [10.0], abs=1e-9
    )


def test_limits() -> None:
    game, fair = make_game("multi_issue"), get_strategy("multi_issue", "fair")
    with pytest.raises(TooLargeError, match="multi_issue"):
        typed_features(game, get_strategy("multi_issue", "random"), fair, 50)
    with pytest.raises(TooLargeError, match="multi_issue"):
        typed_best(game, fair, np.zeros((1, feature_count(game.info_record))), 50)
