"""What a language model is asked: a prompt and the words among which it chooses."""

from __future__ import annotations

import json
from dataclasses import dataclass

from equipoise.prompts.base import Prompt

__all__ = ["Question"]


@dataclass(frozen=True, slots=True)
class Question:
    """A choice between words; equal for all decisions that the model cannot tell apart.

    Attributes:
        prompt: What the model reads.
        words: The words for the legal actions, in the order of the rules.
    """

    prompt: Prompt
    words: tuple[str, ...]

    @property
    def key(self) -> str:
        """The question as one line of text, reversible by :meth:`from_key`."""
        return json.dumps([self.prompt.rules, self.prompt.situation, *self.words], ensure_ascii=False)

    @classmethod
    def from_key(cls, key: str) -> Question:
        """Read a question written by :attr:`key`."""
        rules, situation, *words = json.loads(key)
        return cls(Prompt(rules, situation), tuple(words))
