"""Gates of the hinge for episodes that come one by one.

The penalty for exploitability acts where an exploiter leads on average (``objective/gates.py``). Here the
mean is over the exploiter's latest episodes on other deals: no group of rollouts sets its own gate.
"""

from __future__ import annotations

from collections import OrderedDict

from equipoise.types import Seat

__all__ = ["EpisodeGates"]


class EpisodeGates:
    """Running mean gaps by exploiter and seat."""

    def __init__(self, deals: int = 32) -> None:
        """Take how many deals of each exploiter and seat are kept."""
        self._deals = deals
        self._gaps: dict[str, dict[Seat, OrderedDict[int, tuple[float, int]]]] = {}

    def gate(self, name: str, deal: int) -> float:
        """Return 1 where an exploiter leads on average over other deals, else 0; 1 where there are none."""
        means = []
        for groups in self._gaps.get(name, {}).values():
            others = [pair for index, pair in groups.items() if index != deal]
            if others:
                means.append(sum(total for total, _ in others) / sum(count for _, count in others))
        return 1.0 if not means or sum(means) / len(means) > 0.0 else 0.0

    def add(self, name: str, seat: Seat, deal: int, gap: float) -> None:
        """Take in the mean gap of an episode."""
        groups = self._gaps.setdefault(name, {}).setdefault(seat, OrderedDict())
        total, count = groups.pop(deal, (0.0, 0))
        groups[deal] = (total + gap, count + 1)
        while len(groups) > self._deals:
            groups.popitem(last=False)
