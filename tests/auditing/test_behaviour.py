"""From policies to strategies with a seat, and the states they are asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import pytest

from equipoise.auditing.behaviour import behaviour, placements, tree_decisions
from equipoise.auditing.exact.compile import compile_tree
from equipoise.errors import PolicyError, RequestError
from equipoise.games.base import GameInfo
from equipoise.games.ipd import COOPERATE, DEFECT, PrisonersDilemma
from equipoise.games.registry import make_game
from equipoise.opponents.base import Uniform
from equipoise.opponents.registry import get_strategy
from equipoise.policies.python import FunctionPolicy
from equipoise.policies.registry import load_policy
from equipoise.types import Decision
from tests.auditing.oracle import states

IPD, KUHN = make_game("ipd", rounds=2), make_game("kuhn")


def test_one_strategy_stands_for_all_seats_of_a_symmetric_game() -> None:
    strategy = get_strategy("ipd", "pavlov")
    assert placements([strategy], IPD) == [(strategy, 0)]


def test_in_kuhn_a_strategy_is_valued_in_both_positions() -> None:
    strategy = get_strategy("kuhn", "nash")
    assert placements([strategy], KUHN.stage()) == [(strategy, 0), (strategy, 1)]


def test_seats_that_differ_keep_their_own_strategy() -> None:
    a, b = get_strategy("ipd", "pavlov"), get_strategy("ipd", "tit_for_tat")
    assert placements([a, b], IPD) == [(a, 0), (b, 0)]
    memory = make_game("kuhn", rounds=2, memory=True)
    c, d = get_strategy("kuhn", "nash"), get_strategy("kuhn", "random")
    assert placements([c, d], memory) == [(c, 0), (d, 1)]


def test_a_scripted_policy_brings_its_own_strategy() -> None:
    policy = load_policy("scripted:pavlov", IPD)
    found = behaviour(policy, IPD, None)
    assert found is not None
    assert [(p.strategy.name, p.seat) for p in found] == [("pavlov", 0)]
    assert behaviour(policy, IPD, False) is None


def test_a_function_is_asked_about_every_state_once_a_seat() -> None:
    asked: list[tuple[int, str]] = []

    def function(decision: Decision) -> str:
        asked.append((decision.seat, decision.rules.label(decision.observation, decision.history)))
        return COOPERATE

    found = behaviour(FunctionPolicy(function, "f"), IPD, True)
    assert found is not None
    assert len(found) == 1  # the seats do not differ
    for seat in (0, 1):
        # Twice: the second time to tell a function that draws by itself.
        assert sorted(label for s, label in asked if s == seat) == sorted(2 * list(states(IPD)))


def test_seats_are_told_apart_where_they_act_apart() -> None:
    def function(decision: Decision) -> str:
        return COOPERATE if decision.seat == 0 else DEFECT

    found = behaviour(FunctionPolicy(function, "f"), IPD, True)
    assert found is not None
    assert len(found) == 2
    rows = [p.strategy.probabilities((), (0,), (COOPERATE, DEFECT)) for p in found]
    assert rows == [{COOPERATE: 1.0}, {DEFECT: 1.0}]


def test_decisions_of_a_tree_are_those_of_the_game() -> None:
    tree = compile_tree(IPD, {"random": Uniform()}, 0)
    decisions = tree_decisions(tree, 1)
    assert {d.seat for d in decisions} == {1}
    assert {IPD.label(d.observation, d.history) for d in decisions} == set(states(IPD))
    for decision in decisions:
        assert decision.legal == (COOPERATE, DEFECT)
        assert decision.round == decision.index == len(decision.history)
        assert decision.info["round"] == decision.round


def test_a_wrong_answer_is_not_taken_for_missing_probabilities() -> None:
    def function(decision: Decision) -> Mapping[str, Any]:
        return {COOPERATE: 2.0}

    for exact in (True, None):
        with pytest.raises(PolicyError, match=r"the probability 2\.0"):
            behaviour(FunctionPolicy(function, "f"), IPD, exact)


def test_a_fickle_function_is_sampled_unless_exactness_was_asked_for() -> None:
    answers = iter([COOPERATE, DEFECT, DEFECT] * 1000)
    policy = FunctionPolicy(lambda decision: next(answers), "fickle")
    assert behaviour(policy, IPD, None) is None
    with pytest.raises(PolicyError, match="answers differently when asked twice"):
        behaviour(policy, IPD, True)


@pytest.mark.parametrize("spec", ["scripted:always_defect", lambda decision: DEFECT])
def test_a_game_that_only_episodes_can_judge_is_not_walked(spec: Any) -> None:
    class Endless(PrisonersDilemma):
        @cached_property
        def info_record(self) -> GameInfo:
            return replace(super().info_record, solution="none")

    game = Endless()
    policy = load_policy(spec, game)
    assert behaviour(policy, game, None) is None
    with pytest.raises(RequestError, match="ipd is too large for exact values: leave out --exact"):
        behaviour(policy, game, True)
