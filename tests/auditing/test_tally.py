"""What a policy does at each information state: exact rates and frequencies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from equipoise.auditing.behaviour import Placed
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.tally import FEW, Tally, exact_rates
from equipoise.games.registry import make_game
from equipoise.opponents.base import Classifier, Strategy
from equipoise.opponents.registry import get_strategy
from equipoise.policies.python import FunctionPolicy
from equipoise.policies.registry import load_policy
from equipoise.policies.scripted import StrategyPolicy
from equipoise.types import Action, Decision, Kind
from tests.auditing.oracle import random_policy, states

KUHN = make_game("kuhn", rounds=1)


def values(rates: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    return {label: {action: e.value for action, e in row.items()} for label, row in rates.items()}


def test_exact_rates_are_the_policys() -> None:
    policy = random_policy(KUHN, 3)
    strategy = policy.strategy(KUHN)
    found = exact_rates(KUHN, [Placed(strategy, 0), Placed(strategy, 1)])
    assert values(found) == {label: pytest.approx(row) for label, row in policy.table.items()}
    assert all(e.kind is Kind.EXACT for row in found.values() for e in row.values())


def test_large_games_and_strategies_with_a_memory_of_their_own_are_left_out() -> None:
    assert exact_rates(make_game("ipd", rounds=5), [Placed(get_strategy("ipd", "random"), 0)]) == {}
    assert FEW + 1 >= 4**3  # so that rounds=5, with over 300 states, is large
    assert exact_rates(make_game("ipd", rounds=3), [Placed(get_strategy("ipd", "tit_for_tat"), 0)]) == {}


def test_frequencies_are_near_the_probabilities() -> None:
    game = make_game("kuhn", rounds=2)
    policy = random_policy(game, 3)
    found = audit_game(game, policy, AuditConfig(episodes=100, exact=False, level=0.999))
    assert set(found.behaviour) == set(states(game))
    for label, row in policy.table.items():
        for action, wanted in row.items():
            estimate = found.behaviour[label].get(str(action))
            if estimate is None:  # never played
                assert wanted < 0.1
                continue
            assert estimate.kind is Kind.SAMPLE
            assert estimate.low is not None
            assert estimate.high is not None
            assert estimate.low <= wanted <= estimate.high, (label, action)
            assert estimate.high - estimate.low < 0.6


def test_frequencies_of_a_large_game_are_left_out() -> None:
    game = make_game("ipd", rounds=8)
    found = audit_game(game, load_policy("scripted:random", game), AuditConfig(episodes=4, exact=False))
    assert found.behaviour == {}
    assert Tally(4).rates(0.95) == {}


def test_seats_that_act_apart_are_both_seen() -> None:
    def by_seat(decision: Decision) -> str:
        return "COOPERATE" if decision.seat == 0 else "DEFECT"

    found = audit_game(
        make_game("ipd", rounds=1), FunctionPolicy(by_seat, "by seat"), AuditConfig(exact=True)
    )
    assert values(found.behaviour)["-/-"] == {"COOPERATE": 0.5, "DEFECT": 0.5}


class Moody(Strategy):
    """Bets and calls everything or nothing, by a coin before the episode."""

    name, classifier, source = "moody", Classifier(memory_depth=0, stochastic=True), "a test"

    def start(self) -> tuple[tuple[int, float], ...]:
        return ((0, 0.5), (1, 0.5))

    def probabilities(
        self, memory: int, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        return {legal[memory]: 1.0}


def test_a_mixture_over_memories_is_left_out_or_averaged() -> None:
    found = audit_game(KUHN, StrategyPolicy(Moody()), AuditConfig(exact=True))
    rate = values(found.behaviour).get("J:", {}).get("PASS", 0.5)
    assert rate == 0.5
