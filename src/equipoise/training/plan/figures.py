"""A number of a plan, with how it came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Figure"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A counted or estimated number.

    Attributes:
        value: The number; None where it cannot be had.
        unit: ``count``, ``tokens``, ``bytes`` or ``seconds``.
        exact: Whether it is what the run will have; otherwise it is an estimate.
        how: What was counted, what is assumed, or what is missing.
    """

    value: float | None
    unit: str
    exact: bool
    how: str

    def to_json(self) -> dict[str, Any]:
        """Return the figure as JSON data."""
        return {"value": self.value, "unit": self.unit, "exact": self.exact, "how": self.how}

    def __str__(self) -> str:
        """Show the number; estimates begin with ``~``."""
        if self.value is None:
            return "n/a"
        return ("" if self.exact else "~") + _shown(self.value, self.unit)


def _shown(value: float, unit: str) -> str:
    if unit == "bytes":
        for scale, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
            if value >= scale:
                return f"{value / scale:.2f} {name}"
        return f"{value:.0f} B"
    if unit == "seconds":
        if value < 100.0:
            return f"{value:.1f} s"
        return f"{value / 60.0:.0f} min" if value < 6000.0 else f"{value / 3600.0:.1f} h"
    return f"{value:,.0f}"
