"""A local language model as a strategist at an actor's side, in the form that trainers take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from equipoise.policies.base import Policy
from equipoise.policies.local.adviser import LocalAdviser
from equipoise.policies.local.copies import OtherAdapter
from equipoise.policies.strategist import AdvisedPolicy
from equipoise.types import Decision, Generation

__all__ = ["FrozenAdviser", "FrozenStrategist", "LocalStrategist"]


class LocalStrategist(AdvisedPolicy):
    """An advised policy whose strategist's tokens can be trained; the actor stays as it is.

    Attributes:
        adviser: The strategist.
        mode: ``free``: a strategy is plain text.
    """

    adviser: LocalAdviser
    mode = "free"

    def __init__(self, adviser: LocalAdviser, actor: Policy, name: str) -> None:
        """Take the strategist, the actor and the name reports use."""
        super().__init__(adviser, actor, name)
        self.loaded, self.scorer, self.temperature = adviser.loaded, adviser.scorer, adviser.temperature

    @property
    def version(self) -> int:  # type: ignore[override]
        """Training step of the strategist."""
        return self.adviser.version

    @version.setter
    def version(self, step: int) -> None:
        self.adviser.version = step

    def frozen(self, folder: Path, name: str) -> FrozenStrategist:
        """Return the strategist with the weights of a folder, at the side of the same actor."""
        return FrozenStrategist(FrozenAdviser(self.adviser, folder, name), self.actor, name)

    def clear(self) -> None:
        """Forget what the old weights read."""
        self.forget()
        self.adviser.version += 1

    def forget(self) -> None:
        """Forget what strategist and actor read, so that a step does not depend on the one before."""
        self.adviser.forget()
        self.actor.forget()


class FrozenAdviser(LocalAdviser):
    """A strategist as it was: an adapter of its own in the model of the one that goes on learning."""

    def __init__(self, adviser: LocalAdviser, folder: Path, name: str) -> None:
        """Load the weights that a folder holds beside those in training.

        Args:
            adviser: The strategist in training.
            folder: Weights as they were saved.
            name: How reports name it; also the adapter's name.
        """
        super().__init__(
            adviser.loaded, adviser.temperature, adviser.max_new_tokens, name, prompt=adviser.prompt
        )
        self.version = adviser.version
        self.fingerprint = f"{self.fingerprint}/{name}"
        self._adapter = OtherAdapter(adviser.loaded.model, folder, name)

    def advise(self, decisions: Sequence[Decision]) -> list[Generation]:
        """Write strategies with the frozen weights; nothing about them is trained."""
        with self._adapter.active():
            return [replace(made, trainable=False) for made in super().advise(decisions)]

    def close(self) -> None:
        """Take the weights out of the model."""
        self._adapter.close()


class FrozenStrategist(AdvisedPolicy):
    """A strategist as it was, at the actor's side."""

    adviser: FrozenAdviser

    def forget(self) -> None:
        """Forget what strategist and actor read."""
        self.adviser.forget()
        self.actor.forget()

    def close(self) -> None:
        """Take the strategist's weights out of the model."""
        self.adviser.close()
