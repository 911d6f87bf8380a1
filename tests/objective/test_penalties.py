"""``shared`` and ``per_rollout``, by hand and by the invariants that every estimator holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import RequestError
from equipoise.games.base import Weights
from equipoise.objective.credit import Credit, Estimator, per_pool
from equipoise.objective.groups import Group
from equipoise.objective.penalties import ESTIMATORS, estimator_named, per_rollout, shared
from tests.objective.build import group, groups, objective, rollout

GATES = {"d": 1.0, "e": 1.0}
STREAMS = (("train", "a"), ("train", "b"), ("exploiter", "d"), ("exploiter", "e"), ("collusive", "c"))
PENALTIES = ("exploitability", "collusion")
estimators = pytest.mark.parametrize("assign", ESTIMATORS.values(), ids=ESTIMATORS.keys())


@st.composite
def batches(draw: st.DrawFn) -> list[Group]:
    """Draw a batch with one group of every stream, all of one size, as training plays it."""
    size = draw(st.integers(2, 4))
    return [draw(groups(stream=stream, low=size, high=size)) for stream in STREAMS]


def flat(credit: Credit) -> list[list[list[float]]]:
    return [[row.tolist() for row in rows] for rows in credit.advantages]


def one_round(stream: tuple[str, str], *payoffs: tuple[float, float], deal: int = 0) -> Group:
    """Return a group of one-round rollouts with these own and opponent's payoffs."""
    return group(stream, [rollout(np.array([[own, other, 0.0, 0.0]])) for own, other in payoffs], deal=deal)


class TestByHand:
    # s = 1, λe = 2.4, two exploiters; "a" is two thirds of the train pool.
    TRAIN = one_round(("train", "a"), (3.0, 0.0), (0.0, 0.0))
    LOSING = one_round(("exploiter", "d"), (0.0, 1.0), (0.0, 0.0))

    def test_per_rollout_pairs_rollouts_by_number(self) -> None:
        found = per_rollout([self.TRAIN, self.LOSING], objective(), GATES, False)
        # 2/3·3 of utility, and 2/3·(−1.2) for the lead that the exploiter took in the first episode.
        assert found.advantages[0][0] == pytest.approx([2.0 - 0.8])
        assert found.advantages[0][1] == pytest.approx([-2.0 + 0.8])
        assert found.advantages[1] == []
        assert found.episodes == {("train", "a"): 2}
        assert (found.dead, found.keys) == (0, 1)

    def test_shared_takes_the_mean_of_all_which_cancels(self) -> None:
        found = shared([self.TRAIN, self.LOSING], objective(), GATES, False)
        assert found.advantages[0][0] == pytest.approx([2.0])
        assert found.advantages[0][1] == pytest.approx([-2.0])
        assert (found.advantages[1], found.episodes) == ([], {("train", "a"): 2})

    def test_a_penalty_belongs_to_every_decision_of_its_rollout(self) -> None:
        long = group(("train", "a"), [rollout(np.zeros((3, 4))) for _ in range(2)])
        for independent in (False, True):
            found = per_rollout([long, self.LOSING], objective(), GATES, independent)
            assert found.advantages[0][0] == pytest.approx([-0.8] * 3)

    def test_a_closed_gate_costs_nothing(self) -> None:
        found = per_rollout([self.TRAIN, self.LOSING], objective(), {"d": 0.0, "e": 1.0}, False)
        assert found.advantages[0][0] == pytest.approx([2.0])

    def test_other_deals_and_seats_are_no_partners(self) -> None:
        late = replace(self.LOSING, deal=1)
        turned = replace(self.LOSING, seat=1)
        here = one_round(("exploiter", "d"), (0.0, 0.0), (0.0, 0.0))
        found = per_rollout([self.TRAIN, here, late, turned], objective(), GATES, False)
        assert found.advantages[0][0] == pytest.approx([2.0])

    @pytest.mark.parametrize(
        "partner",
        [replace(LOSING, deal=1), replace(LOSING, seat=1), replace(LOSING, rollouts=LOSING.rollouts[:1])],
    )
    def test_a_rollout_without_a_partner_is_refused(self, partner: Group) -> None:
        with pytest.raises(RequestError, match=r"credit = 'per_rollout': deal 0, seat 0 has \d episodes"):
            per_rollout([self.TRAIN, partner], objective(), GATES, False)


