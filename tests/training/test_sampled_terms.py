"""The terms of J on one step's episodes: the audit's definitions on those episodes, under other names."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from equipoise.objective.constraints import mean_features
from equipoise.training.arena import Arena
from equipoise.training.config import SepoConfig
from equipoise.training.sampled_terms import sampled_terms
from tests.objective.learning import lab


def test_the_terms_are_those_of_the_streams_means_and_near_the_exact_ones() -> None:
    one = lab("kuhn", 1, seed=1, spread=0.5)
    arena = Arena(one.game, one.objective, one.policy, SepoConfig(deals=40, rollouts=8))
    _, groups = arena.collect(one.policy, 0)
    found = sampled_terms(one.objective, groups)
    terms = asdict(one.objective.terms(mean_features(groups)))
    assert found == {f"sampled_{name}": value for name, value in terms.items() if value is not None}
    # 320 episodes an opponent, payoffs of at most 2 chips: standard errors below 0.08 an opponent.
    assert found["sampled_utility"] == pytest.approx(one.exact().terms.utility, abs=0.25)
    assert np.isfinite(found["sampled_safety"])


def test_there_are_none_where_somebody_who_counts_was_not_met() -> None:
    one = lab("kuhn", 1, seed=1, spread=0.5)
    arena = Arena(one.game, one.objective, one.policy, SepoConfig(deals=1, rollouts=2))
    _, groups = arena.collect(one.policy, 0)
    few = [group for group in groups if group.stream[0] == "train"]
    assert sampled_terms(one.objective, few) == {}
