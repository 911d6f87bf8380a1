"""The gate of the hinge: whether an exploiter's mean gap is positive.

The gate g_o belongs to the population. Gating a noisy episode by its own gap would be biased upward, so
the gate is either computed exactly or estimated from episodes that are not the ones it gates.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from equipoise.objective.groups import Group

__all__ = ["RunningGates", "exact_gates"]


def exact_gates(gaps: Mapping[str, float], tolerance: float = 1e-12) -> dict[str, float]:
    """Return the gate of every exploiter from its exact, seat-averaged gap; at gap 0 it is closed."""
    return {name: 1.0 if gap > tolerance else 0.0 for name, gap in gaps.items()}


class RunningGates:
    """Gates from a running mean of gaps, cross-fitted: a group never opens or closes its own gate.

    Near a zero gap the estimated gate is often wrong and attenuates the gradient of the hinge; away from
    zero (five standard errors) it is right. The mean decays, since the policy changes.
    """

    def __init__(self, decay: float = 0.7) -> None:
        """Take the weight that one batch keeps in the next."""
        self.decay = decay
        self._sums: dict[tuple[str, int], tuple[float, float]] = {}

    def gates(self, groups: Sequence[Group]) -> list[float]:
        """Return the gate of each group, then take the groups into the running mean.

        Groups of other pools get 0. A group about whose opponent nothing else is known gets 1: the
        penalty acts until it is shown not to be needed.
        """
        batch = {index: group for index, group in enumerate(groups) if group.stream[0] == "exploiter"}
        found = [0.0] * len(groups)
        for index, group in batch.items():
            others = [g for i, g in batch.items() if i != index and g.stream == group.stream]
            gap = self._mean(group.stream[1], others)
            found[index] = 1.0 if gap is None or gap > 0.0 else 0.0
        self._update(list(batch.values()))
        return found

    def forget(self, names: Collection[str]) -> None:
        """Drop what is known of opponents that are others now, though they go by the same names."""
        self._sums = {key: pair for key, pair in self._sums.items() if key[0] not in names}

    def state_dict(self) -> dict[str, Any]:
        """Return the running sums."""
        return {f"{name}|{seat}": list(pair) for (name, seat), pair in self._sums.items()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` returned."""
        self._sums = {}
        for key, (total, weight) in state.items():
            name, _, seat = key.rpartition("|")
            self._sums[name, int(seat)] = (float(total), float(weight))

    def _mean(self, name: str, others: Sequence[Group]) -> float | None:
        """Return the seat-averaged mean gap from history and from other groups of this batch."""
        sums = {seat: pair for (owner, seat), pair in self._sums.items() if owner == name}
        for group in others:
            total, weight = sums.get(group.seat, (0.0, 0.0))
            sums[group.seat] = (total + group.gap, weight + 1.0)
        means = [total / weight for total, weight in sums.values() if weight > 0.0]
        return sum(means) / len(means) if means else None

    def _update(self, groups: Sequence[Group]) -> None:
        self._sums = {key: (t * self.decay, w * self.decay) for key, (t, w) in self._sums.items()}
        for group in groups:
            key = (group.stream[1], group.seat)
            total, weight = self._sums.get(key, (0.0, 0.0))
            self._sums[key] = (total + group.gap, weight + 1.0)
