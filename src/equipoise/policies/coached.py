"""A scripted actor that follows advice it understands, and otherwise plays a strategy of its own.

It stands in for a language model as the actor of a strategist where runs must be cheap and repeatable: what
it understands is written down (``phrasebook``), so a strategist can learn it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from equipoise.games.base import Game
from equipoise.opponents.base import Strategy
from equipoise.policies.base import Policy
from equipoise.policies.phrasebook import intended
from equipoise.types import Choice, Decision, Probabilities

__all__ = ["CoachedPolicy"]


class CoachedPolicy(Policy):
    """Does what the newest advice asks for; where it asks for nothing, what another policy does."""

    always_legal = True

    def __init__(self, own: Policy) -> None:
        """Take the policy that plays where advice says nothing."""
        self.own, self.name = own, f"coached:{own.name.removeprefix('scripted:')}"
        self.fingerprint = f"coached/1/{own.fingerprint}"
        self.strict, self.deals = own.strict, own.deals

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Follow advice where there is some that means something."""
        told = [intended(d.advice[-1], d) if d.advice else None for d in decisions]
        asked = [replace(d, advice=()) for d, action in zip(decisions, told, strict=True) if action is None]
        others = iter(self.own.act(asked) if asked else [])
        return [Choice(action) if action is not None else next(others) for action in told]

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return what it does with certainty where it is told, its own policy's distributions elsewhere."""
        told = [intended(d.advice[-1], d) if d.advice else None for d in decisions]
        asked = [replace(d, advice=()) for d, action in zip(decisions, told, strict=True) if action is None]
        others = iter(self.own.probabilities(asked) if asked else [])
        return [{action: 1.0} if action is not None else next(others) for action in told]

    def strategy(self, game: Game) -> Strategy | None:
        """Return what it plays without advice, in finite-memory form."""
        return self.own.strategy(game)
