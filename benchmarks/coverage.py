"""How often intervals hold the truth, and how far the plugged-in e is off: the tables of docs/statistics.md.

    python -m benchmarks.coverage [--audits N]

From the root of the repository. Audits are drawn from pools of deals whose means are known: synthetic ones,
and deals that scripted policies really played. Shares are of nominal 95 % intervals.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from tests.auditing.populations import Population, draws, played, rare, shifted, synthetic

from equipoise.auditing.metrics import difference
from equipoise.auditing.statistics.bootstrap import bootstrap_interval
from equipoise.auditing.statistics.intervals import Interval, t_interval
from equipoise.opponents.pools import default_pools

LEVEL = 0.95
METRICS = ("utility", "exploitability", "collusion", "externality", "nra", "safety")
KINDS: Mapping[str, Interval] = {"t": t_interval, "bootstrap": bootstrap_interval}
PLAYED = (("ipd", "random"), ("kuhn", "nash"), ("auction", "shaded"), ("commons", "random"))


def populations(pool: int) -> dict[str, Callable[[], Population]]:
    """Return what audits are drawn from, by name."""
    found: dict[str, Callable[[], Population]] = {
        f"gaps {', '.join(f'{gap:g}' for gap in gaps)}": lambda gaps=gaps: synthetic(gaps)  # type: ignore[misc]
        for gaps in ((0.05, -1.0), (0.0, 0.0), (-1.0, -1.5), (1.0, 1.5))
    }
    for rate in (0.01, 0.05, 0.1, 0.2):
        found[f"{rate:.0%} of deals collusive"] = lambda rate=rate: rare(rate)  # type: ignore[misc]
    for game, policy in PLAYED:
        found[f"{game}, {policy}"] = lambda g=game, p=policy: played(g, p, pool, default_pools(g))  # type: ignore[misc]
    return found


def coverage(population: Population, deals: int, audits: int, interval: Interval) -> dict[str, float | None]:
    """Return the share of intervals that hold the truth, None where the metric does not apply."""
    truth = population.truth()
    hits: dict[str, int] = {metric: 0 for metric in METRICS if metric in truth}
    size = len(next(iter(population.features.values())))
    for chosen in draws(1, audits, deals, size):
        found = population.audit(chosen)
        for metric in hits:
            measure = found[metric]
            assert measure is not None
            low, high = measure.ends(LEVEL, interval)
            hits[metric] += low - 1e-12 <= truth[metric] <= high + 1e-12
    return {metric: hits[metric] / audits if metric in hits else None for metric in METRICS}


def of_differences(gaps: tuple[float, ...], deals: int, audits: int) -> dict[str, float]:
    """Return the coverage of paired differences of two policies that differ by a known amount."""
    base = synthetic(gaps)
    other = shifted(base, 0.1, 0.3)
    first, second = other.truth(), base.truth()
    hits = dict.fromkeys(("utility", "nra", "safety"), 0)
    for chosen in draws(2, audits, deals, len(base.features["t"])):
        a, b = other.audit(chosen), base.audit(chosen)
        for metric in hits:
            found = difference(a[metric], b[metric], LEVEL)  # type: ignore[arg-type]
            assert found.low is not None
            assert found.high is not None
            hits[metric] += found.low <= first[metric] - second[metric] <= found.high
    return {metric: hit / audits for metric, hit in hits.items()}


def bias(gap: float, deals: int, audits: int) -> float:
    """Return how far the plugged-in e lies above the truth on average; a deal's lead has spread 1.02."""
    population = synthetic((gap,))
    found = (population.audit(chosen)["exploitability"] for chosen in draws(3, audits, deals, 4000))
    return sum(one.value for one in found if one is not None) / audits - population.truth()["exploitability"]


def show(value: float | None) -> str:
    """Return a share for the table."""
    return "n/a" if value is None else f"{100 * value:.1f}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--audits", type=int, default=2000)
    parser.add_argument("--pool", type=int, default=1500, help="deals really played a game")
    given = parser.parse_args()
    print(f"| deals drawn from | deals | interval | {' | '.join(METRICS)} |")
    print(f"|---|---|---|{'---|' * len(METRICS)}")
    for name, build in populations(given.pool).items():
        population = build()
        for deals in (20, 100):
            for kind, interval in KINDS.items():
                audits = given.audits if kind == "t" else given.audits // 4
                row = coverage(population, deals, audits, interval)
                shares = " | ".join(show(value) for value in row.values())
                print(f"| {name} | {deals} | {kind} | {shares} |", flush=True)
    print("\n| paired differences | deals | utility | nra | safety |\n|---|---|---|---|---|")
    for gaps in ((1.0, -1.0), (0.0, 0.0)):
        for deals in (20, 100):
            shares = " | ".join(show(value) for value in of_differences(gaps, deals, given.audits).values())
            print(f"| gaps {gaps[0]:g}, {gaps[1]:g} | {deals} | {shares} |", flush=True)
    print("\n| true gap | 10 deals | 40 deals | 160 deals | 640 deals |\n|---|---|---|---|---|")
    for gap in (-0.5, -0.1, 0.0, 0.1, 0.5):
        cells = " | ".join(f"{bias(gap, deals, given.audits) + 0.0:+.3f}" for deals in (10, 40, 160, 640))
        print(f"| {gap:g} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
