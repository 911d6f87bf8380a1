"""Estimates of agreement: by hand, and how often their intervals hold a truth that is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from equipoise.training.agreement import cosine, projection, variance_ratio
from equipoise.types import Estimate, Kind

EXACT = np.array([3.0, 4.0, 0.0])


def drawn(seed: int, mean: NDArray[np.float64], count: int = 60, spread: float = 1.0) -> NDArray[np.float64]:
    """Return batches around a mean, with other spreads in other directions and correlations."""
    draw = np.random.default_rng(seed)
    mixing = np.random.default_rng(99).normal(size=(len(mean), len(mean)))
    return np.asarray(mean + spread * draw.normal(size=(count, len(mean))) @ mixing)


def holds(found: Estimate | None, truth: float) -> bool:
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high
    return found.low <= truth <= found.high


class TestByHand:
    def test_projection(self) -> None:
        found = projection(np.array([[3.0, 4.0, 9.0], [0.0, 0.0, -9.0]]), EXACT, 0.95, 20)
        assert found is not None
        assert (found.value, found.n, found.clusters, found.kind) == (0.5, 20, 2, Kind.SAMPLE)
        # Student's with one degree of freedom: 12.706 standard errors of 0.5.
        assert found.high == pytest.approx(0.5 + 12.7062 * 0.5, abs=1e-3)

    def test_cosine_of_the_mean(self) -> None:
        # The mean is (3, 4, 5): 45 degrees off.
        found = cosine(np.array([[6.0, 4.0, 5.0], [0.0, 4.0, 5.0]]), EXACT, 0.95, 20)
        assert found is not None
        assert found.value == pytest.approx(math.sqrt(0.5))
        assert (found.n, found.clusters, found.level) == (20, 2, 0.95)

    def test_variance_ratio(self) -> None:
        reference = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
        wide = reference * [[3.0], [3.0], [1.0], [1.0]] + 7.0
        found = variance_ratio(wide, reference, 0.95, 20)
        assert found is not None
        # Squares 9, 9, 1, 1 against 1: the mean 5, with Student's interval of three degrees of freedom,
        # 3.182 standard errors of √(64/3)/2; a variance is not negative.
        assert (found.value, found.low, found.n, found.clusters) == (5.0, 0.0, 20, 4)
        assert found.high == pytest.approx(5.0 + 3.18245 * math.sqrt(64 / 3) / 2, abs=1e-4)

    def test_a_batch_that_costs_more_has_to_be_that_much_calmer(self) -> None:
        rows = np.random.default_rng(3).standard_normal((2, 50, 4))
        plain = variance_ratio(rows[0], rows[1], 0.95, 50)
        dear = variance_ratio(rows[0], rows[1], 0.95, 50, cost=1.5)
        assert plain is not None
        assert dear is not None
        for name in ("value", "low", "high"):
            ratio = getattr(dear, name) / getattr(plain, name)
            assert ratio == pytest.approx(1.5, rel=0.02 if name != "value" else 1e-12)

    def test_a_reference_is_its_own_measure(self) -> None:
        rows = drawn(0, EXACT)
        assert variance_ratio(rows, rows, 0.95, 4) == Estimate.exact(1.0)

    def test_what_is_not_defined_is_not_applicable(self) -> None:
        rows = drawn(0, EXACT)
        assert projection(rows, 0.0 * EXACT, 0.95, 4) is None
        assert cosine(rows, 0.0 * EXACT, 0.95, 4) is None
        assert variance_ratio(rows, 0.0 * rows, 0.95, 4) is None

    def test_batches_without_spread_give_no_interval_of_width_0(self) -> None:
        still = np.tile(EXACT, (5, 1))
        assert projection(still, EXACT, 0.95, 4) is None
        assert cosine(still, EXACT, 0.95, 4) is None
        square = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
        assert variance_ratio(3.0 * square, square, 0.95, 4) is None


@pytest.mark.no_cover
class TestCoverage:
    """With 200 draws a share of 0.95 is seen as less than 0.90 once in 500 times."""

    RUNS = range(200)

    def test_projection(self) -> None:
        runs = [projection(drawn(seed, 0.7 * EXACT), EXACT, 0.95, 1) for seed in self.RUNS]
        assert 0.90 <= np.mean([holds(found, 0.7) for found in runs]) <= 0.99

    @pytest.mark.parametrize(
        ("mean", "truth"),
        [
            (EXACT, 1.0),
            (np.array([3.0, 4.0, 1.0]), 5.0 / math.sqrt(26.0)),
            (np.array([-4.0, 3.0, 0.0]), 0.0),
            (-EXACT, -1.0),
            (np.array([0.0, 0.0, 0.0]), None),
        ],
        ids=["along", "aside", "across", "against", "nowhere"],
    )
    @pytest.mark.parametrize("spread", [0.3, 3.0])
    def test_cosine(self, mean: NDArray[np.float64], truth: float | None, spread: float) -> None:
        runs = [cosine(drawn(seed, mean, spread=spread), EXACT, 0.95, 1) for seed in self.RUNS]
        if truth is None:
            # A gradient of 0 has no direction: no end of the scale is excluded too often.
            assert np.mean([holds(found, 0.0) for found in runs]) >= 0.9
        else:
            assert np.mean([holds(found, truth) for found in runs]) >= 0.93

    def test_cosine_gets_sharp_with_more_batches(self) -> None:
        low = [c.low for n in (40, 4000) if (c := cosine(drawn(1, EXACT, n), EXACT, 0.95, 1)) is not None]
        assert low[0] is not None
        assert low[1] is not None
        assert low[0] < low[1]
        assert low[1] > 0.995

    def test_variance_ratio(self) -> None:
        # The same batches with independent noise on top: 1 + 0.5² of the variance in every direction.
        runs = []
        for seed in self.RUNS:
            reference = np.random.default_rng(seed).normal(size=(100, 3))
            noisy = reference + 0.5 * np.random.default_rng(seed + 1000).normal(size=(100, 3))
            runs.append(variance_ratio(noisy, reference, 0.95, 1))
        assert 0.90 <= np.mean([holds(found, 1.25) for found in runs]) <= 0.99
