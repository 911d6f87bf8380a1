"""Frozen copies of a language model that is being trained: further adapters in the same model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from equipoise.policies.base import Policy
from equipoise.policies.local.policy import LocalPolicy
from equipoise.types import Choice, Decision, Probabilities

__all__ = ["AdapterCopy"]

TRAINED = "default"
"""Name of the adapter that is trained, in the model."""


class AdapterCopy(Policy):
    """The model with the weights of a folder in place of those that are trained.

    The copy has tables of its own; the model is shared, and its adapter put back after every call.
    """

    def __init__(self, policy: LocalPolicy, folder: Path, name: str) -> None:
        """Load the adapter of a folder beside the one that is trained.

        Args:
            policy: The policy that is trained.
            folder: Where its weights were written.
            name: How reports name the copy.
        """
        self.name = name
        self.fingerprint = f"{policy.fingerprint}/{name}"
        self._inner = policy.in_wording(policy.wording)
        self.strict, self.always_legal = self._inner.strict, self._inner.always_legal
        self.exact_states = self._inner.exact_states
        self._model: Any = policy.loaded.model
        # A dot would end the name of a module.
        self._adapter = name.replace(".", "_")
        with torch.random.fork_rng(devices=[]):
            self._model.load_adapter(str(folder), adapter_name=self._adapter)
        self._model.set_adapter(TRAINED)

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Answer every decision with the copy's weights."""
        with self._active():
            return self._inner.act(decisions)

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the distributions of the copy's weights."""
        with self._active():
            return self._inner.probabilities(decisions)

    def forget(self) -> None:
        """Drop the scored table."""
        self._inner.forget()

    def close(self) -> None:
        """Take the adapter out of the model."""
        self._model.delete_adapter(self._adapter)
        self._model.set_adapter(TRAINED)

    @contextmanager
    def _active(self) -> Iterator[None]:
        self._model.set_adapter(self._adapter, inference_mode=True)
        try:
            yield
        finally:
            self._model.set_adapter(TRAINED)
