"""Policies that play a strategy given in finite-memory form."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from equipoise.errors import NoProbabilitiesError
from equipoise.games.base import Game
from equipoise.games.match import pick
from equipoise.opponents.base import Strategy
from equipoise.policies.base import Policy, draw
from equipoise.types import Choice, Decision, Probabilities

__all__ = ["StrategyPolicy"]

_CACHE = 65_536
"""Memories kept at most; a bound on memory, not on behaviour."""


class StrategyPolicy(Policy):
    """Plays a strategy; its memory is folded anew from the history, so the policy keeps no state."""

    exact_states = 100_000
    always_legal = True

    def __init__(self, strategy: Strategy, name: str | None = None, fingerprint: str = "") -> None:
        """Take the strategy, the name reports use (default ``scripted:NAME``) and its version."""
        self.name = name or f"scripted:{strategy.name}"
        self.fingerprint = fingerprint or self.name
        self._strategy = strategy
        self._start = strategy.start()
        self._memories: dict[tuple[Hashable, tuple[Hashable, ...]], Hashable] = {}

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Draw an action at every decision."""
        choices = []
        for decision in decisions:
            start = self._start[0][0]
            if len(self._start) > 1:
                start = pick(self._start, decision.draws.once("memory"))  # type: ignore[arg-type]
            probabilities = self._answer(self._fold(start, decision.history), decision)
            if len(probabilities) == 1:
                choices.append(Choice(next(iter(probabilities)), probabilities=probabilities))
            else:
                choices.append(Choice(draw(probabilities, decision), probabilities=probabilities))
        return choices

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the strategy's distributions.

        Raises:
            NoProbabilitiesError: The strategy draws its initial memory, which its distribution depends on.
        """
        if len(self._start) > 1:
            raise NoProbabilitiesError(f"{self.name} mixes over initial memories: use its strategy")
        start = self._start[0][0]
        return [self._answer(self._fold(start, d.history), d) for d in decisions]

    def strategy(self, game: Game) -> Strategy | None:
        """Return the strategy."""
        return self._strategy

    def _fold(self, start: Hashable, history: tuple[Hashable, ...]) -> Hashable:
        """Return the memory after a history, going on from the longest part of it already folded."""
        known = self._memories
        done = len(history)
        while done and (start, history[:done]) not in known:
            done -= 1
        memory = known[start, history[:done]] if done else start
        for length in range(done + 1, len(history) + 1):
            memory = self._strategy.update(memory, history[length - 1])
            known[start, history[:length]] = memory
        if len(known) > _CACHE:
            known.clear()
        return memory

    def _answer(self, memory: Any, decision: Decision) -> Probabilities:
        assert decision.legal is not None
        return self._strategy.probabilities(memory, decision.observation, decision.legal)
