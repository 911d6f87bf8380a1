"""What the training loop needs of whatever it trains; a table and a language model both provide it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Protocol

from equipoise.policies.base import Policy

__all__ = ["Learner"]


class Learner(Protocol):
    """Something with a policy that can be moved along a batch's gradient.

    What a batch is, the learner says: a ``Batch`` of weights on the actions of decisions, or a sequence of
    ``DecisionSample``, the tokens that were sampled on the way to them.
    """

    @property
    def wants(self) -> Literal["batch", "samples"]:
        """What :meth:`update` is given: a ``Batch``, or a sequence of ``DecisionSample``."""
        ...

    @property
    def policy(self) -> Policy:
        """Plays with the current weights."""
        ...

    def update(self, batch: Any, lr: float, kl: float, entropy: float) -> dict[str, float]:
        """Ascend Σ w·log π + Σ w·π − kl·KL(π ‖ reference) + entropy·H(π) by one step.

        Returns:
            What happened: ``kl``, ``entropy``, ``grad_norm`` and the like; ``sampler_gap`` if it can be
            told, ``skipped`` 1 if no step was made because the gradient is not finite.
        """
        ...

    def forget(self) -> None:
        """Drop what is cached, so that a step is the same after a resume as without one."""
        ...

    def frozen(self, folder: Path, name: str) -> Policy:
        """Return what was written by :meth:`save_weights` as a policy that does not change any more."""
        ...

    def drop(self, policy: Policy) -> None:
        """Give back what a policy of :meth:`frozen` holds."""
        ...

    def save_weights(self, folder: Path) -> None:
        """Write the current weights into a folder, as the policy is later loaded from it."""
        ...

    def save_state(self, folder: Path) -> dict[str, Any]:
        """Write optimiser state into a folder; return what fits JSON."""
        ...

    def load(self, folder: Path, state: Mapping[str, Any]) -> None:
        """Take back weights and state from a checkpoint."""
        ...
