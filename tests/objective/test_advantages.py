"""Rewards to go and leave-one-out baselines: invariants of objective.md, section 3."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.objective.advantages import leave_one_out, returns_to_go
from tests.objective.build import group, groups, rollout

rewards = st.lists(st.floats(-10.0, 10.0), min_size=1, max_size=6)


class TestReturns:
    @settings(max_examples=50, derandomize=True, deadline=None)
    @given(r=rewards)
    def test_a_return_is_the_mean_share_of_what_is_to_come(self, r: list[float]) -> None:
        found = returns_to_go(r, independent=False)
        for k in range(len(r)):
            assert found[k] == pytest.approx(sum(r[k:]) / len(r), abs=1e-12)
        assert returns_to_go(r, independent=True) == pytest.approx(np.array(r) / len(r), abs=1e-12)

    @settings(max_examples=50, derandomize=True, deadline=None)
    @given(r=rewards, data=st.data())
    def test_equal_multisets_give_equal_returns_to_the_last_bit(
        self, r: list[float], data: st.DataObject
    ) -> None:
        other = data.draw(st.permutations(r))
        assert returns_to_go(r, False)[0] == returns_to_go(other, False)[0]


def returns_of(rows: list[list[float]]) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
    return [np.array(row) for row in rows]


class TestLeaveOneOut:
    def test_by_hand(self) -> None:
        # Three rollouts, two rounds; the third decides only in the second round.
        members = [
            rollout(np.zeros((2, 4)), [(0, 0), (1, 0)]),
            rollout(np.zeros((2, 4)), [(0, 0), (1, 0)]),
            rollout(np.zeros((2, 4)), [(1, 0)]),
        ]
        found, dead = leave_one_out(
            group(("train", "a"), members), returns_of([[3.0, 1.0], [1.0, 1.0], [8.0, 4.0]])
        )
        assert found[0].tolist() == [3.0 - 1.0, 1.0 - (1.0 + 4.0) / 2]
        assert found[1].tolist() == [1.0 - 3.0, 1.0 - (1.0 + 4.0) / 2]
        assert found[2].tolist() == [4.0 - (1.0 + 1.0) / 2]
        assert dead == 0

    def test_a_key_nobody_else_has_falls_back_on_the_rounds_start(self) -> None:
        members = [
            rollout(np.zeros((2, 4)), [(0, 0), (0, 1), (1, 0)]),
            rollout(np.zeros((2, 4)), [(0, 0)]),
            rollout(np.zeros((1, 4)), [(0, 0)]),
        ]
        found, _ = leave_one_out(group(("train", "a"), members), returns_of([[6.0, 2.0], [1.0, 7.0], [3.0]]))
        # (0, 1): the others' returns from round 0; (1, 0): only the second still has a round 1.
        assert found[0].tolist() == [6.0 - 2.0, 6.0 - 2.0, 2.0 - 7.0]

    def test_alone_in_a_round_there_is_nothing_to_compare(self) -> None:
        members = [rollout(np.zeros((2, 4)), [(1, 0)]), rollout(np.zeros((1, 4)), [(0, 0)])]
        found, dead = leave_one_out(group(("train", "a"), members), returns_of([[0.0, 5.0], [1.0]]))
        assert found[0].tolist() == [0.0]
        assert found[1].tolist() == [1.0]  # round 0 of the first: return 0, though it made no decision
        assert dead == 1

    def test_dead_keys_are_counted_once(self) -> None:
        members = [rollout(np.zeros((2, 4))) for _ in range(4)]
        found, dead = leave_one_out(
            group(("train", "a"), members), returns_of([[1.0, 2.0], [1.0, 3.0], [1.0, 2.0], [1.0, 2.0]])
        )
        assert dead == 1
        assert [row[0] for row in found] == [0.0] * 4
        assert [row[1] for row in found] == pytest.approx([-1 / 3, 1.0, -1 / 3, -1 / 3])

    @settings(max_examples=60, derandomize=True, deadline=None)
    @given(one=groups(), shift=st.floats(-100.0, 100.0))
    def test_a_constant_in_every_return_changes_nothing(self, one: object, shift: float) -> None:
        from equipoise.objective.groups import Group

        assert isinstance(one, Group)
        returns = [np.arange(len(r.features)) * 1.0 + i**2 for i, r in enumerate(one.rollouts)]
        before, _ = leave_one_out(one, returns)
        after, _ = leave_one_out(one, [row + shift for row in returns])
        for a, b in zip(before, after, strict=True):
            assert a == pytest.approx(b, abs=1e-12)

    @pytest.mark.parametrize("size", [2, 6])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("r", [0.0, 1 / 3, 1e30, -1e-30])
    def test_equal_rewards_give_exactly_zero(self, size: int, dtype: type, r: float) -> None:
        members = [rollout(np.zeros((3, 4))) for _ in range(size)]
        returns = [returns_to_go(np.full(3, r, dtype=dtype), False) for _ in range(size)]
        found, dead = leave_one_out(group(("train", "a"), members), returns)
        assert all(value == 0.0 for row in found for value in row)
        assert dead == 3

    @settings(max_examples=60, derandomize=True, deadline=None)
    @given(one=groups(), data=st.data())
    def test_permuting_members_permutes_advantages_exactly(self, one: object, data: st.DataObject) -> None:
        from equipoise.objective.groups import Group

        assert isinstance(one, Group)
        order = data.draw(st.permutations(range(len(one.rollouts))))
        returns = [r.features[:, 0] for r in one.rollouts]
        before, dead = leave_one_out(one, returns)
        swapped = group(one.stream, [one.rollouts[i] for i in order])
        after, still = leave_one_out(swapped, [returns[i] for i in order])
        assert dead == still
        for place, i in enumerate(order):
            assert after[place].tolist() == before[i].tolist()

    @settings(max_examples=60, derandomize=True, deadline=None)
    @given(one=groups())
    def test_where_all_share_a_key_the_advantages_sum_to_zero(self, one: object) -> None:
        from equipoise.objective.groups import Group

        assert isinstance(one, Group)
        members = [rollout(r.features) for r in one.rollouts]
        found, _ = leave_one_out(group(one.stream, members), [r.features[:, 0] for r in members])
        for t in range(len(members[0].features)):
            assert math.fsum(row[t] for row in found) == pytest.approx(0.0, abs=1e-12)
