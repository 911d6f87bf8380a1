"""A policy that plays uniformly and keeps what it was asked: it stands in for a model that is not loaded."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.policies.base import Policy, draw
from equipoise.types import Choice, Decision, Probabilities

__all__ = ["Recorder"]


class Recorder(Policy):
    """Uniform play under the terms of a language model: no finite form, few states may be asked unasked.

    Attributes:
        asked: All decisions so far, in order.
    """

    name, fingerprint = "plan", "plan"
    strict = False
    always_legal = True

    def __init__(self, exact_states: int) -> None:
        """Take how many information states may be asked for unasked."""
        self.exact_states = exact_states
        self.asked: list[Decision] = []

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Draw uniformly."""
        rows = self.probabilities(decisions)
        return [Choice(draw(p, d), probabilities=p) for p, d in zip(rows, decisions, strict=True)]

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return uniform distributions."""
        self.asked += decisions
        return [dict.fromkeys(d.legal or (), 1.0 / len(d.legal or (0,))) for d in decisions]

    def take(self) -> list[Decision]:
        """Return what was asked since the last call."""
        asked, self.asked = self.asked, []
        return asked
