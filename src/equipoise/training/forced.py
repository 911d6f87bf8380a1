"""A policy whose first actions of an episode are given, so that a play can be entered where it was before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from equipoise.policies.base import Policy
from equipoise.types import Action, Choice, Decision

__all__ = ["Forced"]


class Forced(Policy):
    """Plays given actions at the first own decisions of an episode, then asks a policy.

    Attributes:
        asked: How many decisions the policy was asked.
    """

    always_legal = True

    def __init__(self, policy: Policy, actions: Mapping[str, Sequence[Action]], alone: bool) -> None:
        """Take the policy, the actions by episode, and whether only their last round matters.

        Args:
            policy: Goes on where the actions end.
            actions: The actions to play first, by the episode's identifier.
            alone: Whether rounds are independent: nobody is then asked after the round of the last action.
        """
        self.name, self.version = policy.name, policy.version
        self.asked = 0
        self._policy, self._actions, self._alone = policy, actions, alone
        self._played: dict[str, int] = defaultdict(int)
        self._over: set[str] = set()

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Answer every decision, each once and in the order of its episode."""
        found = [self._given(decision) for decision in decisions]
        open_ = [decision for decision, choice in zip(decisions, found, strict=True) if choice is None]
        self.asked += len(open_)
        answers = iter(self._policy.act(open_) if open_ else [])
        return [next(answers) if choice is None else choice for choice in found]

    def _given(self, decision: Decision) -> Choice | None:
        actions, number = self._actions[decision.episode], self._played[decision.episode]
        self._played[decision.episode] += 1
        if number < len(actions):
            return Choice(actions[number])
        if self._alone and decision.step == 0:
            self._over.add(decision.episode)
        legal = decision.legal or ()
        return Choice(legal[0]) if decision.episode in self._over else None
