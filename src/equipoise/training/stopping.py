"""Which weights of a run are kept, and when it stops for want of better ones.

The rule, the same for warm starts and SEPO. Scores are those of evaluations on the select split, which no
gradient and no audit uses. The weights with the highest score are kept, the first of equals. An evaluation
counts as better if its score exceeds that of the last one that counted by more than ``min_delta``; after
``patience`` evaluations in a row that did not, training stops.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

__all__ = ["Best"]


class Best:
    """The best score so far, and how many evaluations ago there was a better one.

    Attributes:
        step: The step whose weights have the best score; −1 before the first evaluation.
        score: That score.
        waited: Evaluations since the last that counted as better.
    """

    def __init__(self, patience: int | None, min_delta: float = 0.0) -> None:
        """Take how many evaluations to wait for a better one (None: to the end), and by how much better."""
        self.patience, self.min_delta = patience, min_delta
        self.step, self.score, self.waited = -1, -math.inf, 0
        self._mark = -math.inf

    @property
    def over(self) -> bool:
        """Whether training stops."""
        return self.patience is not None and self.waited >= self.patience

    @property
    def rule(self) -> str:
        """The rule in words, for the metrics."""
        kept = "keeps the weights with the highest select_score"
        if self.patience is None:
            return kept
        gain = f"gain no more than {self.min_delta:g}"
        return f"{kept}; stops after {self.patience} evaluations in a row that {gain}"

    def take(self, step: int, score: float) -> bool:
        """Take an evaluation; return whether its weights are the best so far."""
        if score > self._mark + self.min_delta:
            self._mark, self.waited = score, 0
        else:
            self.waited += 1
        better = score > self.score
        if better:
            self.step, self.score = step, score
        return better

    def log(self, row: dict[str, Any]) -> None:
        """Write into the metrics of an evaluation how long it has been waited, by which rule, and the end."""
        row.update(best_score=_finite(self.score), waited=self.waited, rule=self.rule, stopped=self.over)

    def state_dict(self) -> dict[str, Any]:
        """Return what the next evaluation depends on, ready for JSON."""
        return {
            "best_step": self.step,
            "best_score": _finite(self.score),
            "waited": self.waited,
            "mark": _finite(self._mark),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` returned."""
        self.step, self.waited = int(state["best_step"]), int(state["waited"])
        self.score = -math.inf if state["best_score"] is None else float(state["best_score"])
        self._mark = -math.inf if state["mark"] is None else float(state["mark"])


def _finite(score: float) -> float | None:
    return score if math.isfinite(score) else None
