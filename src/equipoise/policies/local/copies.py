"""Frozen copies of a language model that is being trained: further adapters in the same model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch

from equipoise.policies.base import Policy
from equipoise.policies.local.policy import LocalPolicy
from equipoise.types import Choice, Decision, Probabilities

__all__ = ["AdapterCopy", "FrozenCopy", "OtherAdapter"]

TRAINED = "default"
"""Name of the adapter that is trained, in the model."""


class OtherAdapter:
    """A further adapter in a model whose own one is being trained.

    Attributes:
        name: Its name in the model.
    """

    def __init__(self, model: Any, folder: Path, name: str) -> None:
        """Load the adapter of a folder beside the one that is trained."""
        self._model = model
        # A dot would end the name of a module.
        self.name = name.replace(".", "_")
        with torch.random.fork_rng(devices=[]):
            model.load_adapter(str(folder), adapter_name=self.name)
        model.set_adapter(TRAINED)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Put it in the place of the one that is trained."""
        self._model.set_adapter(self.name, inference_mode=True)
        try:
            yield
        finally:
            self._model.set_adapter(TRAINED)

    def close(self) -> None:
        """Take it out of the model."""
        self._model.delete_adapter(self.name)
        self._model.set_adapter(TRAINED)


@runtime_checkable
class FrozenCopy(Protocol):
    """A frozen copy of a policy that is trained; it sits in the same model until it is closed."""

    def close(self) -> None:
        """Take its weights out of the model."""
        ...


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
        self._adapter = OtherAdapter(policy.loaded.model, folder, name)

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Answer every decision with the copy's weights."""
        with self._adapter.active():
            return self._inner.act(decisions)

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the distributions of the copy's weights."""
        with self._adapter.active():
            return self._inner.probabilities(decisions)

    def forget(self) -> None:
        """Drop the scored table."""
        self._inner.forget()

    def close(self) -> None:
        """Take the adapter out of the model."""
        self._adapter.close()
