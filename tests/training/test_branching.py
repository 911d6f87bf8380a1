"""The sampled all-actions gradient: unbiased, calmer than that of drawn actions, and what it asks."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from equipoise.errors import EquipoiseError, RequestError
from equipoise.objective.groups import group_episodes
from equipoise.opponents.pools import Pools
from equipoise.policies.base import Policy
from equipoise.policies.scripted import StrategyPolicy
from equipoise.rollout.engine import play
from equipoise.training.arena import Arena
from equipoise.training.batch import Batch
from equipoise.training.branching import Branches, branch_off, group_key, group_weights
from equipoise.training.config import SepoConfig
from equipoise.types import Choice
from tests.objective.learning import Array, Lab, hands, lab, plain
from tests.training.settings import sepo

CASES = {"kuhn": (1, 8, 1.0), "ipd": (3, 7, 1.0)}
"""Rounds, seed and spread of the logits, as in invariant 2."""


@cache
def exact(game: str) -> tuple[Lab, Any, Array]:
    rounds, seed, spread = CASES[game]
    one = lab(game, rounds, seed, spread)
    step = one.exact()
    return one, step, one.gradient(step.batch)


def branched(
    one: Lab, deals: Any, gates: Any, branches: int, rollouts: int = 8
) -> tuple[Any, Branches, Batch]:
    requests = one.requests(deals, rollouts)
    played = play(requests)
    weights = group_weights(group_episodes([p.episode for p in played]), one.objective, gates)
    tree = branch_off(requests, played, one.policy, branches, weights)
    return played, tree, tree.batch(tree.values(weights), 1.0)


@cache
def gradients(game: str, branches: int, seed: int) -> Array:
    one, step, _ = exact(game)
    sets = hands(one, seed) if game == "kuhn" else plain(one, seed, 4)
    count = {"kuhn": 36, "ipd": 22 if branches > 1 else 32}[game]
    batches = [branched(one, deals, step.gates, branches)[2] for deals in islice(sets, count)]
    return np.array([one.gradient(batch) for batch in batches])


@pytest.mark.no_cover
@pytest.mark.parametrize(("game", "branches"), [("kuhn", 9), ("ipd", 9), ("ipd", 1)])
def test_it_is_unbiased(game: str, branches: int) -> None:
    _, _, wanted = exact(game)
    found = gradients(game, branches, 0)
    mean = found.mean(axis=0)
    shares = (found * wanted).sum(axis=(1, 2)) / (wanted**2).sum()
    low, high = stats.t.interval(0.95, len(shares) - 1, shares.mean(), stats.sem(shares))
    assert (high - low) / 2 < 0.05
    assert low <= 1.0 <= high
    cosine = (mean * wanted).sum() / (np.linalg.norm(mean) * np.linalg.norm(wanted))
    assert cosine >= 0.99
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    moving = error > 1e-12
    assert np.abs((mean - wanted)[~moving]).max(initial=0.0) < 1e-9
    assert np.abs((mean - wanted)[moving] / error[moving]).max() <= 4.2


@pytest.mark.no_cover
def test_it_is_calmer_than_the_gradient_of_drawn_actions() -> None:
    one, step, wanted = exact("ipd")
    drawn = np.array(
        [one.sampled(play(one.requests(d, 8)), step.gates)[1] for d in islice(plain(one, 0, 4), 22)]
    )
    variances = [((rows - wanted) ** 2).sum(axis=(1, 2)).mean() for rows in (gradients("ipd", 9, 0), drawn)]
    assert variances[0] < 0.8 * variances[1]


@pytest.mark.parametrize("game", CASES)
def test_every_legal_action_is_tried_on_the_same_deal(game: str) -> None:
    one, step, _ = exact(game)
    played, tree, _ = branched(one, [one.deal(0, n) for n in range(2)], step.gates, 9)
    rollouts = {p.episode.id: dict(p.episode.chance) for p in played}
    dealt = {group_key(p.episode): dict(p.episode.chance) for p in played}
    found = {}
    for visit in tree.visits:
        for action in visit.decision.legal or ():
            for episode, round_ in tree.trials[visit.node, action]:
                own = [turn.action for turn in episode.turns if turn.seat == episode.seat]
                assert own[len(visit.node) - 2] == action  # type: ignore[arg-type]
                assert round_ == visit.turn.round
                if episode.id not in rollouts:
                    found[episode.id] = (group_key(episode), dict(episode.chance))
    assert len(found) == tree.count > 0
    assert all(chance == dealt[key] for key, chance in found.values())


def test_what_was_tried_is_not_tried_again() -> None:
    one, step, _ = exact("kuhn")
    _, few, _ = branched(one, [one.deal(0, 0)], step.gates, 9, rollouts=2)
    _, many, _ = branched(one, [one.deal(0, 0)], step.gates, 9, rollouts=64)
    # With many rollouts nearly every action has been taken at every point.
    assert few.count > 5
    assert many.count < 3


def test_opponents_that_lose_are_not_branched_at() -> None:
    one, _, _ = exact("kuhn")
    closed = dict.fromkeys(one.objective.exploiters, 0.0)
    _, tree, _ = branched(one, [one.deal(0, n) for n in range(4)], closed, 9)
    assert {visit.key[0][0] for visit in tree.visits} == {"train"}


def test_the_number_of_branches_bounds_the_decisions_of_a_rollout() -> None:
    one, step, _ = exact("ipd")
    for branches, weight in ((1, 3.0), (2, 1.5), (3, 1.0), (8, 1.0)):
        _, tree, batch = branched(one, [one.deal(0, 0)], step.gates, branches, rollouts=2)
        assert len(tree.visits) == 14 * 2 * min(branches, 3)
        assert {visit.weight for visit in tree.visits} == {weight}
        # Every decision counts as visited, branched at or not.
        assert batch.visits.sum() == pytest.approx(1.0)
        assert not batch.log_weights.any()


class Moody(Policy):
    """Answers anew every time it is asked, so that a deal cannot be played again."""

    name = fingerprint = "moody"

    def __init__(self) -> None:
        self._count = itertools.count()

    def act(self, decisions: Any) -> list[Choice]:
        return [Choice(d.legal[next(self._count) % 2]) for d in decisions]


def test_an_opponent_that_does_not_repeat_itself_is_found_out() -> None:
    one = lab("ipd", 3, pools=Pools(("tit_for_tat",), ("always_defect",), ("always_cooperate",)))
    config = SepoConfig(gradient="all_actions", gates="running", rollouts=3, branches=8)
    arena = Arena(one.game, one.objective, one.policy, config)
    arena.opponents["tit_for_tat"] = Moody()
    with pytest.raises(EquipoiseError, match="'tit_for_tat' does not repeat itself on a deal"):
        arena.all_actions(one.policy, 0, {})


class TestTraining:
    def test_a_policy_without_probabilities_is_refused(self) -> None:
        one = lab("kuhn", 1)
        one.policy.always_legal = False
        with pytest.raises(RequestError, match="gradient = 'all_actions': policy 'tabular' does not choose"):
            Arena(one.game, one.objective, one.policy, SepoConfig(gradient="all_actions"))

    def test_nor_is_one_that_keeps_them_to_itself(self) -> None:
        one = lab("kuhn", 1, pools=Pools(("nash",), ("always_bet",)))
        silent = StrategyPolicy(one.opponents["nash"].strategy(one.game))  # type: ignore[union-attr, arg-type]

        class Silent(StrategyPolicy):
            def act(self, decisions: Any) -> list[Choice]:
                return [replace(choice, probabilities=None) for choice in super().act(decisions)]

        silent = Silent(silent.strategy(one.game))
        arena = Arena(one.game, one.objective, silent, SepoConfig(gradient="all_actions", gates="running"))
        with pytest.raises(RequestError, match="needs the probabilities of all actions"):
            arena.all_actions(silent, 0, {})

    def test_the_row_counts_what_was_asked(self) -> None:
        one = lab("kuhn", 6, seed=1, spread=1.0)
        config = SepoConfig(gradient="all_actions", rollouts=2, deals=2, branches=12)
        row: dict[str, Any] = {}
        Arena(one.game, one.objective, one.policy, config).all_actions(one.policy, 0, row)
        assert row["episodes"] == 6 * 2 * 2
        assert row["branches"] > 0
        # Of every branch one hand is played for its value: at most one more question.
        assert row["decisions"] <= row["questions"] <= row["decisions"] + row["branches"]
        assert row["advantage_scale"] != 1.0

    def test_language_models_are_trained_on_it(self, tmp_path: Path) -> None:
        settings = {"model": "tiny-random", "steps": 1, "lr": 5e-3, "max_step_kl": 1.0, "select_every": 1}
        found = sepo(tmp_path, gradient="all_actions", branches=2, **settings)
        assert not found.moved_like(sepo(tmp_path, gradient="sampled", **settings))
        assert found.column("branches")[0] > 0
        assert found.column("grad_norm")[0] > 0.0
