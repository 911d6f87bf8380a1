"""Scripted policies: memories folded from the history alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from equipoise.errors import NoProbabilitiesError
from equipoise.games.registry import make_game
from equipoise.opponents.base import Classifier, Strategy
from equipoise.opponents.registry import strategies
from equipoise.policies.scripted import StrategyPolicy
from equipoise.types import Action
from tests.auditing.oracle import playing
from tests.helpers import Constant, every_decision

IPD = make_game("ipd", rounds=4)


class Moody(Strategy):
    """Plays one action for ever, drawn before the episode."""

    name, classifier, source = "moody", Classifier(memory_depth=0), "a test"

    def start(self) -> tuple[tuple[int, float], ...]:
        return ((0, 0.25), (1, 0.75))

    def probabilities(
        self, memory: int, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        return {legal[memory]: 1.0}


@pytest.mark.parametrize("name", strategies("ipd"))
def test_probabilities_are_the_strategys_at_every_history(name: str) -> None:
    strategy = strategies("ipd")[name]
    ((player, _),) = playing(strategy)
    decisions = list(every_decision(IPD))
    policy = StrategyPolicy(strategy)
    # In any order: nothing is remembered from one decision to the next.
    for asked in (decisions, decisions[::-1]):
        found = policy.probabilities(asked)
        for decision, row in zip(asked, found, strict=True):
            wanted = player(decision.observation, decision.history, decision.legal or ())
            assert {a: p for a, p in row.items() if p} == {a: p for a, p in wanted.items() if p}


def test_a_full_cache_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    decisions = list(every_decision(IPD))
    wanted = StrategyPolicy(strategies("ipd")["tit_for_two_tats"]).probabilities(decisions)
    monkeypatch.setattr("equipoise.policies.scripted._CACHE", 3)
    policy = StrategyPolicy(strategies("ipd")["tit_for_two_tats"])
    assert policy.probabilities(decisions) == wanted


def test_an_action_is_drawn_with_the_decisions_own_randomness() -> None:
    policy = StrategyPolicy(strategies("ipd")["random_75"])
    for u, action in ((0.74, "COOPERATE"), (0.76, "DEFECT")):
        (choice,) = policy.act([next(every_decision(IPD, draws=Constant(u)))])
        assert choice.action == action
        assert choice.probabilities == {"COOPERATE": 0.75, "DEFECT": 0.25}


def test_a_mixture_draws_its_memory_once_an_episode() -> None:
    policy = StrategyPolicy(Moody())
    for u, action in ((0.2, "COOPERATE"), (0.3, "DEFECT")):
        found = policy.act(list(every_decision(IPD, draws=Constant(u))))
        assert {choice.action for choice in found} == {action}


def test_a_mixture_gives_no_probabilities() -> None:
    with pytest.raises(NoProbabilitiesError, match="mixes over initial memories"):
        StrategyPolicy(Moody()).probabilities(list(every_decision(IPD))[:1])


def test_name_and_strategy() -> None:
    strategy = strategies("ipd")["pavlov"]
    assert StrategyPolicy(strategy).name == "scripted:pavlov"
    assert StrategyPolicy(strategy, "mine").name == "mine"
    assert StrategyPolicy(strategy).strategy(IPD) is strategy
