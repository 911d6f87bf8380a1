"""How far a step may go: it is skipped where its gradient is not finite, and halved where it goes too far.

As in our own learners (``lora.AdapterLearner``): the first steps of Adam have the size of the learning rate
in every weight, however noisy the gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from equipoise.training.trl.state import trained_parameters

__all__ = ["StepLimit"]


class StepLimit:
    """Keeps the weights before a step, and takes part of it back.

    Attributes:
        limit: Largest KL(old policy ‖ new policy), averaged over the visited decisions.
    """

    def __init__(self, model: Any, limit: float) -> None:
        """Take the model, as the optimiser sees it, and the limit."""
        self.model, self.limit = model, limit
        self._kept: list[torch.Tensor] = []

    def before(self, norm: float | None) -> bool:
        """Get ready for a step; drop the gradient and return False where it is not finite.

        Args:
            norm: The gradient's norm on all ranks; None where it is not known.
        """
        parameters = trained_parameters(self.model).values()
        if norm is not None and not norm < float("inf"):
            for parameter in parameters:
                parameter.grad = None
            self._kept = []
            return False
        self._kept = [parameter.detach().clone() for parameter in parameters]
        return True

    def after(self, moved: Callable[[], float]) -> dict[str, float]:
        """Halve the step until it has moved the policy by at most the limit.

        Args:
            moved: Returns KL(old policy ‖ new policy), the same on every rank.

        Returns:
            ``step_kl`` and ``step_taken``, the share of the step that was left; or that it was skipped.
        """
        if not self._kept:
            return {"skipped": 1.0}
        taken = 1.0
        while True:
            far = moved()
            if far <= self.limit or taken < 1e-3:
                self._kept = []
                return {"skipped": 0.0, "step_kl": far, "step_taken": taken}
            self._shrink()
            taken *= 0.5

    def _shrink(self) -> None:
        with torch.no_grad():
            for parameter, kept in zip(trained_parameters(self.model).values(), self._kept, strict=True):
                parameter.copy_(kept + 0.5 * (parameter - kept))
