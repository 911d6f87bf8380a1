"""Thinned batches: as many rows as asked, and on average the batch itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import RequestError
from equipoise.training.arena import Arena
from equipoise.training.batch import Batch
from equipoise.training.config import SepoConfig
from equipoise.training.learner import Learner
from equipoise.training.sepo import Sepo
from equipoise.training.thinning import chances, thin
from equipoise.types import Decision
from tests.objective.learning import lab

GRID = 4000
"""Starting points over which an average is taken: each row is right within 1 / GRID."""


def batch(rows: int = 9, seed: int = 3) -> Batch:
    """Return rows of very different weight; what stands for a decision is its number."""
    draws = np.random.default_rng(seed)
    log = draws.normal(size=(rows, 3)) * np.exp(2.0 * draws.normal(size=(rows, 1)))
    visits = draws.uniform(0.1, 1.0, rows)
    decisions = cast(tuple[Decision, ...], tuple(range(rows)))
    return Batch(decisions, log, draws.normal(size=(rows, 3)), visits / visits.sum())


def mean(full: Batch, limit: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return how often each row is kept, and the means of all weights, over a grid of starting points."""
    often, visits = np.zeros(len(full.decisions)), np.zeros(len(full.decisions))
    log, prob = np.zeros_like(full.log_weights), np.zeros_like(full.prob_weights)
    for number in range(GRID):
        found = thin(full, limit, (number + 0.5) / GRID)
        kept = list(cast(tuple[int, ...], found.decisions))
        often[kept] += 1.0 / GRID
        visits[kept] += found.visits / GRID
        log[kept] += found.log_weights / GRID
        prob[kept] += found.prob_weights / GRID
    return often, visits, log, prob


@pytest.mark.parametrize("limit", [2, 5, 8])
def test_on_average_a_thinned_batch_is_the_batch(limit: int) -> None:
    full = batch()
    often, visits, log, prob = mean(full, limit)
    assert often.sum() == pytest.approx(limit)
    # A row is kept on an interval of starting points: its share on the grid is off by at most two points.
    slack = (1.0 + 2.0 / (GRID * often))[:, None]
    for found, wanted in ((visits[:, None], full.visits[:, None]), (log, full.log_weights)):
        assert np.all(np.abs(found - wanted) <= np.abs(wanted) * (slack - 1.0) + 1e-12)
    np.testing.assert_allclose(prob, full.prob_weights, rtol=2.0 / (GRID * often.min()))


def test_every_thinned_batch_has_as_many_rows_as_asked_in_their_order() -> None:
    full = batch(20)
    for start in np.linspace(0.0, 0.999, 50):
        kept = list(cast(tuple[int, ...], thin(full, 7, float(start)).decisions))
        assert len(kept) == 7
        assert kept == sorted(kept)


def test_small_batches_and_no_limit_leave_all() -> None:
    full = batch(4)
    assert thin(full, 4, 0.5) is full
    assert thin(full, None, 0.5) is full


def test_what_most_hangs_on_is_always_kept_with_its_own_weight() -> None:
    full = batch(10)
    full.log_weights[6] = 1e3
    for start in np.linspace(0.0, 0.999, 20):
        found = thin(full, 3, float(start))
        place = cast(tuple[int, ...], found.decisions).index(6)
        assert np.array_equal(found.log_weights[place], full.log_weights[6])
        assert found.visits[place] == full.visits[6]


def test_rows_without_an_advantage_are_kept_for_the_regularisers_in_proportion_to_their_visits() -> None:
    full = batch(5)
    full.log_weights[:] = 0.0
    full.prob_weights[:] = 0.0
    often = mean(full, 2)[0]
    np.testing.assert_allclose(often, chances(full.visits, 2), atol=2.0 / GRID)


@given(st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=30), st.data())
def test_chances_are_in_proportion_to_size_and_sum_to_the_limit(
    sizes: list[float], data: st.DataObject
) -> None:
    limit = data.draw(st.integers(1, len(sizes) - 1))
    found = chances(np.array(sizes), limit)
    assert found.sum() == pytest.approx(limit)
    assert np.all((found > 0.0) & (found <= 1.0))
    below = found < 1.0
    rates = found[below] / np.array(sizes)[below]
    assert rates == pytest.approx(np.full(len(rates), rates[0] if len(rates) else 0.0))
    # Whoever is certain is so because the same rate would give it more than 1.
    if below.any():
        assert np.all(np.array(sizes)[~below] * rates[0] >= 1.0 - 1e-9)


def test_texts_are_never_thinned_out() -> None:
    one = lab("kuhn", 1)
    arena = Arena(one.game, one.objective, one.policy, SepoConfig(max_decisions=4))
    texts = cast(Learner, SimpleNamespace(wants="samples", policy=one.policy))
    with pytest.raises(RequestError, match="max_decisions = 4: texts are never thinned out"):
        Sepo(arena, texts)


def test_an_exact_gradient_is_never_thinned_out() -> None:
    with pytest.raises(ValueError, match="never thinned out, use gradient = 'sampled'"):
        SepoConfig(gradient="exact", max_decisions=4)
