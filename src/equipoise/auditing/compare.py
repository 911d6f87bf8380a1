"""Differences between two policies over several games, with Holm's correction for having looked at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.auditing.metrics import METRICS, Measure, difference, difference_ends, p_value
from equipoise.auditing.result import SCHEMA, Difference, GameResult, Test, check_panels, same_deals
from equipoise.auditing.statistics.intervals import Interval, simultaneous, t_interval
from equipoise.errors import RequestError, unknown

__all__ = ["Comparison", "compare_results", "differences", "holm"]

Pair = tuple[GameResult, GameResult]


@dataclass(frozen=True)
class Comparison:
    """Differences of policy ``a`` minus policy ``b``; prints as a table.

    Attributes:
        differences: One a game and metric.
        level: Confidence level.
        notes: What a reader must know: which games were compared, and how.
    """

    differences: Sequence[Difference]
    level: float
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        """Return the table and the notes as plain text."""
        from equipoise.auditing.tables import as_text, difference_table

        return as_text([difference_table(self.differences), *self.notes])

    __repr__ = __str__

    def to_json(self) -> dict[str, Any]:
        """Return the differences in the form of audit schema 1."""
        rows = [row.to_json() for row in self.differences]
        return {"schema": SCHEMA, "level": self.level, "notes": list(self.notes), "differences": rows}


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm, Scandinavian Journal of Statistics 6, 1979)."""
    count, worst = len(p_values), 0.0
    adjusted = [0.0] * count
    for rank, index in enumerate(sorted(range(count), key=p_values.__getitem__)):
        worst = max(worst, min(1.0, (count - rank) * p_values[index]))
        adjusted[index] = worst
    return adjusted


def differences(
    pairs: Sequence[Pair],
    level: float,
    metrics: Sequence[str] | None = None,
    paired: bool | None = True,
    interval: Interval = t_interval,
) -> list[Difference]:
    """Return the differences a − b of all metrics that both policies of a pair have.

    For each metric the sampled differences of all pairs form one family: their p-values are Holm's, and a
    simultaneous interval (Bonferroni) stands beside the interval of each by itself.

    Args:
        pairs: Two results of the same game each.
        level: Confidence level.
        metrics: Metrics to compare; None takes all.
        paired: True pairs by deal and refuses other deals, False never pairs, None pairs where it can.
        interval: The kind of interval of paired differences.

    Raises:
        RequestError: Deals were to be paired that are not the same.
    """
    found: list[Difference] = []
    for metric in _metrics(pairs, metrics):
        rows = [(a, b) for a, b in pairs if a.measures.get(metric) and b.measures.get(metric)]
        found += _family(rows, metric, level, paired, interval)
    order = {a.game: rank for rank, (a, _) in enumerate(pairs)}
    return sorted(found, key=lambda row: order[row.game])


def compare_results(
    a: Mapping[str, GameResult],
    b: Mapping[str, GameResult],
    level: float,
    metrics: Sequence[str] | None = None,
    paired: bool | None = None,
) -> Comparison:
    """Compare two policies in all games that both were audited in.

    Args:
        a: Results of one policy by game.
        b: Results of the other.
        level: Confidence level.
        metrics: Metrics to compare; None takes all.
        paired: See :func:`differences`.

    Raises:
        RequestError: There is no common game or metric, or a game was audited under other rules, weights
            or opponents.
    """
    common = [game for game in a if game in b]
    if not common:
        raise RequestError(f"no common game: {', '.join(a)} on one side, {', '.join(b)} on the other")
    pairs = [(a[game], b[game]) for game in common]
    for pair in pairs:
        _check_comparable(*pair)
    found = differences(pairs, level, metrics, paired)
    if not found:
        raise RequestError(f"no metric to compare in {', '.join(common)}")
    return Comparison(found, level, _notes(a, b, pairs, found, paired, level))


def _metrics(pairs: Sequence[Pair], wanted: Sequence[str] | None) -> list[str]:
    known = list(dict.fromkeys([*METRICS, *(m for pair in pairs for one in pair for m in one.measures)]))
    for metric in wanted or ():
        if metric not in known:
            raise unknown("metric", metric, known)
    return known if wanted is None else list(dict.fromkeys(wanted))


def _family(
    rows: Sequence[Pair], metric: str, level: float, paired: bool | None, interval: Interval
) -> list[Difference]:
    """Return the differences of one metric, tested together."""
    together, ends, estimates = [], [], []
    for a, b in rows:
        if paired:
            check_panels(a, b)
        together.append(same_deals(a, b) if paired is None else paired)
        first, second = _measures(a, b, metric)
        ends.append(difference_ends(first, second, together[-1], interval))
        estimates.append(difference(first, second, level, paired=together[-1], interval=interval))
    sampled = [i for i, estimate in enumerate(estimates) if estimate.clusters]
    p_values = [p_value(ends[i]) for i in sampled]
    each = simultaneous(level, len(sampled))
    tests = {
        i: Test("deal" if together[i] else "none", p, adjusted, len(sampled), *ends[i](each), each)
        for i, p, adjusted in zip(sampled, p_values, holm(p_values), strict=True)
    }
    return [
        Difference(a.game, metric, *_names(a, b), estimates[i], tests.get(i)) for i, (a, b) in enumerate(rows)
    ]


def _measures(a: GameResult, b: GameResult, metric: str) -> tuple[Measure, Measure]:
    first, second = a.measures[metric], b.measures[metric]
    assert first is not None
    assert second is not None
    return first, second


def _names(a: GameResult, b: GameResult) -> tuple[str, str]:
    return (a.policy, b.policy) if a.policy != b.policy else (f"{a.policy} (a)", f"{b.policy} (b)")


def _check_comparable(a: GameResult, b: GameResult) -> None:
    """Check that the same metrics mean the same on both sides."""
    pools = [{pool: sorted(rows) for pool, rows in one.per_opponent.items()} for one in (a, b)]
    for what, first, second in (
        ("version", a.version, b.version),
        ("options", a.settings.get("options", {}), b.settings.get("options", {})),
        ("weights", dict(a.weights), dict(b.weights)),
        ("opponents", *pools),
        ("opponents", a.settings.get("opponents", {}), b.settings.get("opponents", {})),
    ):
        if first != second:
            raise RequestError(
                f"{a.game}: audited with other {what} ({first!r} and {second!r}): audit both alike"
            )


def _notes(
    a: Mapping[str, GameResult],
    b: Mapping[str, GameResult],
    pairs: Sequence[Pair],
    found: Sequence[Difference],
    paired: bool | None,
    level: float,
) -> list[str]:
    notes = []
    largest = max((row.test.family for row in found if row.test), default=0)
    if largest > 1:
        notes.append(
            f"Family: for each metric, its sampled differences in all games compared (up to {largest}). "
            f"p is Holm's; a difference holds where p <= {1 - level:.4g}. Intervals are each by itself."
        )
    alone = [first.game for first, second in pairs if not paired and not same_deals(first, second)]
    if alone:
        games = ", ".join(alone)
        notes.append(f"Not paired, other deals: {games}. Welch's interval on the means of deals.")
    missing = [game for game in (*a, *b) if (game in a) != (game in b)]
    if missing:
        notes.append(f"Audited on one side only, not compared: {', '.join(dict.fromkeys(missing))}.")
    return notes
