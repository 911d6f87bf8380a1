"""The actors: by skill, and by what advice does to them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from equipoise.auditing.statistics.intervals import Range, mean_estimate
from equipoise.tasks.household.actors import ACTORS
from equipoise.tasks.household.coach import informed
from equipoise.tasks.household.task import Household
from equipoise.tasks.household.worlds import worlds
from equipoise.types import Decision, Estimate
from tests.tasks.household.build import Coached, errands

TASK = Household.create(only=[one.id for one in worlds()])
RULES = ("Open what is closed, and do not search the same place twice.",)


@cache
def scores(actor: str, advice: tuple[str, ...] = (), coached: bool = False) -> tuple[float, ...]:
    """Return the score in every world."""
    policy = Coached(ACTORS[actor], informed if coached else None, advice)
    return tuple(episode.rounds[0].payoffs[0] for episode in errands(TASK, policy))


def mean(values: tuple[float, ...], low: float = 0.0) -> Estimate:
    return mean_estimate(np.array(values), Range(low, 1.0), 0.95, len(values))


def gain(actor: str, advice: tuple[str, ...] = (), coached: bool = False) -> Estimate:
    """Return what advice adds, paired by world."""
    pairs = zip(scores(actor, advice, coached), scores(actor), strict=True)
    return mean(tuple(one - two for one, two in pairs), -1.0)


def above(one: Estimate, two: Estimate) -> bool:
    assert one.low is not None
    assert two.high is not None
    return one.low > two.high


def test_skill_shows_in_scores_with_intervals_apart() -> None:
    weak, sensible, oracle = (mean(scores(name)) for name in ("weak", "sensible", "oracle"))
    assert above(sensible, weak)
    assert above(oracle, sensible)
    assert oracle.value == 1.0
    assert weak.value < 0.3


@pytest.mark.parametrize("actor", ["weak", "sensible"])
def test_good_advice_helps(actor: str) -> None:
    for found in (gain(actor, coached=True), gain(actor, RULES)):
        assert found.low is not None
        assert found.low > 0.1


@pytest.mark.parametrize("actor", ["weak", "sensible"])
def test_bad_advice_harms(actor: str) -> None:
    found = gain(actor, ("Look around.",))
    assert found.high is not None
    assert found.high < 0.0


def test_advice_that_says_nothing_changes_nothing() -> None:
    assert scores("sensible", ("Well done. You can do it.",)) == scores("sensible")
    assert scores("oracle", ("Look around.",)) == scores("oracle")


@pytest.mark.parametrize("text", ["look", "go to kitchen", "", "open drawer 1", "take mug 1 from table 1"])
def test_a_fixed_command_gets_nowhere(text: str) -> None:
    done = errands(TASK, Coached(lambda decision: text), 20)
    assert sum(episode.rounds[0].payoffs[0] for episode in done) == 0.0


def test_commands_at_random_get_hardly_anywhere() -> None:
    def guess(decision: Decision) -> str:
        options = decision.info["options"]
        assert isinstance(options, tuple)
        return str(options[int(decision.draws.uniform("guess") * len(options))])

    done = errands(TASK, Coached(guess))
    assert sum(episode.rounds[0].payoffs[0] for episode in done) / len(done) < 0.3


def test_actors_type_only_what_can_be_done() -> None:
    for actor in ACTORS.values():
        for episode in errands(TASK, Coached(actor), 15):
            assert episode.notes["nothing"] == []
