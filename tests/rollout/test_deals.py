"""Keyed randomness: a draw is a function of its key, every part of the key counts, draws are uniform."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from equipoise.errors import RequestError
from equipoise.rollout.deals import Deal, DecisionDraws, Split, check_disjoint, keyed_uniform

DEAL = Deal(seed=3, split=Split.TRAIN, game="ipd@1", index=5)
SAMPLES = 4000


def uniform(values: list[float]) -> float:
    """Return the p-value of a Kolmogorov-Smirnov test against the uniform distribution."""
    return float(stats.kstest(values, "uniform").pvalue)


def test_the_generator_is_the_same_on_every_machine() -> None:
    # First computed with this package; a change would make every stored result incomparable.
    assert keyed_uniform("equipoise") == 0.2624819053453117
    assert DEAL.key == "3|train|ipd@1|5"


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.text())
def test_a_draw_lies_in_the_unit_interval_and_depends_on_its_key_only(key: str) -> None:
    key = key.encode(errors="ignore").decode()
    assert 0.0 <= keyed_uniform(key) < 1.0
    assert keyed_uniform(key) == keyed_uniform(key)


def test_equal_deals_draw_alike() -> None:
    again = Deal(3, Split.TRAIN, "ipd@1", 5)
    assert again == DEAL
    assert again.chance(2, "noise/0") == DEAL.chance(2, "noise/0")
    assert again.opponent_draws(1, 2, 0).uniform("action") == DEAL.opponent_draws(1, 2, 0).uniform("action")


@pytest.mark.parametrize(
    "change",
    [{"seed": 4}, {"split": Split.REPORT}, {"game": "ipd@2"}, {"game": "kuhn@1"}, {"index": 6}],
    ids=str,
)
def test_another_deal_draws_something_else(change: dict[str, object]) -> None:
    other = dataclasses.replace(DEAL, **change)  # type: ignore[arg-type]
    assert other.chance(2, "noise/0") != DEAL.chance(2, "noise/0")
    for purpose in ("action", "token"):
        assert other.opponent_draws(1, 2, 0).uniform(purpose) != DEAL.opponent_draws(1, 2, 0).uniform(purpose)
    assert other.opponent_draws(1, 2, 0).once("m") != DEAL.opponent_draws(1, 2, 0).once("m")


def test_another_round_or_purpose_draws_something_else() -> None:
    draws = [DEAL.chance(round_, purpose) for round_ in range(12) for purpose in ("card/0", "card/1", "stop")]
    assert len(set(draws)) == len(draws)


def test_chance_and_opponent_do_not_share_draws() -> None:
    draws = [
        DEAL.chance(2, "0"),
        DEAL.opponent_draws(1, 2, 0).uniform("0"),
        DEAL.opponent_draws(1, 2, 0).once("0"),
    ]
    assert len(set(draws)) == 3


def test_the_opponent_draws_by_round_step_and_purpose() -> None:
    keys = itertools.product(range(12), range(3), ("action", "b"))
    draws = [DEAL.opponent_draws(1, round_, step).uniform(purpose) for round_, step, purpose in keys]
    assert len(set(draws)) == len(draws)


def test_a_third_player_draws_by_itself() -> None:
    assert DEAL.opponent_draws(2, 2, 0).uniform("action") != DEAL.opponent_draws(1, 2, 0).uniform("action")


def test_two_opponents_at_a_table_of_three_draw_independently() -> None:
    assert DEAL.opponent_draws(0, 2, 0).uniform("action") != DEAL.opponent_draws(1, 2, 0).uniform("action")


def test_draws_of_an_episode_stay_the_same_through_it() -> None:
    first, later = DEAL.opponent_draws(1, 0, 0), DEAL.opponent_draws(1, 7, 1)
    assert first.once("mixture") == later.once("mixture")
    assert first.once("mixture") != first.once("other")
    assert first.once("mixture") != first.uniform("mixture")


@pytest.mark.parametrize("changed", range(5))
def test_the_policy_draws_by_seed_episode_seat_decision_and_retry(changed: int) -> None:
    def draw(*key: object) -> float:
        return DecisionDraws.of_policy(*key).uniform("action")  # type: ignore[arg-type]

    key: list[object] = [3, "ipd/train/tit_for_tat/5/0/0", 0, 2, 0]
    other = list(key)
    other[changed] = "another" if changed == 1 else 9
    assert draw(*key) == draw(*key)
    assert draw(*key) != draw(*other)


def test_a_retry_draws_anew_but_the_episode_keeps_its_draw() -> None:
    first, second = (DecisionDraws.of_policy(3, "e", 0, 2, retry) for retry in (0, 1))
    assert first.uniform("action") != second.uniform("action")
    assert first.once("mixture") == second.once("mixture")


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_draws_are_uniform_over_deals_and_over_rounds(seed: int) -> None:
    deals = [Deal(seed, Split.TRAIN, "ipd@1", index) for index in range(SAMPLES)]
    over_deals = [deal.chance(0, "noise/0") for deal in deals]
    over_rounds = [deals[0].chance(round_, "noise/0") for round_ in range(SAMPLES)]
    opponent = [deal.opponent_draws(1, 0, 0).uniform("action") for deal in deals]
    policy = [DecisionDraws.of_policy(seed, f"e{i}", 0, 0, 0).uniform("action") for i in range(SAMPLES)]
    for draws in (over_deals, over_rounds, opponent, policy):
        assert uniform(draws) > 1e-3


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_draws_with_neighbouring_keys_are_uncorrelated(seed: int) -> None:
    deals = [Deal(seed, Split.TRAIN, "ipd@1", index) for index in range(SAMPLES)]
    streams = [
        [deal.chance(0, "noise/0") for deal in deals],
        [deal.chance(0, "noise/1") for deal in deals],
        [deal.chance(1, "noise/0") for deal in deals],
        [deal.opponent_draws(1, 0, 0).uniform("action") for deal in deals],
        [dataclasses.replace(deal, split=Split.REPORT).chance(0, "noise/0") for deal in deals],
        [dataclasses.replace(deal, seed=seed + 1).chance(0, "noise/0") for deal in deals],
    ]
    correlations = np.asarray(np.corrcoef(streams))[np.triu_indices(len(streams), k=1)]
    assert np.abs(correlations).max() < 4.5 / np.sqrt(SAMPLES)


def test_splits_share_no_deal() -> None:
    groups = [[Deal(3, split, "ipd@1", index) for index in range(50)] for split in Split]
    check_disjoint(groups)
    assert len({deal.key for group in groups for deal in group}) == 50 * len(Split)
    assert [split.value for split in Split] == ["sft", "train", "select", "report"]


def test_a_deal_used_twice_is_named() -> None:
    with pytest.raises(RequestError, match=r"deal '3\|train\|ipd@1\|5' is used twice"):
        check_disjoint([[DEAL], [Deal(3, Split.TRAIN, "ipd@1", 4)], [Deal(3, Split.TRAIN, "ipd@1", 5)]])


def test_a_deal_may_stand_twice_in_one_group() -> None:
    # A group meets a deal once an opponent and seat.
    check_disjoint([[DEAL, DEAL], [dataclasses.replace(DEAL, split=Split.SELECT)], []])


def test_deals_are_immutable() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        DEAL.index = 6  # type: ignore[misc]
