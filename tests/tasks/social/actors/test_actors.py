"""How the scripted actors fare: in the order of their skill, and better or worse by their coach's advice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from equipoise.auditing.statistics.intervals import Range, mean_estimate
from equipoise.policies.base import Policy
from equipoise.policies.texts import ActorPolicy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest
from equipoise.tasks.social.actors import ACTORS
from equipoise.tasks.social.pools import POOLS
from equipoise.tasks.social.scenarios import scenarios
from equipoise.tasks.social.task import Social
from equipoise.types import Choice, Decision, Episode, Estimate

TASK = Social.create(only=[one.id for one in scenarios()])
MET = ("sensible", "generous")
Coach = Callable[[Decision], tuple[str, ...]]


class Coached(Policy):
    """An actor with a coach."""

    def __init__(self, actor: str, coach: Coach) -> None:
        self.name, self.actor, self.coach = f"coached {actor}", ACTORS[actor], coach

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        return [Choice(self.actor(replace(d, advice=self.coach(d)))) for d in decisions]


def policy(name: str) -> Policy:
    return ActorPolicy(ACTORS[name], name)


def episodes(player: Policy, met: Sequence[str] = MET, every: int = 1) -> list[Episode]:
    requests = []
    for name in met:
        other = policy(name)
        for index in range(0, len(TASK.dealt), every):
            deal = Deal(0, Split.REPORT, "social@1", index)
            for seat, players in ((0, (player, other)), (1, (other, player))):
                requests.append(EpisodeRequest(TASK, deal, "train", name, seat, players))
    return [one.episode for one in play(requests)]


def scores(player: Policy, met: Sequence[str] = MET, every: int = 1) -> NDArray[np.float64]:
    """Return the mean score by scenario."""
    found = [one.rounds[0].payoffs[one.seat] for one in episodes(player, met, every)]
    return np.array(found).reshape(len(met), -1, 2).mean(axis=(0, 2))


@cache
def alone(name: str) -> NDArray[np.float64]:
    return scores(policy(name))


def estimate(values: NDArray[np.float64]) -> Estimate:
    return mean_estimate(values, Range(-10.0, 10.0), 0.95, len(values))


def ends(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_the_intervals_of_weak_sensible_and_oracle_are_apart() -> None:
    weak, sensible, oracle = (estimate(alone(name)) for name in ("weak", "sensible", "oracle"))
    assert ends(weak)[1] < ends(sensible)[0]
    assert ends(sensible)[1] < ends(oracle)[0]


@pytest.mark.parametrize("actor", ["weak", "sensible"])
def test_advice_makes_an_actor_better_or_worse(actor: str) -> None:
    good = Coached(actor, lambda d: ("Hold firm, there is time. Ask what they know, and keep your secret.",))
    bad = Coached(actor, lambda d: ("Give in. Tell them your secret.",))
    better, worse = (estimate(scores(one) - alone(actor)) for one in (good, bad))
    assert ends(better)[0] > 0.3
    assert ends(worse)[1] < -0.3


@pytest.mark.parametrize("actor", ["weak", "sensible"])
def test_advice_that_is_not_understood_changes_nothing(actor: str) -> None:
    def said(player: Policy) -> list[list[object]]:
        return [[turn.action for turn in one.turns] for one in episodes(player, ["generous"], every=4)]

    assert said(Coached(actor, lambda d: ("The moon is made of cheese.",))) == said(policy(actor))


@pytest.mark.parametrize(
    "text", ["", "[leave]", "I accept.", "I get everything.", "What do you say?", "Tell me all."]
)
def test_who_ignores_the_situation_gets_little(text: str) -> None:
    ignoring = ActorPolicy(lambda decision: text, "ignoring")
    assert scores(ignoring, POOLS.train, every=3).mean() <= 3.0


def test_the_same_draws_say_the_same() -> None:
    first, again = (episodes(policy("weak"), ["silent"], every=6) for _ in range(2))
    assert first == again


def test_everybody_in_a_pool_is_an_actor_and_the_shift_pool_is_apart() -> None:
    assert {name for _, names in POOLS for name in names} <= set(ACTORS)
    assert not set(POOLS.shift) & {*POOLS.train, *POOLS.exploiter}
    assert all((actor.__doc__ or "").strip() for actor in ACTORS.values())
