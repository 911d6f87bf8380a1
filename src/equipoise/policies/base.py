"""What a policy is.

A local policy answers a batch of decisions at once (:class:`Policy`); an endpoint or a program answers one
decision whenever it is ready (:class:`AsyncPolicy`). The engine plays both. A policy is a function of what
a seat knows: it keeps no state between calls that changes its answers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.errors import NoProbabilitiesError, PolicyError
from equipoise.games.base import Game
from equipoise.games.match import pick
from equipoise.opponents.base import Strategy
from equipoise.types import Action, Choice, Decision, Probabilities

__all__ = ["AnyPolicy", "AsyncPolicy", "Policy", "check_distribution", "draw"]


class Policy(ABC):
    """A policy that answers a batch of decisions.

    Attributes:
        name: How reports name it; also a policy spec where one exists.
        fingerprint: Identifies its behaviour (file hash, weights hash); stored with results.
        exact_states: How many information states it may be asked for unasked, to compute exact values;
            large for functions, small for language models, 0 where it gives no probabilities.
        strict: Whether a wrong answer is an error (scripted, tabular, ``python:``) or data (models).
        always_legal: Whether an invalid answer is impossible by construction.
        version: Training step, stored with every episode.
        deals: Deals per opponent that an audit plays unless told otherwise.
    """

    name: str
    fingerprint: str = ""
    exact_states: int = 0
    deals: int = 100
    strict: bool = True
    always_legal: bool = False
    version: int = 0

    @abstractmethod
    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Answer every decision, in order."""

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the distribution over legal actions at every decision.

        Raises:
            NoProbabilitiesError: The policy cannot give probabilities.
        """
        raise NoProbabilitiesError(
            f"policy {self.name!r} gives no action probabilities: audit it without --exact"
        )

    def strategy(self, game: Game) -> Strategy | None:
        """Return the policy's finite-memory form, if it has one."""
        return None

    def forget(self) -> None:
        """Drop what is cached: what comes next then does not depend, in any bit, on what came before."""
        return

    def state_dict(self) -> dict[str, Any]:
        """Return what must be kept for a resumed run to be the same as an uninterrupted one.

        What was scored goes under ``table``, a mapping that only grows while the policy stays the same.
        """
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` returned."""
        return


class AsyncPolicy(ABC):
    """A policy that answers one decision at a time, in its own time.

    Attributes:
        name: How reports name it.
        fingerprint: Identifies its behaviour.
        strict: Whether a wrong answer is an error; for endpoints it is data.
        version: Training step, 0 for endpoints.
        limit: Largest number of open requests.
        deals: Deals per opponent that an audit plays unless told otherwise.
    """

    name: str
    fingerprint: str = ""
    deals: int = 40
    strict: bool = False
    version: int = 0
    limit: int = 16

    def forget(self) -> None:
        """Drop what is cached (see ``Policy``)."""
        return

    async def close(self) -> None:
        """Let go of connections and processes; what is asked afterwards opens them again."""
        return

    @abstractmethod
    async def decide(self, decision: Decision) -> Choice:
        """Answer a decision."""


AnyPolicy = Policy | AsyncPolicy


def draw(probabilities: Probabilities, decision: Decision, purpose: str = "action") -> Action:
    """Draw an action with the decision's own randomness, in the order of its legal actions."""
    legal = decision.legal or tuple(probabilities)
    outcomes = [(action, probabilities.get(action, 0.0)) for action in legal]
    return pick(outcomes, decision.draws.uniform(purpose))  # type: ignore[return-value]


def check_distribution(answer: Any, legal: Sequence[Action], owner: str) -> Probabilities:
    """Turn a policy function's answer, an action or a mapping, into a distribution over legal actions.

    Raises:
        PolicyError: The action is not legal, a probability is no number in [0, 1], or they do not
            sum to 1 (within 1e-6).
    """
    if not isinstance(answer, Mapping):
        if not _is_legal(answer, legal):
            raise PolicyError(f"{owner} returned {answer!r}, which is not legal: choose one of {list(legal)}")
        return {answer: 1.0}
    for action, probability in answer.items():
        if not _is_legal(action, legal):
            raise PolicyError(f"{owner} gave a probability to {action!r}, not one of {list(legal)}")
        if not _is_probability(probability):
            raise PolicyError(f"{owner} gave {action!r} the probability {probability!r}, not one in [0, 1]")
    total = math.fsum(float(p) for p in answer.values())
    if abs(total - 1.0) > 1e-6:
        raise PolicyError(f"{owner} gave probabilities that sum to {total:g}, not 1: {dict(answer)!r}")
    return {action: float(p) / total for action, p in answer.items()}


def _is_legal(action: Any, legal: Sequence[Action]) -> bool:
    """Tell whether an answer is a legal action; True is not 1, and unhashable answers are not legal."""
    return any(type(action) is type(known) and action == known for known in legal)


def _is_probability(value: Any) -> bool:
    try:
        return not isinstance(value, bool) and 0.0 <= float(value) <= 1.0
    except (TypeError, ValueError):
        return False
