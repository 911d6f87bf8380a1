"""Axes: from numbers to places."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from equipoise.report.drawing import Anchor, Drawing, Line, Text, width_of
from equipoise.report.numbers import tick
from equipoise.types import Estimate

__all__ = ["Scale", "ends", "horizontal", "limits", "vertical"]


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear axis.

    Attributes:
        low: Its lowest number.
        high: Its highest.
        start: Where the lowest is drawn.
        end: Where the highest is drawn.
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a number; what lies outside goes to the nearer end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, count: int = 4, whole: bool = False) -> list[float]:
        """Return round numbers, about so many, within the axis; ``whole`` ones where it counts things."""
        steps = [_step(self.low, self.high, number) for number in range(count, count + 4)]
        # Rather a tick more than an axis whose ends have none.
        step = next(
            (one for one in steps if _falls_on(self.low, one) and _falls_on(self.high, one)), steps[0]
        )
        if whole:
            step = max(1.0, math.ceil(step))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(number * step, 10) + 0.0 for number in range(first, last + 1)]


def limits(values: Iterable[float], zero: bool = False, count: int = 4) -> tuple[float, float]:
    """Return round ends that hold all values, and 0 if asked for, with room for about so many ticks."""
    given = [value for value in values if math.isfinite(value)] + ([0.0] if zero else [])
    low, high = (min(given), max(given)) if given else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = (0.0, 1.0) if low == 0.0 else (low - 0.5, high + 0.5)
    step = _step(low, high, count)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def ends(estimate: Estimate) -> tuple[float, float]:
    """Return the ends of an estimate's interval; an open side ends at the value."""
    low = estimate.value if estimate.low is None else estimate.low
    high = estimate.value if estimate.high is None else estimate.high
    return low, high


def horizontal(
    drawing: Drawing, scale: Scale, top: float, bottom: float, title: str = "", whole: bool = False
) -> None:
    """Draw a horizontal axis with its grid, and its title at the right below it."""
    for place in scale.ticks(whole=whole):
        x = scale(place)
        half = width_of(tick(place), 10.0) / 2
        anchor: Anchor = "start" if x < half else "end" if x + half > drawing.width else "middle"
        at = {"start": 0.0, "middle": x, "end": drawing.width}[anchor]
        drawing.add(Line(x, top, x, bottom, "rule"), Text(at, bottom + 14, tick(place), "soft", 10.0, anchor))
    if title:
        drawing.add(Text(scale.end, bottom + 28, title, "soft", 10.0, "end"))


def vertical(drawing: Drawing, scale: Scale, left: float, right: float, count: int = 4) -> None:
    """Draw a vertical axis with its grid."""
    for place in scale.ticks(count):
        y = scale(place)
        drawing.add(
            Line(left, y, right, y, "rule"), Text(left - 6, y + 3.5, tick(place), "soft", 10.0, "end")
        )


def _falls_on(value: float, step: float) -> bool:
    return abs(value / step - round(value / step)) < 1e-6


def _step(low: float, high: float, count: int) -> float:
    rough = (high - low) / count
    size = 10.0 ** math.floor(math.log10(rough))
    return next(size * factor for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if size * factor >= rough * 0.999)
