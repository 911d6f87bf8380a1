"""``per_pool``: invariants of objective.md, section 3, on constructed groups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.games.base import Weights
from equipoise.objective.credit import Credit, per_pool
from equipoise.objective.groups import Group, Rollout
from tests.objective.build import group, groups, objective, rollout

GATES = {"d": 1.0, "e": 1.0}
STREAMS = (("train", "a"), ("train", "b"), ("exploiter", "d"), ("exploiter", "e"), ("collusive", "c"))
streams = st.sampled_from(STREAMS)


@st.composite
def batches(draw: st.DrawFn) -> list[Group]:
    """Draw a batch with one group of every stream."""
    return [draw(groups(stream=stream, high=4)) for stream in STREAMS]


def flat(credit: Credit) -> list[list[list[float]]]:
    return [[row.tolist() for row in rows] for rows in credit.advantages]


def changed(one: Group, member: int, round_: int, by: float) -> Group:
    """Return the group with a round of one member worth more or less in every respect."""
    features = one.rollouts[member].features.copy()
    features[round_] += by * np.array([1.0, -0.5, 0.25, 0.125])
    rollouts = list(one.rollouts)
    rollouts[member] = replace(rollouts[member], features=features)
    return replace(one, rollouts=tuple(rollouts))


class TestInvariants:
    @settings(max_examples=40, derandomize=True, deadline=None)
    @given(one=streams.flatmap(groups), shift=st.floats(-5.0, 5.0), independent=st.booleans())
    def test_1_a_constant_in_every_reward_of_a_group_changes_no_advantage(
        self, one: Group, shift: float, independent: bool
    ) -> None:
        moved = replace(
            one,
            rollouts=tuple(
                replace(r, features=r.features + shift * np.array([1.0, -1.0, 1.0, 1.0]))
                for r in one.rollouts
            ),
        )
        before, after = (per_pool([g], objective(), GATES, independent) for g in (one, moved))
        for a, b in zip(before.advantages[0], after.advantages[0], strict=True):
            assert a == pytest.approx(b, abs=1e-12)

    @pytest.mark.parametrize(
        ("component", "doubled"),
        [
            ("exploitability", Weights(4.8, 1.0, 1.8)),
            ("collusion", Weights(2.4, 2.0, 1.8)),
            ("externality", Weights(2.4, 1.0, 3.6)),
        ],
    )
    @settings(max_examples=20, derandomize=True, deadline=None)
    @given(batch=batches())
    def test_4_doubling_a_weight_doubles_its_component_and_nothing_else(
        self, component: str, doubled: Weights, batch: list[Group]
    ) -> None:
        one, two = objective(), replace(objective(), weights=doubled)
        every = ("utility", "exploitability", "collusion", "externality")
        for name in every:
            a = per_pool(batch, one, GATES, False, [name])
            b = per_pool(batch, two, GATES, False, [name])
            factor = 2.0 if name == component else 1.0
            assert flat(b) == [[[factor * v for v in row] for row in rows] for rows in flat(a)]
        # The components make up the whole.
        whole = per_pool(batch, two, GATES, False).advantages
        parts = [per_pool(batch, two, GATES, False, [name]).advantages for name in every]
        for g, rows in enumerate(whole):
            for i, row in enumerate(rows):
                assert row == pytest.approx(sum(part[g][i] for part in parts), abs=1e-12)

    @settings(max_examples=60, derandomize=True, deadline=None)
    @given(one=streams.flatmap(groups), data=st.data(), by=st.floats(0.5, 5.0))
    def test_5_what_happens_in_a_round_is_credited_to_earlier_decisions_only(
        self, one: Group, data: st.DataObject, by: float
    ) -> None:
        member = data.draw(st.integers(0, len(one.rollouts) - 1))
        k = data.draw(st.integers(0, len(one.rollouts[member].features) - 1))
        other = changed(one, member, k, by)
        for independent in (False, True):
            before = per_pool([one], objective(), GATES, independent).advantages[0]
            after = per_pool([other], objective(), GATES, independent).advantages[0]
            moved = False
            for r, a, b in zip(one.rollouts, before, after, strict=True):
                late = r.rounds > k
                assert a[late].tolist() == b[late].tolist()
                if independent:
                    assert a[r.rounds < k].tolist() == b[r.rounds < k].tolist()
                moved |= bool((a != b).any())
            own = one.rollouts[member].rounds
            early = own == k if independent else own <= k
            if early.any():
                assert moved

    @pytest.mark.parametrize("size", [2, 6])
    @pytest.mark.parametrize("stream", STREAMS)
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_6_equal_rewards_give_exactly_zero(self, size: int, stream: tuple[str, str], dtype: type) -> None:
        features = np.random.default_rng(0).uniform(0, 5, size=(3, 4)).astype(dtype)
        one = group(stream, [rollout(features) for _ in range(size)])
        for independent in (False, True):
            found = per_pool([one], objective(), GATES, independent)
            assert flat(found) == [[[0.0, 0.0, 0.0]] * size]
            assert found.dead == found.keys == 3

    @settings(max_examples=30, derandomize=True, deadline=None)
    @given(batch=batches(), data=st.data())
    def test_7_permuting_groups_permutes_the_advantages(
        self, batch: list[Group], data: st.DataObject
    ) -> None:
        order = data.draw(st.permutations(range(len(batch))))
        before = flat(per_pool(batch, objective(), GATES, False))
        after = per_pool([batch[i] for i in order], objective(), GATES, False)
        assert flat(after) == [before[i] for i in order]
        assert after.episodes == per_pool(batch, objective(), GATES, False).episodes

    @settings(max_examples=20, derandomize=True, deadline=None)
    @given(batch=batches(), data=st.data())
    def test_7_so_does_permuting_the_pools(self, batch: list[Group], data: st.DataObject) -> None:
        pools = objective().pools
        shuffled = replace(
            pools,
            train=tuple(data.draw(st.permutations(pools.train))),
            exploiter=tuple(data.draw(st.permutations(pools.exploiter))),
        )
        other = replace(objective(), pools=shuffled)
        assert flat(per_pool(batch, other, GATES, False)) == flat(per_pool(batch, objective(), GATES, False))

    @settings(max_examples=20, derandomize=True, deadline=None)
    @given(one=groups(stream=("exploiter", "d")))
    def test_9_a_closed_gate_gives_exactly_zero(self, one: Group) -> None:
        closed = per_pool([one], objective(), {"d": 0.0, "e": 1.0}, False, ["exploitability"])
        assert all(v == 0.0 for rows in flat(closed) for row in rows for v in row)
        # What is left is the externality, whatever λe.
        whole = per_pool([one], objective(), {"d": 0.0}, False)
        strict = replace(objective(), weights=Weights(1e9, 1.0, 1.8))
        assert flat(per_pool([one], strict, {"d": 0.0}, False)) == flat(whole)


class TestBatch:
    def test_gates_may_be_given_by_group(self) -> None:
        features = [np.array([[0.0, 1.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0, 0.0]])]
        one = group(("exploiter", "d"), [rollout(f) for f in features])
        found = per_pool([one, one, one], objective(), [1.0, 0.0, 0.5], False)
        # λe·s/|E| = 1.2, and the gaps differ by 2.
        assert flat(found) == [[[-2.4], [2.4]], [[0.0], [0.0]], [[-1.2], [1.2]]]

    def test_a_multiset_counts_twice(self) -> None:
        features = [np.array([[3.0, 0, 0, 0]]), np.array([[0.0, 0, 0, 0]])]
        a, b = (group(("train", name), [rollout(f) for f in features]) for name in ("a", "b"))
        found = flat(per_pool([a, b], objective(), {}, False))
        assert found[0] == [[2.0], [-2.0]]  # 2/3 · 3
        assert found[1] == [[1.0], [-1.0]]

    def test_episodes_and_keys_are_counted_by_stream(self) -> None:
        features = np.zeros((2, 4))
        once = [Rollout(features, np.array([0]), np.array([0])) for _ in range(3)]
        twice = [rollout(features) for _ in range(2)]
        train, collusive = ("train", "a"), ("collusive", "c")
        batch = [group(train, once), group(train, twice, deal=1), group(collusive, twice)]
        found = per_pool(batch, objective(), {}, False)
        assert found.episodes == {train: 5, collusive: 2}
        assert (found.dead, found.keys) == (5, 5)
