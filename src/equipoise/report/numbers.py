"""How numbers are written: the value, its interval, and what kind of number it is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise.types import Estimate, Kind

__all__ = ["NOT_APPLICABLE", "Shown", "counted", "plain", "show", "tick"]

NOT_APPLICABLE = "n/a"
MINUS = "−"
USUAL = 0.95
"""Confidence level that goes without saying; a page says so once."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An estimate in words.

    Attributes:
        value: The value, e.g. ``0.312`` or ``≥ 4.95``.
        interval: Its interval, e.g. ``[0.28, 0.36]``; empty where it has none of its own.
        hint: How it came about, in a sentence.
    """

    value: str
    interval: str
    hint: str

    def __str__(self) -> str:
        """Return both on one line."""
        return f"{self.value} {self.interval}".strip()


def show(estimate: Estimate | None, percent: bool = False) -> Shown:
    """Return an estimate as the page shows it.

    Args:
        estimate: The estimate; None is not applicable.
        percent: Whether it is a share that is shown in percent.
    """
    if estimate is None:
        return Shown(NOT_APPLICABLE, "", "does not apply here, or was not measured")
    digits = _digits(estimate)
    unit = " %" if percent else ""

    def number(value: float) -> str:
        return _number(100.0 * value, max(digits - 2, 1)) if percent else _number(value, digits)

    hint = _hint(estimate)
    if estimate.kind is Kind.LOWER_BOUND:
        return Shown(f"≥ {number(_end(estimate.low, estimate))}{unit}", "", hint)
    if estimate.kind is Kind.UPPER_BOUND:
        return Shown(f"≤ {number(_end(estimate.high, estimate))}{unit}", "", hint)
    if estimate.kind is Kind.EXACT or estimate.low is None or estimate.high is None:
        return Shown(number(estimate.value) + unit, "", hint)
    interval = f"[{number(estimate.low)}, {number(estimate.high)}]"
    if estimate.kind is Kind.SAMPLE and estimate.level != USUAL:
        interval += f" ({estimate.level:.3g})"
    return Shown(number(estimate.value) + unit, interval, hint)


def plain(value: float, digits: int = 3) -> str:
    """Return a number that is no estimate: a setting, or a place on an axis."""
    return _number(value, digits)


def counted(count: int, what: str) -> str:
    """Return how many there are of something."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def tick(value: float) -> str:
    """Return the label of a place on an axis."""
    return f"{value:g}".replace("-", MINUS)


def _end(end: float | None, estimate: Estimate) -> float:
    return estimate.value if end is None else end


def _digits(estimate: Estimate) -> int:
    if estimate.low is None or estimate.high is None:
        return 2
    return 2 if estimate.high - estimate.low >= 0.1 else 3


def _number(value: float, digits: int) -> str:
    if not math.isfinite(value):
        return str(value)
    # Adding 0 turns the -0.0 that rounding leaves into 0.0.
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", MINUS)


def _hint(estimate: Estimate) -> str:
    behind = (
        f"{counted(estimate.n, 'episode')} on {counted(estimate.clusters, 'deal')}"
        if estimate.n
        else "the rules"
    )
    match estimate.kind:
        case Kind.EXACT:
            return "exact: computed from the rules"
        case Kind.LOWER_BOUND:
            return f"lower bound, from {behind}: the true value is at least this"
        case Kind.UPPER_BOUND:
            return f"upper bound, from {behind}: the true value is at most this"
        case Kind.INTERVAL:
            return "certified: the true value lies in this interval"
        case _:
            return f"sampled: {behind}, interval at level {estimate.level:g}"
