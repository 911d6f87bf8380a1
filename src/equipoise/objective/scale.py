"""One scale for all advantages of a batch, so that the ratios between the terms of J are kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["RunningScale"]


class RunningScale:
    """Divides advantages by a running root mean square, detached and shared by the whole batch.

    ``none`` divides by 1. ``rms`` keeps an exponential mean of squares; a floor relative to the range of
    rewards keeps a batch of nearly equal rewards from being blown up.
    """

    def __init__(
        self, kind: Literal["none", "rms"], reward_range: float, decay: float = 0.9, floor: float = 0.01
    ) -> None:
        """Take the kind, the range of a round's reward, the decay and the floor as a share of the range."""
        self.kind = kind
        self.decay = decay
        self.floor = floor * reward_range
        self._square = 0.0
        self._weight = 0.0

    def divisor(self, advantages: Iterable[NDArray[np.float64]]) -> float:
        """Take a batch into the running mean and return what to divide it by."""
        if self.kind == "none":
            return 1.0
        values = np.concatenate([np.zeros(0), *advantages])
        if len(values):
            self._square = self.decay * self._square + (1 - self.decay) * float(np.mean(values**2))
            self._weight = self.decay * self._weight + (1 - self.decay)
        rms = math.sqrt(self._square / self._weight) if self._weight else 0.0
        return max(rms, self.floor)

    def state_dict(self) -> dict[str, Any]:
        """Return the running moments."""
        return {"square": self._square, "weight": self._weight}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` returned."""
        self._square, self._weight = float(state["square"]), float(state["weight"])
