"""How often intervals hold the truth: at least 93 % at 95 %, and not much more where nothing is undecided."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from equipoise.auditing.metrics import Measure, difference
from equipoise.auditing.statistics.intervals import t_interval
from equipoise.opponents.pools import Pools
from tests.auditing.populations import Population, draws, played, rare, shifted, synthetic

pytestmark = pytest.mark.no_cover

LEVEL, DEALS, AUDITS = 0.95, 40, 1000
LEAST, MOST = 0.93, 0.97
REGULAR = ("utility", "externality", "collusion", "welfare", "regret", "nra")
HINGED = ("exploitability", "safety")


def shares(
    population: Population, metrics: tuple[str, ...], seed: int, deals: int = DEALS
) -> dict[str, float]:
    """Return how often each metric's interval holds its true value."""
    truth = population.truth()
    hits = dict.fromkeys(metrics, 0)
    size = len(next(iter(population.features.values())))
    for chosen in draws(seed, AUDITS, deals, size):
        found = population.audit(chosen)
        for metric in metrics:
            hits[metric] += holds(found[metric], truth[metric])
    return {metric: hit / AUDITS for metric, hit in hits.items()}


def holds(measure: Measure | None, truth: float) -> bool:
    assert measure is not None
    low, high = measure.ends(LEVEL, t_interval)
    return low - 1e-12 <= truth <= high + 1e-12


# Gaps: one lead near the kink and one far behind; both on the kink; both behind; both ahead.
@pytest.mark.parametrize("gaps", [(0.05, -1.0), (0.0, 0.0), (-1.0, -1.5), (1.0, 1.5)], ids=str)
def test_hinged_metrics_hold_the_truth_wherever_the_gaps_are(gaps: tuple[float, float]) -> None:
    found = shares(synthetic(gaps), HINGED, seed=1)
    assert min(found.values()) >= LEAST, found
    if min(abs(gap) for gap in gaps) >= 1.0:
        # Signs are settled: safety is a mean like any other.
        assert found["safety"] <= MOST, found


def test_regular_metrics_hold_it_as_often_as_they_say() -> None:
    found = shares(synthetic((1.0, -1.0)), REGULAR, seed=2)
    assert min(found.values()) >= LEAST, found
    assert max(found.values()) <= MOST, found


def test_deals_that_were_played_do_too() -> None:
    pools = Pools(("generous_tit_for_tat",), ("alternating_defect",), ("always_cooperate",))
    population = played("ipd", "random", 400, pools, rounds=3)
    found = shares(population, (*REGULAR, *HINGED), seed=3)
    assert min(found.values()) >= LEAST, found
    assert max(found[metric] for metric in REGULAR) <= MOST, found


@pytest.mark.parametrize(("rate", "deals"), [(0.0, 40), (0.01, 40), (0.05, 100), (0.1, 40), (0.2, 40)])
def test_samples_that_are_often_all_equal_or_sparse_do_too(rate: float, deals: int) -> None:
    found = shares(rare(rate), ("collusion", "safety"), seed=4, deals=deals)
    assert min(found.values()) >= LEAST, found


@pytest.mark.parametrize(
    ("build", "most"),
    [
        (lambda: synthetic((1.0, -1.0)), MOST),
        (lambda: synthetic((0.0, 0.0)), 1.0),
    ],
    ids=["settled", "undecided"],
)
def test_a_known_paired_difference_is_held(build: Callable[[], Population], most: float) -> None:
    base = build()
    other = shifted(base, by=0.1, noise=0.3)
    wanted = {metric: other.truth()[metric] - base.truth()[metric] for metric in ("utility", "safety", "nra")}
    assert wanted["utility"] == pytest.approx(0.1)
    hits = dict.fromkeys(wanted, 0)
    size = len(base.features["t"])
    for chosen in draws(5, AUDITS, DEALS, size):
        a, b = other.audit(chosen), base.audit(chosen)
        for metric, value in wanted.items():
            found = difference(a[metric], b[metric], LEVEL)  # type: ignore[arg-type]
            assert found.low is not None
            assert found.high is not None
            hits[metric] += found.low <= value <= found.high
    found_shares = {metric: hit / AUDITS for metric, hit in hits.items()}
    assert min(found_shares.values()) >= LEAST, found_shares
    assert found_shares["utility"] <= MOST
    assert found_shares["safety"] <= most, found_shares


def test_welchs_difference_is_held_on_other_deals() -> None:
    base = synthetic((1.0, -1.0))
    other = shifted(base, by=0.1, noise=0.3)
    hits, size = 0, len(base.features["t"])
    pairs = zip(draws(6, AUDITS, DEALS, size), draws(7, AUDITS, 25, size), strict=True)
    for mine, theirs in pairs:
        a, b = other.audit(mine)["utility"], base.audit(theirs)["utility"]
        found = difference(a, b, LEVEL, paired=False)  # type: ignore[arg-type]
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.1 <= found.high
    assert LEAST <= hits / AUDITS <= MOST


def test_the_plugged_in_hinge_is_biased_upward_near_0_and_not_far_from_it() -> None:
    def bias(gap: float) -> float:
        population = synthetic((gap,))
        size = len(population.features["t"])
        values = [population.audit(chosen)["exploitability"] for chosen in draws(8, AUDITS, DEALS, size)]
        mean = sum(one.value for one in values if one is not None) / AUDITS
        return mean - population.truth()["exploitability"]

    # At a gap of 0 the bias is s / sqrt(2 pi n), with s the spread of a deal's lead (about 1.02).
    assert bias(0.0) == pytest.approx(1.02 / (2 * 3.14159 * DEALS) ** 0.5, rel=0.15)
    assert abs(bias(1.0)) < 0.02
    assert abs(bias(-1.0)) < 1e-3
