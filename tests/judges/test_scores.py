"""Correlation and weighted kappa, against SciPy, scikit-learn's formula by hand, and published values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr

from equipoise.judges.scores import score_agreement


def weighted_kappa(a: list[float], b: list[float]) -> float:
    """Cohen's kappa with quadratic weights from a table of categories, as Cohen (1968) defines it."""
    categories = sorted({*a, *b})
    table = np.array([[sum((x, y) == (p, q) for x, y in zip(a, b, strict=True)) for q in categories]
                      for p in categories], dtype=float)  # fmt: skip
    table /= table.sum()
    weights = np.array([[(p - q) ** 2 for q in categories] for p in categories])
    chance = np.outer(table.sum(axis=1), table.sum(axis=0))
    return float(1.0 - (weights * table).sum() / (weights * chance).sum())


def test_against_independent_formulas() -> None:
    draws = np.random.Generator(np.random.Philox(3))
    a = draws.integers(0, 11, 60).astype(float)
    b = np.clip(a + draws.integers(-4, 3, 60), 0, 10)
    found = score_agreement(list(range(60)), a.tolist(), b.tolist())
    assert found["correlation"].value == pytest.approx(pearsonr(a, b).statistic)
    assert found["kappa"].value == pytest.approx(weighted_kappa(a.tolist(), b.tolist()))
    assert found["kappa"].value < found["correlation"].value


def test_the_same_scores_agree_and_shifted_ones_only_correlate() -> None:
    a = [1.0, 4.0, 2.0, 9.0]
    same = score_agreement([0, 1, 2, 3], a, a)
    assert (same["correlation"].value, same["kappa"].value) == (pytest.approx(1.0), pytest.approx(1.0))
    # Variance 9.5 and a shift of 3: 2·9.5 / (2·9.5 + 9).
    moved = score_agreement([0, 1, 2, 3], a, [x + 3.0 for x in a])
    assert moved["correlation"].value == pytest.approx(1.0)
    assert moved["kappa"].value == pytest.approx(19.0 / 28.0)


def test_what_has_no_spread_has_no_correlation() -> None:
    assert set(score_agreement([0, 1], [3.0, 3.0], [1.0, 2.0])) == {"kappa"}
    assert score_agreement([0, 1], [3.0, 3.0], [3.0, 3.0]) == {}
    assert score_agreement([], [], []) == {}


def test_one_cluster_says_nothing_of_the_spread() -> None:
    found = score_agreement([7, 7, 7], [1.0, 2.0, 4.0], [2.0, 2.0, 5.0])["kappa"]
    assert (found.low, found.high, found.n, found.clusters) == (-1.0, 1.0, 3, 1)


def test_intervals_widen_with_clusters() -> None:
    draws = np.random.Generator(np.random.Philox(5))
    # Ten clusters of twelve near copies are ten observations, not 120.
    base, noise = draws.normal(size=10), draws.normal(size=10)
    a = np.repeat(base, 12)
    b = np.repeat(base + noise, 12)
    apart = score_agreement(list(range(120)), a.tolist(), b.tolist())["correlation"]
    together = score_agreement(np.repeat(np.arange(10), 12).tolist(), a.tolist(), b.tolist())["correlation"]
    widths = [one.high - one.low for one in (apart, together) if one.high is not None and one.low is not None]
    assert widths[1] > 2.0 * widths[0]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=12)
)
def test_estimates_lie_within_their_bounds(rows: list[tuple[int, int, int]]) -> None:
    clusters, a, b = ([row[k] for row in rows] for k in range(3))
    found = score_agreement(clusters, [float(x) for x in a], [float(x) for x in b], resamples=20)
    turned = score_agreement(clusters, [float(x) for x in b], [float(x) for x in a], resamples=20)
    for (name, one), sign in product(found.items(), (1,)):
        assert one.low is not None
        assert one.high is not None
        assert -1.0 - 1e-9 <= one.low <= one.value <= one.high <= 1.0 + 1e-9
        assert turned[name].value == pytest.approx(sign * one.value)