class TestShared:
    @settings(max_examples=40, derandomize=True, deadline=None)
    @given(batch=batches(), independent=st.booleans())
    def test_its_penalties_have_exactly_no_gradient(self, batch: list[Group], independent: bool) -> None:
        part = shared(batch, objective(), GATES, independent, PENALTIES)
        assert not any(row.any() for rows in part.advantages for row in rows)
        # What is left is what per_pool makes of the train pool.
        whole = shared(batch, objective(), GATES, independent)
        own = per_pool(batch[:2], objective(), GATES, independent)
        for found, wanted in zip(whole.advantages[:2], own.advantages, strict=True):
            for a, b in zip(found, wanted, strict=True):
                assert a == pytest.approx(b, abs=1e-12)

    @settings(max_examples=20, derandomize=True, deadline=None)
    @given(batch=batches())
    def test_without_penalties_all_estimators_agree(self, batch: list[Group]) -> None:
        own = [flat(assign(batch[:2], objective(), {}, False)) for assign in ESTIMATORS.values()]
        assert own[0] == own[1] == own[2]


class TestInvariants:
    @estimators
    @settings(max_examples=30, derandomize=True, deadline=None)
    @given(batch=batches(), shift=st.floats(-5.0, 5.0), independent=st.booleans())
    def test_1_a_constant_in_every_reward_of_a_group_changes_no_advantage(
        self, assign: Estimator, batch: list[Group], shift: float, independent: bool
    ) -> None:
        by = shift * np.array([1.0, -1.0, 1.0, 1.0])
        moved = [
            replace(g, rollouts=tuple(replace(r, features=r.features + by) for r in g.rollouts))
            for g in batch
        ]
        before, after = (assign(gs, objective(), GATES, independent) for gs in (batch, moved))
        for rows, others in zip(before.advantages, after.advantages, strict=True):
            for a, b in zip(rows, others, strict=True):
                assert a == pytest.approx(b, abs=1e-12)

    @pytest.mark.parametrize(
        ("component", "doubled"),
        [
            ("exploitability", Weights(4.8, 1.0, 1.8)),
            ("collusion", Weights(2.4, 2.0, 1.8)),
            ("externality", Weights(2.4, 1.0, 3.6)),
        ],
    )
    @estimators
    @settings(max_examples=10, derandomize=True, deadline=None)
    @given(batch=batches())
    def test_4_doubling_a_weight_doubles_its_component_exactly(
        self, assign: Estimator, component: str, doubled: Weights, batch: list[Group]
    ) -> None:
        once = flat(assign(batch, objective(), GATES, False, [component]))
        twice = flat(assign(batch, replace(objective(), weights=doubled), GATES, False, [component]))
        assert twice == [[[2.0 * v for v in row] for row in rows] for rows in once]

    @estimators
    @pytest.mark.parametrize("size", [2, 6])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_6_equal_rewards_give_exactly_zero(self, assign: Estimator, size: int, dtype: type) -> None:
        draw = np.random.default_rng(0)
        batch = []
        for stream in STREAMS:
            features = draw.uniform(0, 5, size=(3, 4)).astype(dtype)
            batch.append(group(stream, [rollout(features) for _ in range(size)]))
        for independent in (False, True):
            found = assign(batch, objective(), GATES, independent)
            assert found.dead == found.keys > 0
            assert all(v == 0.0 for rows in flat(found) for row in rows for v in row)

    @estimators
    @settings(max_examples=20, derandomize=True, deadline=None)
    @given(batch=batches(), data=st.data())
    def test_7_permuting_groups_permutes_the_advantages(
        self, assign: Estimator, batch: list[Group], data: st.DataObject
    ) -> None:
        order = data.draw(st.permutations(range(len(batch))))
        before = assign(batch, objective(), GATES, False).advantages
        after = assign([batch[i] for i in order], objective(), GATES, False).advantages
        for rows, i in zip(after, order, strict=True):
            assert len(rows) == len(before[i])
            for a, b in zip(rows, before[i], strict=True):
                assert a == pytest.approx(b, abs=1e-12)


def test_they_are_found_by_name() -> None:
    assert list(ESTIMATORS) == ["per_pool", "per_rollout", "shared"]
    assert [estimator_named(name) for name in ESTIMATORS] == [per_pool, per_rollout, shared]
    with pytest.raises(RequestError, match="unknown credit 'per_rolout': did you mean 'per_rollout'"):
        estimator_named("per_rolout")
