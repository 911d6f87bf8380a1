"""Training under limits: they hold in the end, multipliers settle, and selection goes by them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from equipoise.auditing.opponents import Opponents
from equipoise.errors import RequestError
from equipoise.objective.safety import Terms
from equipoise.training import selection
from equipoise.training.arena import Arena
from equipoise.training.config import SepoConfig
from equipoise.training.selection import selection_score
from equipoise.training.sepo import Sepo, Trained
from tests.objective.learning import Lab, lab

EXACT: dict[str, Any] = {
    "gradient": "exact",
    "multipliers": "lagrangian",
    "lr": 5.0,
    "kl": 0.0,
    "dual_lr": 0.2,
    "select_every": 50,
}


def trained(one: Lab, **settings: Any) -> tuple[Arena, Trained]:
    arena = Arena(one.game, one.objective, one.policy, SepoConfig(**{**EXACT, **settings}))
    return arena, Sepo(arena, one.learner).run()


def column(found: Trained, name: str, last: int = 100) -> np.ndarray[Any, Any]:
    return np.array([row[name] for row in found.history[-last:]])


class TestLimitsThatBind:
    def test_all_of_ipd(self) -> None:
        """To open with a defection keeps always_defect off and takes from always_cooperate."""
        limits = {"e": 0.6, "c": 0.2, "x": 0.28}
        one = lab("ipd", 3)
        _, found = trained(one, steps=1000, entropy=0.5, limits=limits)
        terms = one.exact().terms
        assert terms.exploitability == pytest.approx(0.6, abs=0.005)
        assert terms.collusion == pytest.approx(0.2, abs=0.005)
        assert terms.externality is not None
        assert terms.externality < 0.28
        for name in ("lambda_e", "lambda_c", "lambda_x"):
            assert np.ptp(column(found, name)) < 0.01
        assert column(found, "lambda_e")[-1] > 0.2
        assert column(found, "lambda_c")[-1] > 1.0
        # There is room left: nothing is charged.
        assert column(found, "lambda_x")[-1] == 0.0
        # Without limits at the same start both are broken.
        free = lab("ipd", 3)
        trained(free, steps=300, entropy=0.5, multipliers="penalty", limits={}, dual_lr=0.1)
        other = free.exact().terms
        assert other.exploitability is not None
        assert other.collusion is not None
        assert other.exploitability > 0.7 or other.collusion > 0.3

    def test_the_largest_lead_in_kuhn(self) -> None:
        settings = {"steps": 600, "entropy": 0.1, "penalised": "best_response", "limits": {"e": 0.3}}
        _, found = trained(lab("kuhn", 1), **settings)
        # A best response jumps from step to step, and the multiplier with it.
        assert column(found, "charged").mean() == pytest.approx(0.3, abs=0.01)
        assert column(found, "charged").max() < 0.34
        assert np.ptp(column(found, "lambda_e")) < 0.03
        assert 0.05 < column(found, "lambda_e").mean() < 0.3
        # Without a penalty the lead is more than twice as large.
        one = lab("kuhn", 1)
        plain = Arena(
            one.game,
            replace(one.objective, weights=replace(one.objective.weights, e=0.0)),
            one.policy,
            SepoConfig(penalised="best_response", gradient="exact", lr=5.0, kl=0.0, entropy=0.1, steps=300),
        )
        assert Sepo(plain, one.learner).run().history[-1]["charged"] > 0.6


@pytest.mark.parametrize(("game", "limits"), [("kuhn", {"e": 2.0}), ("ipd", {"e": 4.9, "c": 1.0, "x": 1.0})])
def test_slack_limits_cost_nothing_in_the_end(game: str, limits: dict[str, float]) -> None:
    one = lab(game, 1 if game == "kuhn" else 3, seed=1, spread=1.0)
    _, found = trained(one, steps=40, limits=limits, dual_lr=1.0)
    for name in limits:
        assert column(found, f"lambda_{name}", 5).tolist() == [0.0] * 5


class TestEstimates:
    def test_of_a_step_with_tables_they_are_exact(self) -> None:
        one = lab("ipd", 3, seed=2, spread=1.0)
        wanted = one.exact().limited
        for gates in ("exact", "running"):
            config = SepoConfig(multipliers="lagrangian", limits={"e": 0.1, "x": 0.1}, gates=gates)
            row: dict[str, Any] = {}
            Arena(one.game, one.objective, one.policy, config).sample(one.policy, 0, row)
            assert (row["limited_e"], row["limited_x"]) == (wanted["e"], wanted["x"])
            assert "limited_c" not in row

    def test_without_tables_they_are_those_of_the_steps_own_episodes(self) -> None:
        one = lab("ipd", 3, seed=2, spread=1.0)
        wanted = one.exact().limited
        one.policy.exact_states = 0
        limits = {"e": 0.1, "c": 0.1, "x": 0.1}
        config = SepoConfig(multipliers="lagrangian", limits=limits, deals=100, rollouts=4, dual_lr=0.5)
        arena = Arena(one.game, one.objective, one.policy, config)
        row: dict[str, Any] = {}
        arena.sample(one.policy, 0, row)
        for name, value in wanted.items():
            assert row[f"limited_{name}"] == pytest.approx(value, abs=0.1)
            assert row[f"limited_{name}"] != value
        assert arena.multipliers is not None
        # The step was credited with the weights it started from, and the next one has others.
        assert row["lambda_e"] == one.objective.weights.e
        moved = one.objective.weights.e + 0.5 * (row["limited_e"] - 0.1)
        assert arena.multipliers.weights.e == arena.objective.weights.e == pytest.approx(moved)

    def test_the_multiplier_weighs_the_gradient(self) -> None:
        one = lab("ipd", 3, seed=2, spread=1.0)
        config = SepoConfig(gradient="exact", multipliers="lagrangian", limits={"c": 0.1}, dual_lr=1.0)
        arena = Arena(one.game, one.objective, one.policy, config)
        arena.exact(one.policy, {})
        assert arena.multipliers is not None
        batch = arena.exact(one.policy, {})
        heavy = one.weighted(c=one.objective.weights.c + one.exact().limited["c"] - 0.1)  # type: ignore[operator]
        assert one.gradient(batch) == pytest.approx(one.gradient(one.exact(heavy).batch), abs=1e-12)


class TestSelection:
    def scores(self, limits: dict[str, float], seeds: range) -> list[tuple[float, float, Terms]]:
        found = []
        for seed in seeds:
            one = lab("ipd", 3, seed, spread=2.0)
            config = SepoConfig(gradient="exact", multipliers="lagrangian", limits=limits)
            arena = Arena(one.game, one.objective, one.policy, config)
            terms = one.exact().terms
            outside = {"e": terms.exploitability, "c": terms.collusion, "x": terms.externality}
            excess = sum(max(0.0, outside[n] - limit) for n, limit in limits.items())  # type: ignore[operator]
            found.append((selection_score(arena, one.policy), excess, terms))
        return found

    def test_within_the_limits_utility_decides_and_outside_how_far(self) -> None:
        found = self.scores({"e": 1.2, "c": 0.6}, range(12))
        inside = [row for row in found if row[1] == 0.0]
        outside = [row for row in found if row[1] > 0.0]
        assert len(inside) > 1
        assert len(outside) > 1
        # s = 1 in ipd.
        assert [row[0] for row in inside] == pytest.approx([row[2].utility for row in inside])
        assert max(row[0] for row in outside) < min(row[0] for row in inside)
        ranked = sorted(outside, key=lambda row: row[1])
        assert [row[0] for row in ranked] == sorted((row[0] for row in outside), reverse=True)

    def test_in_large_games_it_goes_by_the_audit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        one = lab("ipd", 3, 3, spread=1.0)
        one.policy.exact_states = 0
        config = SepoConfig(multipliers="lagrangian", limits={"e": 5.0}, select_episodes=4)
        arena = Arena(one.game, one.objective, one.policy, config)
        seen: list[Any] = []
        original = selection.audit_game

        def watching(*given: Any, opponents: Opponents) -> Any:
            seen.append(original(*given, opponents=opponents))
            return seen[-1]

        monkeypatch.setattr(selection, "audit_game", watching)
        score = selection_score(arena, one.policy)
        assert score == seen[0].metrics["utility"].value
        tight = replace_limits(arena, {"e": 0.0})
        e = seen[0].metrics["exploitability"].value
        assert e > 0.0
        assert selection_score(tight, one.policy) == pytest.approx(-e)


def replace_limits(arena: Arena, limits: dict[str, float]) -> Arena:
    assert arena.multipliers is not None
    arena.multipliers.limits = limits
    return arena


def test_limits_on_what_does_not_apply_are_refused() -> None:
    one = lab("kuhn", 1)
    config = SepoConfig(multipliers="lagrangian", limits={"c": 0.1})
    with pytest.raises(RequestError, match=r"limits\.c = 0\.1: c is not applicable to kuhn"):
        Arena(one.game, one.objective, one.policy, config)
