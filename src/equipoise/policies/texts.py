"""Policies that speak: scripted actors of free-text tasks."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.policies.base import Policy
from equipoise.tasks.registry import Actor
from equipoise.types import Choice, Decision

__all__ = ["ActorPolicy"]


class ActorPolicy(Policy):
    """Says what a scripted actor says: a function of the decision, so the policy keeps no state."""

    always_legal = True

    def __init__(self, actor: Actor, name: str, fingerprint: str = "") -> None:
        """Take the actor, the name reports use and its version."""
        self.actor, self.name = actor, name
        self.fingerprint = fingerprint or name

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Let the actor speak at every decision."""
        return [Choice(self.actor(decision)) for decision in decisions]
