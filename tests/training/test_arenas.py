"""Several games in one step: its gradient, its score and its batch are weighted sums of the games' own."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch

from equipoise.games.base import Game
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.policies.base import Policy
from equipoise.training.arena import Arena
from equipoise.training.arenas import Arenas, weighted_sum
from equipoise.training.config import SepoConfig
from equipoise.training.joint_table import JointTable, JointTabularLearner
from equipoise.training.lora import LocalLearner
from equipoise.training.sepo import Sepo
from equipoise.training.stages import new_table
from equipoise.training.table import SoftmaxTable, TabularLearner
from tests.helpers import every_decision
from tests.training.adapters import FREE, ascent, close, new_batch, new_policy

KUHN, IPD = make_game("kuhn"), make_game("ipd", rounds=2)
SHARES = {"kuhn": 0.75, "ipd": 0.25}
FAST: dict[str, Any] = {"steps": 3, "deals": 2, "rollouts": 2, "lr": 1.0, "kl": 0.1, "select_every": 1}


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


def arena_of(game: Game, policy: Policy, **settings: Any) -> Arena:
    objective = Objective.of(game.info_record, default_pools(game.name))
    return Arena(game, objective, policy, SepoConfig(**{**FAST, **settings}))


def stirred(game: Game) -> SoftmaxTable:
    table = new_table(game, 0)
    noise = np.random.default_rng(len(table.legal)).normal(size=table.mask.shape)
    table.logits = np.where(table.mask, noise, -np.inf)
    return table


def joint(gradient: dict[str, str], **settings: Any) -> tuple[Arenas, JointTable]:
    table = JointTable([stirred(KUHN), stirred(IPD)])
    parts = {g.name: arena_of(g, table, gradient=gradient[g.name], **settings) for g in (KUHN, IPD)}
    return Arenas(SepoConfig(**{**FAST, **settings}), parts, SHARES), table


MIXED = {"kuhn": "exact", "ipd": "sampled"}


def moves(table: JointTable, before: dict[str, Any]) -> dict[str, Any]:
    return {key: one.logits[one.mask] - before[key] for key, one in table.tables.items()}


@pytest.mark.parametrize("gradient", [MIXED, {"kuhn": "sampled", "ipd": "exact"}])
def test_a_joint_step_of_tables_is_the_weighted_sum_of_the_games_steps(gradient: dict[str, str]) -> None:
    arenas, table = joint(gradient)
    start = {key: one.logits[one.mask].copy() for key, one in table.tables.items()}
    row: dict[str, Any] = {}
    JointTabularLearner(table).update(arenas.batch(table, 0, row), 1.0, kl=0.3, entropy=0.2)
    together = moves(table, start)
    for game in (KUHN, IPD):
        alone = stirred(game)
        batch = arena_of(game, alone, gradient=gradient[game.name]).batch(alone, 0, {})
        TabularLearner(alone).update(batch, 1.0, kl=0.3, entropy=0.2)
        key = game.info_record.key
        expected = SHARES[game.name] * (alone.logits[alone.mask] - start[key])
        np.testing.assert_allclose(together[key], expected, atol=1e-12)
        assert np.abs(expected).max() > 1e-3
    assert row["ipd/episodes" if gradient is MIXED else "kuhn/episodes"] > 0


def test_clipping_sees_one_vector() -> None:
    arenas, table = joint(MIXED)
    start = {key: one.logits[one.mask].copy() for key, one in table.tables.items()}
    stats = JointTabularLearner(table, 0.01).update(arenas.batch(table, 0, {}), 1.0, 0.0, 0.0)
    assert stats["grad_norm"] > 0.01
    size = sum(float((move**2).sum()) for move in moves(table, start).values()) ** 0.5
    assert size == pytest.approx(0.01)


def test_the_gradient_of_a_language_model_is_the_weighted_sum_too() -> None:
    policy = new_policy()
    learner = LocalLearner(policy, FREE)
    first = new_batch(tuple({d.information_state: d for d in every_decision(KUHN.stage())}.values()), 1)
    second = new_batch(tuple({d.information_state: d for d in every_decision(IPD)}.values()), 2)
    for kl, entropy in ((0.0, 0.0), (0.7, 0.3)):
        parts = [ascent(learner, batch, kl, entropy) for batch in (first, second)]
        both = ascent(learner, weighted_sum([(0.7, first), (0.3, second)]), kl, entropy)
        assert close(both, 0.7 * parts[0] + 0.3 * parts[1], 1e-4)
        assert not close(both, torch.stack(parts).mean(0), 1e-2)


def test_rows_are_padded_and_visits_stay_shares() -> None:
    auction = make_game("auction", rounds=1)
    wide = arena_of(auction, stirred(auction)).batch(stirred(auction), 0, {})
    narrow = arena_of(KUHN, stirred(KUHN)).batch(stirred(KUHN), 0, {})
    assert wide.log_weights.shape[1] != narrow.log_weights.shape[1]
    both = weighted_sum([(0.25, narrow), (0.75, wide)])
    assert both.visits.sum() == pytest.approx(1.0)
    assert both.decisions == (*narrow.decisions, *wide.decisions)
    size, width = narrow.log_weights.shape
    np.testing.assert_array_equal(both.log_weights[:size, :width], 0.25 * narrow.log_weights)
    assert not both.log_weights[:size, width:].any()
    np.testing.assert_array_equal(
        both.log_weights[size:, : wide.log_weights.shape[1]], 0.75 * wide.log_weights
    )


def test_the_score_is_the_weighted_mean_of_the_games_scores() -> None:
    arenas, table = joint(MIXED)
    row: dict[str, Any] = {}
    score = arenas.score(table, row)
    assert score == row["select_score"]
    assert score == pytest.approx(0.75 * row["kuhn/select_score"] + 0.25 * row["ipd/select_score"])
    alone: dict[str, Any] = {}
    one = arena_of(KUHN, stirred(KUHN), gradient="exact")
    assert Arenas.alone(one).score(stirred(KUHN), alone) == row["kuhn/select_score"]
    assert list(alone) == ["select_score"]


def test_a_joint_run_of_one_game_is_a_run_of_that_game() -> None:
    alone, same = stirred(KUHN), JointTable([stirred(KUHN)])
    first = Sepo(arena_of(KUHN, alone), TabularLearner(alone)).run()
    arenas = Arenas.alone(arena_of(KUHN, same))
    second = Sepo(arenas, JointTabularLearner(same)).run()
    np.testing.assert_array_equal(alone.logits, same.tables[KUHN.info_record.key].logits)
    assert (first.step, first.score) == (second.step, second.score)


def test_responders_of_all_games_are_part_of_the_state() -> None:
    """A run can be resumed between two recomputations."""
    table = JointTable([stirred(KUHN), stirred(IPD)])

    def games() -> Arenas:
        parts = {
            game.name: arena_of(game, table, exploiters="pool+best_response", respond_every=every)
            for game, every in ((KUHN, 2), (IPD, 3))
        }
        return Arenas(SepoConfig(**FAST), parts, SHARES)

    first, second = games(), games()
    first.respond(table, 0)
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    for name in first.parts:
        kept, again = (one.parts[name].batch(table, 1, {}) for one in (first, second))
        np.testing.assert_array_equal(kept.log_weights, again.log_weights)
        np.testing.assert_array_equal(kept.prob_weights, again.prob_weights)
