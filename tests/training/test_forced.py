"""A policy whose first actions are given."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.policies.base import Policy
from equipoise.rollout.deals import DecisionDraws
from equipoise.training.forced import Entry, Forced
from equipoise.types import Choice, Decision
from tests.objective.learning import Lab, lab


def decision(one: Lab, index: int, step: int = 0) -> Decision:
    key, legal = next(iter(one.policy.legal.items()))
    draws = DecisionDraws("d", "d")
    return Decision(one.game, "e", 0, 0, step, index, legal, key[0], key[1], draws)


def test_it_plays_what_it_is_given_then_asks() -> None:
    one = lab("ipd", 3)
    forced = Forced(one.policy, {"e": Entry(["DEFECT", "COOPERATE"], 7, "owner")}, alone=False)
    found = [forced.act([decision(one, n)])[0] for n in range(4)]
    assert [choice.action for choice in found[:2]] == ["DEFECT", "COOPERATE"]
    assert [choice.probabilities is None for choice in found] == [True, True, False, False]
    assert forced.asked == 2


def test_after_the_last_hand_that_matters_nobody_is_asked() -> None:
    one = lab("kuhn", 3)
    forced = Forced(one.policy, {"e": Entry(["BET"], 7, "owner")}, alone=True)
    # The same hand goes on, then another begins, then its second decision.
    steps = [0, 1, 0, 1]
    found = [forced.act([decision(one, n, step)])[0] for n, step in enumerate(steps)]
    assert forced.asked == 1
    assert [choice.probabilities is None for choice in found] == [True, False, True, True]
    legal = next(iter(one.policy.legal.values()))
    assert {choice.action for choice in found[2:]} == {legal[0]}


def test_it_goes_on_with_the_draws_of_the_episode_that_was_there() -> None:
    one, seen = lab("ipd", 3), []

    class Watching(Policy):
        name = "watching"

        def act(self, decisions: Sequence[Decision]) -> list[Choice]:
            seen.extend(decisions)
            return one.policy.act(decisions)

    forced = Forced(Watching(), {"e": Entry(["DEFECT"], 7, "owner")}, alone=False)
    for number in range(3):
        forced.act([decision(one, number)])
    # The first own decision was given; real numbers count, whatever the decision says of itself.
    assert [d.draws for d in seen] == [DecisionDraws.of_policy(7, "owner", 0, n, 0) for n in (1, 2)]
