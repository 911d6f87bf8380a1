"""What λe is charged for: J and its gradients under ``regret`` and ``best_response``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from equipoise.auditing.exact.optimum import optimum
from equipoise.auditing.exact.reply import reply_value
from equipoise.auditing.solution import solution_of
from equipoise.errors import EquipoiseError, RequestError
from equipoise.objective.credit import per_pool
from equipoise.objective.features import OWN
from equipoise.objective.safety import RESPONDER
from equipoise.opponents.registry import get_strategy
from equipoise.training.arena import Arena
from equipoise.training.batch import SampledStep, sampled_batch
from equipoise.training.config import SepoConfig
from equipoise.training.selection import selection_score
from equipoise.training.sepo import Sepo
from tests.auditing.oracle import means, named, reading
from tests.objective.learning import Array, Lab, lab

CASES = {"kuhn": 1, "ipd": 3}
PENALISED = ("regret", "best_response")


def trainer(game: str, penalised: str, seed: int = 3, **settings: Any) -> tuple[Lab, Arena]:
    one = lab(game, CASES[game], seed=seed, spread=1.0)
    given = {"deals": 4, "rollouts": 8, **settings}
    if given.get("gradient") != "exact":
        given.update(gates="exact", scale="none")
    return one, Arena(one.game, one.objective, one.policy, SepoConfig(penalised=penalised, **given))


def value(one: Lab, found: Arena, logits: Array) -> float:
    """Return J at other logits, the best reply to them included."""
    kept, one.policy.logits = one.policy.logits, logits
    try:
        return selection_score(found, one.policy)
    finally:
        one.policy.logits = kept


@pytest.mark.parametrize("penalised", PENALISED)
@pytest.mark.parametrize("game", CASES)
class TestGradient:
    def test_the_exact_one_is_the_slope_of_j(self, game: str, penalised: str) -> None:
        one, found = trainer(game, penalised)
        found.respond(one.policy, 0)
        step = found._exact_step(one.policy)
        gradient = one.gradient(step.batch)
        assert step.terms.safety == pytest.approx(value(one, found, one.policy.logits), abs=1e-12)
        direction = np.random.default_rng(0).normal(size=gradient.shape)
        h = 1e-5
        ends = [value(one, found, one.policy.logits + sign * h * direction) for sign in (1, -1)]
        assert (ends[0] - ends[1]) / (2 * h) == pytest.approx(float((gradient * direction).sum()), rel=1e-5)
        # It is another gradient than that of the paper's penalty.
        usual = one.gradient(one.exact().batch)
        assert np.linalg.norm(gradient - usual) > 0.01 * np.linalg.norm(usual)

    def test_the_sampled_one_is_unbiased(self, game: str, penalised: str) -> None:
        one, found = trainer(game, penalised)
        found.respond(one.policy, 0)
        step = found._exact_step(one.policy)
        wanted = one.gradient(step.batch)
        rows = []
        for number in range(150 if game == "kuhn" else 24):
            played, groups = found.collect(one.policy, number)
            independent = one.game.info_record.independent_rounds
            credit = per_pool(groups, found.objective, step.gates, independent)
            rows.append(one.gradient(sampled_batch(SampledStep(played, groups, credit, 1.0))))
        shares = (np.array(rows) * wanted).sum(axis=(1, 2)) / (wanted**2).sum()
        low, high = stats.t.interval(0.99, len(rows) - 1, shares.mean(), stats.sem(shares))
        assert low <= 1.0 <= high
        assert high - low < 0.4


class TestValue:
    @pytest.mark.parametrize("game", CASES)
    def test_regret_is_the_best_replys_payoff_less_the_own(self, game: str) -> None:
        one, found = trainer(game, "regret")
        policy = reading(one.game, one.policy.table().table)
        pool = one.objective.pools.exploiter
        wanted = np.mean(
            [
                reply_value(one.game.stage(), get_strategy(game, name))
                - means(one.game, policy, named(one.game, name))[OWN]
                for name in pool
            ]
        )
        step = found._exact_step(one.policy)
        assert step.charged == pytest.approx(wanted, abs=1e-12)
        weights, terms = one.objective.weights, step.terms
        rest = weights.c * (terms.collusion or 0.0) + weights.x * (terms.externality or 0.0)
        scale = one.objective.scale
        assert terms.safety == pytest.approx(scale * (terms.utility - weights.e * wanted) - rest, abs=1e-12)
        # The metric keeps its meaning.
        assert terms.exploitability == pytest.approx(one.exact().terms.exploitability, abs=1e-15)

    def test_no_policy_can_be_charged_less_than_nothing_for_regret(self) -> None:
        one, found = trainer("kuhn", "regret")
        for seed in range(20):
            one.policy.logits = lab("kuhn", 1, seed, spread=5.0).policy.logits
            charged = found._exact_step(one.policy).charged
            assert charged is not None
            assert charged >= 0.0

    @pytest.mark.parametrize("game", CASES)
    def test_the_best_response_leads_by_more_than_any_exploiter(self, game: str) -> None:
        one, found = trainer(game, "best_response")
        found.respond(one.policy, 0)
        step = found._exact_step(one.policy)
        usual = one.exact()
        assert usual.charged == usual.terms.exploitability
        assert step.charged is not None
        assert usual.charged is not None
        assert step.charged > usual.charged
        # The exploiters of the pool still count for the externality, and the responder does not.
        assert step.terms.externality == usual.terms.externality
        assert step.terms.exploitability == usual.terms.exploitability
        parts = found.objective.coefficients(dict.fromkeys(found.objective.exploiters, 1.0))
        assert set(parts["exploiter", RESPONDER]) == {"exploitability"}
        others = {name for stream, row in parts.items() if stream[1] != RESPONDER for name in row}
        assert "exploitability" not in others

    def test_exploiters_without_a_reward_are_not_played(self) -> None:
        one, found = trainer("kuhn", "best_response")
        found.respond(one.policy, 0)
        met = {(request.pool, request.opponent) for request in found.requests(one.policy, 0)}
        assert met == {*(("train", name) for name in found.objective.pools.train), ("exploiter", RESPONDER)}

    def test_kuhn_comes_near_its_equilibrium_when_the_best_response_is_penalised(self) -> None:
        settings = {"gradient": "exact", "lr": 10.0, "lr_decay": 0.02, "kl": 0.0, "steps": 300}
        one, found = trainer("kuhn", "best_response", **settings, select_every=100)
        found.respond(one.policy, 0)
        before = found._exact_step(one.policy).charged
        Sepo(found, one.learner).run()
        found.respond(one.policy, 0)
        after = found._exact_step(one.policy).charged
        assert before is not None
        assert after is not None
        assert after < 0.05 < before


class TestOptimum:
    @pytest.mark.parametrize("game", CASES)
    def test_of_regret_no_policy_is_better_and_the_optimal_one_as_good(self, game: str) -> None:
        one, found = trainer(game, "regret")
        best = optimum(one.book.trees, found.objective)
        row = np.zeros((len(one.book.legal), one.book.width))
        for rows, plan in zip(one.book.rows, best.probabilities, strict=True):
            row[rows, : plan.shape[1]] = plan
        assert one.book.terms(row, found.objective).safety == pytest.approx(best.value, abs=1e-9)
        for seed in range(10):
            one.policy.logits = lab(game, CASES[game], seed, spread=4.0).policy.logits
            assert selection_score(found, one.policy) <= best.value + 1e-12

    def test_of_best_response_it_is_not_applicable(self) -> None:
        one, _ = trainer("kuhn", "best_response")
        objective = replace(one.objective, penalised="best_response")
        with pytest.raises(EquipoiseError, match="not applicable where 'best_response' is penalised"):
            optimum(one.book.trees, objective)
        strategies = {name: get_strategy("kuhn", name) for name in ("nash", "tight_passive")}
        pools = replace(objective.pools, train=("tight_passive",), exploiter=("nash",))
        usual = replace(one.objective, pools=pools)
        assert solution_of(one.game, usual, strategies).optimum is not None


@pytest.mark.parametrize("penalised", PENALISED)
@pytest.mark.parametrize("exploiters", ["none", "pool+best_response"])
def test_it_says_itself_who_exploits(penalised: str, exploiters: str) -> None:
    with pytest.raises(RequestError, match=f"penalised = '{penalised}' says itself who exploits"):
        trainer("kuhn", penalised, exploiters=exploiters)


def test_a_game_too_large_has_no_best_response() -> None:
    one = lab("kuhn", 1)
    one.policy.exact_states = 0
    config = SepoConfig(penalised="best_response", gates="running")
    with pytest.raises(RequestError, match="too large for an exact responder, use 'opponent_advantage'"):
        Arena(one.game, one.objective, one.policy, config)


def test_large_games_are_scored_by_what_is_penalised() -> None:
    scores = {}
    for penalised in ("opponent_advantage", "regret"):
        one = lab("ipd", 3, seed=3, spread=1.0)
        one.policy.exact_states = 0
        config = SepoConfig(penalised=penalised, select_episodes=4)
        found = Arena(one.game, one.objective, one.policy, config)
        scores[penalised] = selection_score(found, one.policy)
        same, arena = trainer("ipd", penalised)
        exact = selection_score(arena, same.policy)
        assert scores[penalised] == pytest.approx(exact, abs=1.0)
    assert scores["regret"] != scores["opponent_advantage"]
