"""A softmax table: probabilities, gradient, steps, files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import PolicyError
from equipoise.games.registry import make_game
from equipoise.policies.abstract import load_table
from equipoise.policies.abstractions.registry import abstraction_of
from equipoise.policies.tabular import TabularPolicy
from equipoise.training.batch import Batch
from equipoise.training.table import SoftmaxTable, TabularLearner
from equipoise.types import Action, Decision
from tests.helpers import Constant, Node, decision_at, every_decision

GAME = make_game("ipd", rounds=2)
DECISIONS = [d for d in every_decision(GAME) if d.seat == 0]
KEYS: dict[Any, tuple[Action, ...]] = {(d.observation, d.history): d.legal or () for d in DECISIONS}
Array = np.ndarray[Any, np.dtype[np.float64]]


def table(seed: int = 0, spread: float = 1.0) -> SoftmaxTable:
    return SoftmaxTable(GAME, KEYS, seed, spread)


def ragged(seed: int = 0) -> tuple[SoftmaxTable, list[Decision]]:
    """Return a table whose states have two or three actions, and a decision at each."""
    from dataclasses import replace

    decisions = [replace(d, legal=("COOPERATE", "DEFECT", "PASS")[: 2 + d.round]) for d in DECISIONS]
    keys = {(d.observation, d.history): d.legal or () for d in decisions}
    return SoftmaxTable(GAME, keys, seed), decisions


class TestPolicy:
    def test_probabilities_are_the_softmax_of_the_logits(self) -> None:
        policy, decisions = ragged()
        for decision, row in zip(decisions, policy.probabilities(decisions), strict=True):
            logits = policy.logits[policy.index[decision.observation, decision.history]]
            weights = np.exp(logits[: len(decision.legal or ())])
            assert list(row) == list(decision.legal or ())
            assert list(row.values()) == pytest.approx(weights / weights.sum(), abs=1e-15)

    def test_large_logits_are_no_problem(self) -> None:
        policy = table()
        policy.logits[:, 0] = 5000.0
        assert [row["COOPERATE"] for row in policy.probabilities(DECISIONS)] == [1.0] * 5

    def test_actions_are_drawn_with_the_decisions_randomness(self) -> None:
        from dataclasses import replace

        policy = table()
        p = policy.probabilities(DECISIONS[:1])[0]["COOPERATE"]
        for u, action in ((p - 1e-6, "COOPERATE"), (p + 1e-6, "DEFECT")):
            assert policy.act([replace(DECISIONS[0], draws=Constant(u))])[0].action == action

    def test_the_seed_draws_the_logits_and_spread_zero_is_uniform(self) -> None:
        assert np.array_equal(table(3).logits, table(3).logits)
        assert not np.array_equal(table(3).logits, table(4).logits)
        assert table(3, 0.0).probabilities(DECISIONS) == [{"COOPERATE": 0.5, "DEFECT": 0.5}] * 5
        assert np.allclose(table(3, 2.0).logits, 2.0 * table(3).logits)

    def test_it_is_saved_as_a_table_of_the_same_behaviour(self, tmp_path: Path) -> None:
        policy = table()
        TabularLearner(policy).save_weights(tmp_path)
        again = TabularPolicy.load(tmp_path / "table.json")
        assert again.game == "ipd@1"
        for a, b in zip(again.probabilities(DECISIONS), policy.probabilities(DECISIONS), strict=True):
            assert a == pytest.approx(b, abs=1e-15)


def batch(decisions: Sequence[Decision], width: int, seed: int) -> Batch:
    draw = np.random.default_rng(seed)
    mask = np.arange(width) < np.array([len(d.legal or ()) for d in decisions])[:, None]
    weights = [np.where(mask, draw.normal(size=mask.shape), 0.0) for _ in range(2)]
    visits = draw.random(len(decisions))
    return Batch(tuple(decisions), weights[0], weights[1], visits / visits.sum())


def value(learner: TabularLearner, one: Batch, logits: Array, kl: float, entropy: float) -> float:
    """Return Σ w·log π + Σ w·π − kl·KL(π ‖ reference) + entropy·H(π), written out."""
    total = 0.0
    for i, decision in enumerate(one.decisions):
        row = learner.policy.index[decision.observation, decision.history]
        size = len(decision.legal or ())
        p, q = (np.exp(x[row, :size]) / np.exp(x[row, :size]).sum() for x in (logits, learner.reference))
        total += float(one.log_weights[i, :size] @ np.log(p) + one.prob_weights[i, :size] @ p)
        total -= kl * one.visits[i] * float(p @ np.log(p / q))
        total -= entropy * one.visits[i] * float(p @ np.log(p))
    return total


class TestGradient:
    @settings(max_examples=10, derandomize=True, deadline=None)
    @given(seed=st.integers(0, 2**20), kl=st.sampled_from((0.0, 0.5)), entropy=st.sampled_from((0.0, 0.25)))
    def test_it_is_the_derivative_of_what_is_ascended(self, seed: int, kl: float, entropy: float) -> None:
        policy, decisions = ragged(seed)
        learner = TabularLearner(policy)
        policy.logits = np.where(policy.mask, policy.logits + np.cos(np.arange(15)).reshape(5, 3), -np.inf)
        one = batch(decisions, 3, seed)
        rows, ascent, _ = learner.gradient(one, kl, entropy)
        for i, row in enumerate(rows.tolist()):
            for a in range(3):
                if not policy.mask[row, a]:
                    assert ascent[i, a] == 0.0
                    continue
                up, down = policy.logits.copy(), policy.logits.copy()
                up[row, a] += 1e-6
                down[row, a] -= 1e-6
                slope = (value(learner, one, up, kl, entropy) - value(learner, one, down, kl, entropy)) / 2e-6
                assert ascent[i, a] == pytest.approx(slope, abs=1e-7)

    def test_statistics(self) -> None:
        policy, decisions = ragged()
        learner = TabularLearner(policy)
        one = batch(decisions, 3, 1)
        _, _, stats = learner.gradient(one)
        assert stats["kl"] == pytest.approx(0.0, abs=1e-15)
        policy.logits = np.where(policy.mask, 0.0, -np.inf)
        _, _, stats = learner.gradient(one)
        sizes = np.array([len(d.legal or ()) for d in decisions])
        assert stats["entropy"] == pytest.approx(float(one.visits @ np.log(sizes)))
        assert stats["kl"] > 0.0

    def test_a_batch_may_be_narrower_than_the_table(self) -> None:
        policy, decisions = ragged()
        narrow = [d for d in decisions if d.round == 0]
        rows, ascent, _ = TabularLearner(policy).gradient(batch(narrow, 2, 0), kl=0.3)
        assert ascent.shape == (1, 3)
        assert ascent[0, 2] == 0.0
        assert ascent[0].sum() == pytest.approx(0.0, abs=1e-15)
        assert len(rows) == 1


SHARES = make_game("multi_issue", rounds=2, pool=(2, 3, 1))
"""Columns are rules: several name one demand, and decisions of one key have different demands."""


def abstract(seed: int) -> tuple[SoftmaxTable, list[Decision]]:
    policy = SoftmaxTable.abstract(SHARES, abstraction_of(SHARES, "shares"), seed)
    found: dict[Any, Decision] = {}
    for demand in ((0, 0, 0), (1, 1, 0), (1, 2, 0), (2, 0, 1)):
        state = SHARES.hidden_types().first((2, 3, 1), ((1, 1, 8), (2, 2, 6)))  # type: ignore[union-attr]
        root = Node(state, ((), ()))
        after = root.after(state.apply({0: (0, 0, 0), 1: demand}))
        for node in (root, after):
            decision = decision_at(SHARES, node, 0)
            found[decision.information_state] = decision
    return policy, list(found.values())


class TestRules:
    """The gradient where columns are rules and rows are shared, against differences of what is ascended."""

    @pytest.mark.parametrize("seed", [0, 1])
    def test_it_is_the_derivative_of_what_is_ascended(self, seed: int) -> None:
        policy, decisions = abstract(seed)
        assert len(decisions) == 5
        learner = TabularLearner(policy)
        learner.reference = policy.logits + np.cos(np.arange(policy.logits.size)).reshape(policy.logits.shape)
        one = batch(decisions, len(decisions[0].legal or ()), seed)

        def ascended() -> float:
            total, rows = 0.0, policy.probabilities(decisions)
            kept, policy.logits = policy.logits, learner.reference
            references, policy.logits = policy.probabilities(decisions), kept
            for i, (d, p, q) in enumerate(zip(decisions, rows, references, strict=True)):
                for column, action in enumerate(d.legal or ()):
                    if action not in p:
                        continue
                    total += (
                        one.log_weights[i, column] * np.log(p[action])
                        + one.prob_weights[i, column] * p[action]
                    )
                    total -= (
                        one.visits[i]
                        * p[action]
                        * (0.3 * np.log(p[action] / q[action]) + 0.2 * np.log(p[action]))
                    )
            return float(total)

        # What no rule names cannot be played: its logarithm is no part of the sum.
        for i, d in enumerate(decisions):
            named = policy.probabilities([d])[0]
            one.log_weights[i] *= [action in named for action in d.legal or ()]
        rows, ascent, _ = learner.gradient(one, 0.3, 0.2)
        total = np.zeros_like(policy.logits)
        total[rows] = ascent
        assert len(set(rows.tolist())) == len(rows) < len(decisions)
        for row in rows.tolist():
            for column in range(policy.logits.shape[1]):
                kept = policy.logits[row, column]
                policy.logits[row, column] = kept + 1e-6
                up = ascended()
                policy.logits[row, column] = kept - 1e-6
                down = ascended()
                policy.logits[row, column] = kept
                assert total[row, column] == pytest.approx((up - down) / 2e-6, abs=1e-6)

    def test_a_step_adds_up_decisions_that_share_a_row(self) -> None:
        policy, decisions = abstract(0)
        learner = TabularLearner(policy)
        one = batch(decisions, len(decisions[0].legal or ()), 0)
        rows, ascent, _ = learner.gradient(one, 0.1, 0.0)
        wanted = policy.logits.copy()
        wanted[rows] += 0.5 * ascent
        learner.update(one, 0.5, 0.1, 0.0)
        assert np.allclose(policy.logits, wanted, atol=1e-12)

    def test_it_can_start_from_a_saved_table_with_the_same_rows(self, tmp_path: Path) -> None:
        policy, decisions = abstract(4)
        TabularLearner(policy).save_weights(tmp_path)
        again, _ = abstract(5)
        again.start_from(load_table(tmp_path / "table.json", SHARES))
        for a, b in zip(again.probabilities(decisions), policy.probabilities(decisions), strict=True):
            assert a == pytest.approx(b, abs=1e-12)
        with pytest.raises(PolicyError, match="has no row for '0 open': train it with the same abstraction"):
            again.start_from(TabularPolicy("multi_issue@1", {}))


class TestUpdate:
    def test_a_step_moves_the_logits_along_the_gradient(self) -> None:
        policy = table()
        learner = TabularLearner(policy)
        one = batch(DECISIONS, 2, 0)
        before = policy.logits.copy()
        rows, ascent, _ = learner.gradient(one, 0.1, 0.2)
        stats = learner.update(one, 0.5, 0.1, 0.2)
        wanted = before.copy()
        wanted[rows] += 0.5 * ascent
        assert np.array_equal(policy.logits, wanted)
        assert stats["grad_norm"] == pytest.approx(np.linalg.norm(ascent))
        assert policy.version == 1

    def test_a_long_gradient_is_cut(self) -> None:
        for limit, factor in ((None, 1.0), (1e9, 1.0), (0.25, 0.25)):
            policy = table()
            before = policy.logits.copy()
            stats = TabularLearner(policy, limit).update(batch(DECISIONS, 2, 0), 1.0, 0.0, 0.0)
            moved = np.linalg.norm(policy.logits - before)
            assert stats["grad_norm"] > 0.25
            assert moved == pytest.approx(stats["grad_norm"] if factor == 1.0 else 0.25)

    def test_a_gradient_that_is_not_finite_makes_no_step(self) -> None:
        policy = table()
        before = policy.logits.copy()
        one = batch(DECISIONS, 2, 0)
        one.log_weights[0, 0] = np.inf
        with np.errstate(invalid="ignore"):
            assert TabularLearner(policy).update(one, 1.0, 0.0, 0.0) == {"skipped": 1.0}
        assert np.array_equal(policy.logits, before)
        assert policy.version == 0

    def test_ascent_raises_what_is_ascended(self) -> None:
        policy = table()
        learner = TabularLearner(policy)
        one = batch(DECISIONS, 2, 4)
        before = value(learner, one, policy.logits, 0.1, 0.1)
        learner.update(one, 0.01, 0.1, 0.1)
        assert value(learner, one, policy.logits, 0.1, 0.1) > before


class TestState:
    def test_it_comes_back_bit_for_bit(self, tmp_path: Path) -> None:
        policy, decisions = ragged(5)
        learner = TabularLearner(policy)
        learner.update(batch(decisions, 3, 0), 0.3, 0.1, 0.0)
        state = learner.save_state(tmp_path)
        other, _ = ragged(6)
        again = TabularLearner(other)
        again.load(tmp_path, state)
        assert other.logits.tobytes() == policy.logits.tobytes()
        assert again.reference.tobytes() == learner.reference.tobytes()
        assert other.version == policy.version == 1
        for one in (learner, again):
            one.update(batch(decisions, 3, 1), 0.3, 0.1, 0.0)
        assert other.logits.tobytes() == policy.logits.tobytes()
