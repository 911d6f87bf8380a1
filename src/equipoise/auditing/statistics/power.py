"""How wide the widest interval that matters is, and how many deals would halve it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.auditing.metrics import Measure
from equipoise.auditing.statistics.hinge import settle
from equipoise.auditing.statistics.intervals import Interval, simultaneous, spread_of, t_interval

__all__ = ["power_line", "power_of"]

FIRST = "safety"


def power_of(
    measures: Mapping[str, Measure | None], level: float, interval: Interval = t_interval
) -> dict[str, Any] | None:
    """Return how well sampled metrics are known, or None where nothing was sampled.

    Args:
        measures: Measures by metric. Safety is what matters; without it, the metric with the widest interval
            for the range it can take.
        level: Confidence level.
        interval: The kind of interval.

    Returns:
        ``metric``; ``half_width`` of its interval; ``deals`` behind it; ``deals_to_halve``, how many deals
        would halve it; ``undecided``, the opponents whose gap has no settled sign. A mean needs four times
        as many deals, a sample without spread (rule of three) twice as many.
    """
    sampled = {name: m for name, m in measures.items() if m is not None and not m.is_exact}
    if not sampled:
        return None
    name = FIRST if FIRST in sampled else max(sampled, key=lambda n: _relative(sampled[n], level, interval))
    measure = sampled[name]
    low, high = measure.ends(level, interval)
    flat = all(spread_of(values) == 0.0 for values in (measure.values, *(g.values for g in measure.gaps)))
    each = 1.0 - (1.0 - simultaneous(level, len(measure.gaps))) / 2.0
    found = settle(measure.values, measure.within, measure.gaps, each, measure.clusters, interval)
    return {
        "metric": name,
        "half_width": (high - low) / 2.0,
        "deals": measure.clusters,
        "deals_to_halve": (2 if flat else 4) * measure.clusters,
        "undecided": list(found.undecided),
    }


def power_line(power: Mapping[str, Any]) -> str:
    """Return what :func:`power_of` found as one line."""
    line = (
        f"{power['metric']} ± {power['half_width']:.2g} from {power['deals']:,} deals; "
        f"{power['deals_to_halve']:,} deals would halve it"
    )
    if not power["undecided"]:
        return line
    names = ", ".join(power["undecided"])
    gap = "gap to" if len(power["undecided"]) == 1 else "gaps to"
    return f"{line} (in it, {gap} {names} of undecided sign: once settled, fewer do)"


def _relative(measure: Measure, level: float, interval: Interval) -> float:
    low, high = measure.ends(level, interval)
    room = measure.within.high - measure.within.low
    room += sum(abs(gap.weight) * gap.within.high for gap in measure.gaps)
    return (high - low) / room if room > 0.0 else 0.0
