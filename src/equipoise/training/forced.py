"""A policy whose first actions of an episode are given, so that a play can be entered where it was before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from equipoise.policies.base import Policy
from equipoise.rollout.deals import DecisionDraws
from equipoise.types import Action, Choice, Decision

__all__ = ["Entry", "Forced"]


@dataclass(frozen=True)
class Entry:
    """Where an episode is entered.

    Attributes:
        actions: The own actions that lead there.
        seed: Seed of the draws that follow.
        owner: Whose draws they are: those of an episode that was there before.
    """

    actions: Sequence[Action]
    seed: int
    owner: str

    def draws(self, seat: int, number: int) -> DecisionDraws:
        """Return the draws of an own decision."""
        return DecisionDraws.of_policy(self.seed, self.owner, seat, number, 0)


class Forced(Policy):
    """Plays given actions at the first own decisions of an episode, then asks a policy.

    Attributes:
        asked: How many decisions the policy was asked.
    """

    always_legal = True

    def __init__(self, policy: Policy, entries: Mapping[str, Entry], alone: bool) -> None:
        """Take the policy, where its episodes are entered, and whether only the round of it matters.

        Args:
            policy: Goes on from there.
            entries: What to play first and what to draw with afterwards, by the episode's identifier.
            alone: Whether rounds are independent: nobody is then asked after the round of the last action.
        """
        self.name, self.version = policy.name, policy.version
        self.asked = 0
        self._policy, self._entries, self._alone = policy, entries, alone
        self._played: dict[str, int] = defaultdict(int)
        self._over: set[str] = set()

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Answer every decision, each once and in the order of its episode."""
        found = [self._given(decision) for decision in decisions]
        left = [one for one in found if isinstance(one, Decision)]
        self.asked += len(left)
        answers = iter(self._policy.act(left) if left else [])
        return [next(answers) if isinstance(one, Decision) else one for one in found]

    def _given(self, decision: Decision) -> Choice | Decision:
        """Return the answer, or what the policy is to be asked."""
        entry, number = self._entries[decision.episode], self._played[decision.episode]
        self._played[decision.episode] += 1
        if number < len(entry.actions):
            return Choice(entry.actions[number])
        if self._alone and decision.step == 0:
            self._over.add(decision.episode)
        if decision.episode in self._over:
            return Choice((decision.legal or ())[0])
        return replace(decision, draws=entry.draws(decision.seat, number))
