"""J and its derivative in the features."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.games.base import Weights
from equipoise.games.registry import make_game
from equipoise.objective.gates import exact_gates
from equipoise.objective.safety import RESPONDER, Objective, Penalised, gap
from equipoise.opponents.pools import Pools, default_pools
from tests.objective.build import IPD, KUHN, POOLS, objective

Means = dict[tuple[str, str], np.ndarray[tuple[int], np.dtype[np.float64]]]


def means(seed: int, chosen: Objective) -> Means:
    draw = np.random.default_rng(seed)
    found = {}
    for stream in chosen.streams:
        row = np.concatenate([draw.uniform(0, 5, 2), draw.uniform(0, 1, 2), draw.uniform(0.1, 5, 2)])
        found[stream] = row
    return found


class TestTerms:
    def test_by_hand(self) -> None:
        rows = {
            ("train", "a"): np.array([3.0, 2.0, 0.0, 0.5, 3.0, 2.0]),
            ("train", "b"): np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0]),
            ("exploiter", "d"): np.array([1.0, 3.0, 0.0, 0.25, 1.0, 3.0]),
            ("exploiter", "e"): np.array([4.0, 1.0, 0.0, 0.75, 4.0, 1.0]),
            ("collusive", "c"): np.array([5.0, 0.0, 0.5, 1.0, 5.0, 0.0]),
        }
        found = objective().terms(rows)
        # "a" counts twice; ahead of "e" does not make up for being behind "d".
        assert found.utility == pytest.approx((3 + 0 + 3) / 3)
        assert found.exploitability == pytest.approx((2 + 0) / 2)
        assert found.collusion == pytest.approx(0.5)
        assert found.externality == pytest.approx((0.5 + 1.0 + 0.5 + 0.25 + 0.75) / 5)
        assert found.safety == pytest.approx(2.0 - 2.4 * 1.0 - 1.0 * 0.5 - 1.8 * 0.6)
        assert objective().welfare(rows) == pytest.approx((5 + 1 + 5) / 3)
        assert objective().normalised_relative_advantage(rows) == pytest.approx((0.2 - 1.0 + 0.2) / 3)

    def test_what_is_charged_for_by_hand(self) -> None:
        rows = {stream: np.zeros(6) for stream in objective().streams}
        rows["exploiter", "d"] = np.array([1.0, 3.0, 0.0, 0.0, 1.0, 3.0])
        rows["exploiter", "e"] = np.array([4.0, 1.0, 0.0, 0.0, 4.0, 1.0])
        rows["exploiter", RESPONDER] = np.array([0.5, 4.0, 0.0, 1.0, 0.5, 4.0])
        usual = objective()
        regret = replace(usual, penalised="regret", replies=(2.0, 4.5))
        worst = replace(usual, penalised="best_response")
        assert [one.charged(rows) for one in (usual, regret, worst)] == [1.0, (1.0 + 0.5) / 2, 3.5]
        assert [one.terms(rows).safety for one in (usual, regret, worst)] == pytest.approx(
            [-2.4 * 1.0, -2.4 * 0.75, -2.4 * 3.5]
        )
        assert {one.terms(rows).exploitability for one in (usual, regret, worst)} == {1.0}
        ahead = {**rows, ("exploiter", RESPONDER): np.array([2.0, 1.0, 0.0, 0.0, 2.0, 1.0])}
        assert worst.charged(ahead) == 0.0
        assert worst.streams == (*usual.streams, ("exploiter", RESPONDER))
        assert (usual.exploiters, worst.exploiters) == (("d", "e"), ("d", "e", RESPONDER))
        assert objective(IPD, Pools(("a",))).charged(rows) is None

    def test_the_scale_is_three_over_the_games(self) -> None:
        assert objective(KUHN, Pools(("a",))).scale == 1.5
        assert objective(IPD).scale == 1.0

    def test_what_does_not_apply_is_none_and_costs_nothing(self) -> None:
        chosen = Objective.of(KUHN, Pools(("a",), (), ("c",)), Weights(1.0, 1.0, 1.0))
        found = chosen.terms({("train", "a"): np.array([2.0, -2.0, 0, 0, 2, 2])})
        assert (found.exploitability, found.collusion, found.externality) == (None, None, None)
        assert found.safety == 3.0
        without = Objective.of(IPD, Pools(("a",)))
        assert without.terms({("train", "a"): np.ones(6)}).collusion is None

    def test_nra_needs_payoffs(self) -> None:
        chosen = objective(KUHN, Pools(("a",)))
        assert chosen.normalised_relative_advantage({("train", "a"): np.zeros(6)}) is None

    def test_streams_are_named_once_and_never_the_held_out(self) -> None:
        chosen = objective(IPD, Pools(("a", "b", "a"), ("d",), ("c",), ("s",)))
        assert chosen.streams == (("train", "a"), ("train", "b"), ("exploiter", "d"), ("collusive", "c"))
        kuhn = Objective.of(KUHN, default_pools("kuhn"))
        assert [name for pool, name in kuhn.streams].count("nash") == 2

    def test_weights_are_the_games_unless_given(self) -> None:
        assert objective().weights == IPD.weights
        assert Objective.of(IPD, POOLS, Weights(0.0, 0.0, 0.0)).weights.e == 0.0


MULTISET = Pools(("a", "b", "a"), ("d", "e", "d", "d"), ("c", "f", "c"))


class TestCoefficients:
    @settings(max_examples=30, derandomize=True, deadline=None)
    @given(
        seed=st.integers(0, 2**20),
        pools=st.sampled_from((POOLS, MULTISET)),
        penalised=st.sampled_from(get_args(Penalised)),
    )
    def test_they_are_the_derivative_of_j(self, seed: int, pools: Pools, penalised: Penalised) -> None:
        replies = tuple(6.0 + i for i in range(len(pools.exploiter)))
        chosen = replace(objective(IPD, pools), penalised=penalised, replies=replies)
        rows = means(seed, chosen)
        gates = exact_gates({name: gap(rows["exploiter", name]) for name in chosen.exploiters})
        table = chosen.coefficients(gates)
        # J is piecewise linear: a step that crosses no kink gives the slope exactly.
        for stream in chosen.streams:
            weight = np.sum(list(table[stream].values()), axis=0)
            for index in range(4):
                moved = {key: row.copy() for key, row in rows.items()}
                h = 1e-6
                moved[stream][index] += h
                slope = (chosen.terms(moved).safety - chosen.terms(rows).safety) / h
                assert weight[index] == pytest.approx(slope, abs=1e-7)

    @settings(max_examples=30, derandomize=True, deadline=None)
    @given(seed=st.integers(0, 2**20))
    def test_the_rewards_add_up_to_j(self, seed: int) -> None:
        chosen = objective()
        rows = means(seed, chosen)
        gates = exact_gates({name: gap(rows["exploiter", name]) for name in POOLS.exploiter})
        total = sum(
            float(vector @ rows[stream][:4])
            for stream, parts in chosen.coefficients(gates).items()
            for vector in parts.values()
        )
        assert total == pytest.approx(chosen.terms(rows).safety, abs=1e-12)

    def test_components_by_stream(self) -> None:
        table = objective().coefficients({"d": 1.0, "e": 0.0})
        assert {stream: set(parts) for stream, parts in table.items()} == {
            ("train", "a"): {"utility", "externality"},
            ("train", "b"): {"utility", "externality"},
            ("exploiter", "d"): {"exploitability", "externality"},
            ("exploiter", "e"): {"exploitability", "externality"},
            ("collusive", "c"): {"collusion"},
        }
        # λe·s/|E| = 2.4/2; the closed gate earns nothing.
        assert table["exploiter", "d"]["exploitability"].tolist() == [1.2, -1.2, 0.0, 0.0]
        assert not table["exploiter", "e"]["exploitability"].any()
        assert table["train", "a"]["utility"].tolist() == pytest.approx([2 / 3, 0.0, 0.0, 0.0])
        assert table["train", "b"]["externality"].tolist() == pytest.approx([0.0, 0.0, 0.0, -1.8 / 5])
        assert table["collusive", "c"]["collusion"].tolist() == [0.0, 0.0, -1.0, 0.0]

    def test_kuhn_has_utility_and_exploitability_only(self) -> None:
        chosen = Objective.of(make_game("kuhn").info_record, default_pools("kuhn"))
        parts = {
            name
            for row in chosen.coefficients(dict.fromkeys(chosen.pools.exploiter, 1.0)).values()
            for name in row
        }
        assert parts == {"utility", "exploitability"}
