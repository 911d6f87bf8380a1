"""What a state abstraction is.

A table with a row for every information state is large where a game is long or information private. A state
abstraction keeps a little of what a seat knows: a memory that moves on when a round ends, and a key made of
the memory and what is seen now. All information states with one key share a row (M. Zinkevich et al.,
*Regret minimization in games with incomplete information*, NeurIPS 2007, abstract in the same way). The
columns of a row are the legal actions, or *rules* that name a legal action at every decision, where legal
actions differ from deal to deal.

Since memory and key are those of a finite-memory strategy (``opponents.base.Strategy``), a table over keys is
valued exactly wherever scripted strategies are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from equipoise.types import Action

__all__ = ["Abstraction"]


@dataclass(frozen=True)
class Abstraction:
    """A named map from information states to the rows of a table.

    Attributes:
        name: Its name, unique in its game.
        summary: What it keeps, in a sentence, for people.
        keys: Every key there is.
        columns: The columns of every row: legal actions, or names of rules.
        key: Maps (memory, observation) to a key.
        first: The memory before the first round.
        learn: Maps (memory, signal) to the next memory; None keeps it.
        rules: Maps (memory, observation) to the legal action of each column; None where the columns are the
            legal actions themselves. Rules may name the same action.
    """

    name: str
    summary: str
    keys: tuple[str, ...]
    columns: tuple[Action, ...]
    key: Callable[[Any, Any], str]
    first: Hashable = None
    learn: Callable[[Any, Any], Hashable] | None = None
    rules: Callable[[Any, Any], tuple[Action, ...]] | None = None

    def update(self, memory: Any, signal: Any) -> Hashable:
        """Return the memory after a round in which ``signal`` was learned."""
        kept: Hashable = memory
        return kept if self.learn is None else self.learn(memory, signal)

    def memory(self, history: tuple[Hashable, ...]) -> Hashable:
        """Return the memory after all signals of a history."""
        memory = self.first
        for signal in history:
            memory = self.update(memory, signal)
        return memory
