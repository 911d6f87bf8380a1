"""An actor with a strategist that chooses from a list at its side, and the two as one distribution."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from equipoise.errors import NoProbabilitiesError
from equipoise.games.base import Game
from equipoise.opponents.base import Classifier, Strategy
from equipoise.policies.abstractions.base import Abstraction
from equipoise.policies.base import Policy
from equipoise.policies.coached import CoachedPolicy
from equipoise.policies.phrasebook import intended, recall
from equipoise.policies.phrases.adviser import PhraseAdviser
from equipoise.policies.strategist import AdvisedPolicy
from equipoise.rollout.deals import DecisionDraws
from equipoise.types import Action, Decision, Probabilities

__all__ = ["PhraseStrategist"]


class PhraseStrategist(AdvisedPolicy):
    """A strategist with a finite list of advice, and its actor.

    Where the actor is ``coached:``, which heeds the newest piece only, the two are a distribution over
    actions: the mean of what it does over the pieces.

    Attributes:
        adviser: The strategist.
    """

    adviser: PhraseAdviser

    def __init__(self, adviser: PhraseAdviser, actor: Policy, name: str) -> None:
        """Take the strategist, the actor and the name reports use."""
        super().__init__(adviser, actor, name)
        self.exact_states = 100_000 if isinstance(actor, CoachedPolicy) else 0

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the distributions over actions, whatever was advised before.

        Raises:
            NoProbabilitiesError: The actor may heed more than the newest piece, or gives no probabilities.
        """
        if not isinstance(self.actor, CoachedPolicy):
            raise NoProbabilitiesError(
                f"actor {self.actor.name!r} may heed all advice there was: audit it without --exact"
            )
        advice = self.adviser.advice
        told = [replace(d, advice=(piece,)) for d in decisions for piece in advice]
        answers = iter(self.actor.probabilities(told))
        rows = [self.adviser.probabilities(self.adviser.key.of(d)) for d in decisions]
        return [_mixed(row, [next(answers) for _ in advice]) for row in rows]

    def strategy(self, game: Game) -> Strategy | None:
        """Return the two in finite-memory form, where advice reads the last round at most."""
        kept, deep = self.adviser.key.abstraction, recall(game.name)
        if not isinstance(self.actor, CoachedPolicy) or kept is None or deep is None or deep > 1:
            return None
        own = self.actor.own.strategy(game)
        return None if own is None else _Together(self, kept, own, game)

    def forget(self) -> None:
        """Forget what the actor read."""
        self.actor.forget()


class _Together(Strategy):
    """Strategist and actor: memory is that of the key, the last round, and that of the actor's own policy."""

    source = "a strategist with a list of advice, and an actor that follows it"
    classifier = Classifier(memory_depth=None, stochastic=True, uses_horizon=True, knows_private=True)

    def __init__(self, policy: PhraseStrategist, kept: Abstraction, own: Strategy, game: Game) -> None:
        self.name = policy.name
        self._adviser, self._kept, self._own, self._game = policy.adviser, kept, own, game
        self._reads = bool(recall(game.name))

    def start(self) -> tuple[tuple[Any, float], ...]:
        return tuple(((self._kept.first, (), memory), share) for memory, share in self._own.start())

    def probabilities(self, memory: Any, observation: Any, legal: tuple[Action, ...]) -> Probabilities:
        key, last, own = memory
        row = self._adviser.probabilities(self._kept.key(key, observation))
        draws = DecisionDraws("advice", "advice")
        asked = Decision(self._game, "advice", 0, 0, 0, 0, legal, observation, last, draws)
        alone = self._own.probabilities(own, observation, legal)
        told = [intended(piece, asked) for piece in self._adviser.advice]
        return _mixed(row, [alone if action is None else {action: 1.0} for action in told])

    def update(self, memory: Any, signal: Any) -> Any:
        key, _, own = memory
        last = (signal,) if self._reads else ()
        return self._kept.update(key, signal), last, self._own.update(own, signal)


def _mixed(shares: Iterable[float], rows: Sequence[Probabilities]) -> Probabilities:
    found: dict[Action, float] = {}
    for share, row in zip(shares, rows, strict=True):
        for action, p in row.items():
            found[action] = found.get(action, 0.0) + float(share) * p
    return found
