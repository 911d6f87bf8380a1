"""The hinge's gates: exact ones, and running ones that a group never decides for itself."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.objective.gates import RunningGates, exact_gates
from equipoise.objective.groups import Group
from tests.objective.build import group, rollout

gaps = st.floats(-5.0, 5.0)


def of(gap: float, name: str = "d", seat: int = 0, pool: str = "exploiter") -> Group:
    """Return a group whose gap is given."""
    members = [rollout(np.array([[0.0, gap + d, 0.0, 0.0]])) for d in (-1.0, 1.0)]
    return group((pool, name), members, seat)


@pytest.mark.parametrize(
    ("gap", "gate"), [(1.0, 1.0), (1e-9, 1.0), (0.0, 0.0), (1e-13, 0.0), (-1e-9, 0.0), (-3.0, 0.0)]
)
def test_exact_gates_are_open_above_zero(gap: float, gate: float) -> None:
    assert exact_gates({"d": gap}) == {"d": gate}


class TestCrossFitting:
    @settings(max_examples=100, derandomize=True, deadline=None)
    @given(own=gaps, other=gaps, rest=st.lists(st.tuples(gaps, st.sampled_from((0, 1))), max_size=4))
    def test_a_groups_own_gap_never_decides_its_own_gate(
        self, own: float, other: float, rest: list[tuple[float, int]]
    ) -> None:
        beside = [of(gap, seat=seat) for gap, seat in rest]
        history = [of(1.0), of(-0.5, seat=1)]
        found = []
        for mine in (own, other, -100.0, 100.0):
            gates = RunningGates()
            gates.gates(history)
            found.append(gates.gates([of(mine), *beside])[0])
        assert len(set(found)) == 1

    def test_the_others_in_the_batch_decide(self) -> None:
        assert RunningGates().gates([of(-9.0), of(1.0), of(2.0)]) == [1.0, 0.0, 0.0]
        assert RunningGates().gates([of(9.0), of(-1.0), of(-2.0)]) == [0.0, 1.0, 1.0]

    def test_so_do_earlier_batches(self) -> None:
        gates = RunningGates()
        gates.gates([of(-2.0)])
        assert gates.gates([of(50.0)]) == [0.0]
        # Now the history holds −2 at weight 0.7 and 50.
        assert gates.gates([of(-50.0)]) == [1.0]

    def test_knowing_nothing_the_penalty_acts(self) -> None:
        assert RunningGates().gates([of(-5.0)]) == [1.0]

    def test_other_opponents_do_not_matter(self) -> None:
        assert RunningGates().gates([of(-5.0, "d"), of(-5.0, "e")]) == [1.0, 1.0]
        gates = RunningGates()
        gates.gates([of(-5.0, "e")])
        assert gates.gates([of(1.0, "d"), of(1.0, "e")]) == [1.0, 0.0]

    def test_other_pools_get_none(self) -> None:
        gates = RunningGates()
        assert gates.gates([of(5.0, pool="train"), of(5.0, pool="collusive"), of(5.0)]) == [0.0, 0.0, 1.0]
        # A train group of the same name is not taken for the exploiter.
        gates.gates([of(100.0, pool="train")])
        gates.gates([of(-20.0)])
        assert gates.gates([of(1.0)]) == [0.0]


class TestMean:
    def test_seats_count_alike_however_often_each_was_played(self) -> None:
        # Seat 0: −1 three times; seat 1: +2 once. Averaged over seats the gap is +0.5, pooled −0.25.
        gates = RunningGates()
        gates.gates([of(-1.0), of(-1.0), of(-1.0), of(2.0, seat=1)])
        assert gates.gates([of(0.0)]) == [1.0]
        pooled = RunningGates()
        pooled.gates([of(-1.0), of(-1.0), of(-1.0), of(2.0)])
        assert pooled.gates([of(0.0)]) == [0.0]

    def test_old_batches_fade(self) -> None:
        for decay, gate in ((0.9, 1.0), (0.1, 0.0)):
            gates = RunningGates(decay)
            gates.gates([of(4.0)])
            gates.gates([of(-2.0)])
            gates.gates([of(-1.0)])
            assert gates.gates([of(0.0)]) == [gate]

    def test_a_zero_mean_is_closed(self) -> None:
        gates = RunningGates()
        gates.gates([of(1.0), of(-1.0)])
        assert gates.gates([of(3.0)]) == [0.0]

    def test_the_gap_is_the_mean_over_members_and_rounds(self) -> None:
        members = [
            rollout(np.array([[1.0, 2.0, 0, 0], [1.0, 4.0, 0, 0]])),
            rollout(np.array([[3.0, 0.0, 0, 0]])),
        ]
        assert group(("exploiter", "d"), members).gap == pytest.approx((2.0 - 3.0) / 2)


def test_who_is_another_now_starts_anew() -> None:
    gates = RunningGates()
    gates.gates([of(-1.0), of(-1.0, seat=1), of(-1.0, "x|y")])
    gates.forget({"d", "unknown"})
    # Nothing is known of d any more: its penalty acts until it is shown not to be needed.
    assert gates.gates([of(-1.0), of(-1.0, "x|y")]) == [1.0, 0.0]


def test_a_saved_state_goes_on_alike() -> None:
    gates = RunningGates()
    gates.gates([of(0.3), of(-0.2, seat=1), of(0.1, "x|y")])
    gates.gates([of(-0.7), of(0.1, seat=1)])
    again = RunningGates()
    again.load_state_dict(json.loads(json.dumps(gates.state_dict())))
    for batch in ([of(0.05)], [of(-0.4, seat=1), of(0.2, "x|y")], [of(0.0)]):
        assert again.gates(batch) == gates.gates(batch)
    assert again.state_dict() == gates.state_dict()
    assert {key.rpartition("|")[0] for key in gates.state_dict()} == {"d", "x|y"}
