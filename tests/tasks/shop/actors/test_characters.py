"""Shoppers by skill, with and without a coach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.statistics.intervals import Range, mean_estimate
from equipoise.judges.base import case_of
from equipoise.judges.rule import RuleJudge
from equipoise.policies.texts import ActorPolicy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest
from equipoise.tasks.registry import NOBODY, Actor, get_actor
from equipoise.tasks.shop.goals import SPLITS, goals
from equipoise.tasks.shop.task import Shop
from equipoise.types import Decision, Episode, Estimate
from tests.tasks.shop.build import Coached

ALL = Shop.create(only=[one.id for one in goals()])
SOME = Shop.create(only=[one.id for split in SPLITS for one in goals() if one.split == split][::6])

Advice = Mapping[str, Sequence[str]] | Sequence[str]


def episodes(task: Shop, actor: Actor, advice: Advice = ()) -> list[Episode]:
    player = Coached(actor, advice)
    requests = [
        EpisodeRequest(
            task, Deal(0, Split.REPORT, task.info_record.key, index), "train", NOBODY, 0, (player,)
        )
        for index in range(len(task.dealt))
    ]
    return [one.episode for one in play(requests)]


def scores(task: Shop, actor: Actor, advice: Advice = ()) -> NDArray[np.float64]:
    return np.array([one.rounds[0].payoffs[0] for one in episodes(task, actor, advice)])


@cache
def alone(name: str) -> NDArray[np.float64]:
    return scores(SOME, get_actor("shop", name))


def estimate(values: NDArray[np.float64], low: float = 0.0) -> Estimate:
    return mean_estimate(values, Range(low, 1.0), 0.95, len(values))


def apart(lower: NDArray[np.float64], higher: NDArray[np.float64]) -> bool:
    gap = estimate(higher - lower, -1.0)
    return gap.low is not None and gap.low > 0.0


def test_weak_sensible_and_oracle_are_apart() -> None:
    low, middle, high = (estimate(scores(ALL, get_actor("shop", n))) for n in ("weak", "sensible", "oracle"))
    assert low.high is not None
    assert middle.low is not None
    assert middle.high is not None
    assert high.low is not None
    assert low.high < middle.low
    assert middle.high < high.low
    assert high.value == 1.0


def test_who_ignores_the_page_gets_little() -> None:
    assert alone("hasty").mean() < 0.3

    def same(decision: Decision) -> str:
        return ("search[good cheap gift]", f"click[{ALL.catalogue.products[0].id}]", "click[Buy Now]")[
            decision.index % 3
        ]

    assert scores(SOME, same).mean() < 0.3


def test_every_turn_of_the_oracle_brings_it_nearer() -> None:
    for one in episodes(SOME, get_actor("shop", "oracle")):
        values = one.notes["achievable"][0]  # type: ignore[index]
        needed = [turn.action for turn in one.turns]
        gains = np.array(values[1::2]) - np.array(values[::2])
        bare = {"click[Next >]", "click[Back to Search]"}
        assert all(gain > 0.0 or action in bare for gain, action in zip(gains, needed, strict=True))


def test_the_rule_judge_marks_every_turn_of_the_oracle_and_few_of_who_is_led_astray() -> None:
    def marked(name: str, advice: Advice = ()) -> float:
        found = episodes(SOME, get_actor("shop", name), advice)
        verdicts = RuleJudge().judge([case_of(one, SOME) for one in found])
        return sum(len(one.decisive) for one in verdicts) / sum(len(one.turns) for one in found)

    assert marked("oracle") == 1.0
    assert marked("sensible", ("Search for a nice present.",)) < 0.3 < marked("sensible") < 1.0


def test_good_advice_makes_weak_and_sensible_better() -> None:
    told = {
        one.id: (
            f"Search for {ALL.catalogue.by_id[one.product].query} {' '.join(one.attributes)}. "
            f"It must have {one.attributes[0]}. Read the features. "
            f"Choose {' and '.join(value for _, value in one.options)}.",
        )
        for one in goals()
    }
    for name in ("weak", "sensible"):
        assert apart(alone(name), scores(SOME, get_actor("shop", name), told)), name


def test_general_advice_helps_the_weak_one() -> None:
    advice = ("Use key words, read the features, and choose the options before you buy.",)
    assert apart(alone("weak"), scores(SOME, get_actor("shop", "weak"), advice))


def test_bad_advice_makes_them_worse() -> None:
    for name in ("weak", "sensible"):
        assert apart(scores(SOME, get_actor("shop", name), ("Search for a nice present.",)), alone(name)), (
            name
        )
    hurried = scores(SOME, get_actor("shop", "sensible"), ("Just take the first one, forget the options.",))
    assert apart(hurried, alone("sensible"))


def test_advice_that_is_not_understood_changes_nothing() -> None:
    told = scores(SOME, get_actor("shop", "sensible"), ("Good luck out there.",))
    assert (told == alone("sensible")).all()


def test_no_actor_acts_in_vain() -> None:
    for name in ("weak", "sensible", "oracle"):
        for one in episodes(SOME, get_actor("shop", name)):
            assert one.notes["unfit"] == []
            assert one.notes["ended"] == "bought"


def test_they_are_policies() -> None:
    assert ActorPolicy(get_actor("shop", "weak"), "weak").name == "weak"
