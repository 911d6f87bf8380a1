"""A strategist and an actor as one policy: the strategist says what to aim for, the actor does it.

After EPO (arXiv 2502.12486): a strategist proposes a short strategy at each of its turns; a frozen
actor, any policy, gets it as private advice and acts. The other side sees only what the actor does. The
strategist's past strategies come back to it with the decision (``Decision.advice``), so that both stay
functions of what their seat knows.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from equipoise.errors import PolicyError
from equipoise.policies.base import AnyPolicy, AsyncPolicy, Policy
from equipoise.types import STRATEGIST, Choice, Decision, Generation, StopReason

__all__ = ["AdvisedPolicy", "Adviser", "FunctionAdviser", "advised", "as_strategy"]

LONGEST = 400
"""Characters of a strategy; what is longer is cut."""


class Adviser(Protocol):
    """Something that proposes strategies.

    Attributes:
        name: How reports name it.
        fingerprint: Identifies its behaviour.
        version: Training step.
    """

    name: str
    fingerprint: str
    version: int

    def advise(self, decisions: Sequence[Decision]) -> list[Generation]:
        """Return a strategy for each decision, as a generation of role ``strategist``."""
        ...


class FunctionAdviser:
    """A function from a decision to a strategy, as an adviser; nothing about it can be trained."""

    version = 0

    def __init__(self, function: Callable[[Decision], str], name: str, fingerprint: str) -> None:
        """Take the function, its name and what identifies it."""
        self.function, self.name, self.fingerprint = function, name, fingerprint

    def advise(self, decisions: Sequence[Decision]) -> list[Generation]:
        """Return the function's strategies.

        Raises:
            PolicyError: The function returned something other than text.
        """
        found = []
        for decision in decisions:
            text = self.function(decision)
            if not isinstance(text, str):
                raise PolicyError(f"strategist {self.name!r} returned {text!r}: it must return text")
            found.append(
                Generation(
                    STRATEGIST, (), (), (), (), StopReason.FINISHED, trainable=False, text=as_strategy(text)
                )
            )
        return found


class AdvisedPolicy(Policy):
    """An actor with a strategist at its side.

    Attributes:
        adviser: The strategist.
        actor: The actor; whatever it generates is not trained.
    """

    def __init__(self, adviser: Adviser, actor: Policy, name: str) -> None:
        """Take the strategist, the actor and the name reports use."""
        self.adviser, self.actor, self.name = adviser, actor, name
        self.fingerprint = f"strategist/{adviser.fingerprint}/{actor.fingerprint}"
        self.strict, self.always_legal, self.deals = actor.strict, actor.always_legal, actor.deals

    @property
    def version(self) -> int:  # type: ignore[override]
        """Training step of the strategist."""
        return self.adviser.version

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Ask the strategist, then the actor with its advice."""
        made = self.adviser.advise(decisions)
        choices = self.actor.act([_told(d, one) for d, one in zip(decisions, made, strict=True)])
        return [_joined(one, choice) for one, choice in zip(made, choices, strict=True)]


class _AdvisedAsync(AsyncPolicy):
    """The same for an actor that answers in its own time."""

    def __init__(self, adviser: Adviser, actor: AsyncPolicy, name: str) -> None:
        self.adviser, self.actor, self.name = adviser, actor, name
        self.fingerprint = f"strategist/{adviser.fingerprint}/{actor.fingerprint}"
        self.strict, self.deals, self.limit = actor.strict, actor.deals, actor.limit
        self._alone = threading.Lock()

    @property
    def version(self) -> int:  # type: ignore[override]
        """Training step of the strategist."""
        return self.adviser.version

    async def decide(self, decision: Decision) -> Choice:
        """Ask the strategist, then the actor with its advice; a local strategist answers one at a time."""
        made = await asyncio.to_thread(self._advise, decision)
        return _joined(made, await self.actor.decide(_told(decision, made)))

    async def close(self) -> None:
        """Let the actor close its connections."""
        await self.actor.close()

    def _advise(self, decision: Decision) -> Generation:
        with self._alone:
            return self.adviser.advise([decision])[0]


def advised(adviser: Adviser, actor: AnyPolicy, name: str | None = None) -> AnyPolicy:
    """Return an actor with a strategist at its side, of the actor's own kind.

    Args:
        adviser: The strategist.
        actor: The actor.
        name: How reports name both; ``strategist:ADVISER>ACTOR`` if None.
    """
    name = name or f"strategist:{adviser.name}>{actor.name}"
    if isinstance(actor, AsyncPolicy):
        return _AdvisedAsync(adviser, actor, name)
    return AdvisedPolicy(adviser, actor, name)


def as_strategy(text: str) -> str:
    """Return a text as one line of at most 400 characters; data, whatever it says."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def _told(decision: Decision, made: Generation) -> Decision:
    return replace(decision, advice=(*decision.advice, made.text))


def _joined(made: Generation, choice: Choice) -> Choice:
    frozen = tuple(replace(one, trainable=False) for one in choice.generations)
    return replace(choice, generations=(made, *frozen))
