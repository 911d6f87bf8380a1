"""Tokens of questions: with the model's tokenizer where it is at hand, else by a ratio of characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.policies.local.chat import end_of_turn, prompt_ids, word_ids
from equipoise.policies.local.families import Family
from equipoise.policies.local.question import Question
from equipoise.policies.local.tree import TokenTree
from equipoise.policies.local.trie import build_trie
from equipoise.prompts.base import MARKER, Prompt
from equipoise.prompts.registry import get_renderer
from equipoise.types import Decision

__all__ = ["CHARACTERS", "TEMPLATE", "Tokens", "question_of", "tokenizer_at_hand"]

CHARACTERS = 4.0
"""Characters a token, where there is no tokenizer: what tokenizers of large models make of plain English."""

TEMPLATE = 12
"""Tokens that a chat template adds, where there is no tokenizer."""


@dataclass(frozen=True)
class Tokens:
    """Counts the tokens of questions.

    Attributes:
        tokenizer: The model's, or None.
        family: The model's family; says what its template is told.
        shares: Whether what questions have in common is read once.
    """

    tokenizer: Any
    family: Family
    shares: bool
    _read: dict[Prompt, tuple[int, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def exact(self) -> bool:
        """Whether tokens are counted rather than estimated."""
        return self.tokenizer is not None

    @property
    def how(self) -> str:
        """How tokens are counted."""
        if self.exact:
            return "the model's tokenizer"
        return f"{CHARACTERS:g} characters a token and {TEMPLATE} for the chat template: no tokenizer at hand"

    def prompt(self, question: Question) -> float:
        """Return the tokens of a question."""
        return self._scaled(self._ids(question))

    def answer(self, question: Question) -> float:
        """Return the mean tokens of its words."""
        return sum(self._word(word) for word in question.words) / len(question.words)

    def rows(self, questions: Sequence[Question], words: bool) -> list[tuple[int, ...]]:
        """Return what is read: every question, and where ``words`` are scored, the ways to all of them."""
        if words:
            return [row for question in questions for row in self._ways(question)]
        return [self._ids(question) for question in questions]

    def read(self, questions: Sequence[Question], words: bool = True) -> float:
        """Return the tokens that are computed to read questions in one call."""
        rows = self.rows(questions, words)
        if not self.shares:
            return sum(map(self._scaled, rows))
        tree = TokenTree()
        for row in rows:
            tree.add(row)
        return self._scaled(tree.tokens)

    def read_in_chunks(self, questions: Sequence[Question], size: int, words: bool = True) -> float:
        """Return the tokens that are computed where every call reads so many questions at most."""
        return sum(self.read(questions[i : i + size], words) for i in range(0, len(questions), size))

    def _ways(self, question: Question) -> Iterable[tuple[int, ...]]:
        start = self._ids(question)
        if self.tokenizer is None:
            words, end = [tuple(map(ord, f" {word}")) for word in question.words], -1
        else:
            words = [word_ids(word, self.tokenizer) for word in question.words]
            end = end_of_turn(self.tokenizer)
        return [start + path for path, _ in build_trie(words, end).rows()] or [start]

    def _ids(self, question: Question) -> tuple[int, ...]:
        found = self._read.get(question.prompt)
        if found is None:
            found = self._read[question.prompt] = self._encoded(question)
        return found

    def _encoded(self, question: Question) -> tuple[int, ...]:
        if self.tokenizer is None:
            text = question.prompt.rules + question.prompt.situation + MARKER
            return (0,) * round(TEMPLATE * CHARACTERS) + tuple(map(ord, text))
        switches = self.family.thinking(False)
        return prompt_ids(question.prompt, self.tokenizer, prefill=MARKER, switches=switches)

    def _word(self, word: str) -> float:
        if self.tokenizer is None:
            return max(1.0, (1 + len(word)) / CHARACTERS)
        return len(word_ids(word, self.tokenizer))

    def _scaled(self, ids: Sequence[int]) -> float:
        return len(ids) if self.tokenizer is not None else len(ids) / CHARACTERS


def question_of(decision: Decision) -> Question:
    """Return what a language model is asked at a decision, in plain words."""
    renderer = get_renderer(decision.rules.name)
    return Question(renderer.prompt(decision), tuple(renderer.say(action) for action in decision.legal or ()))


def tokenizer_at_hand(spec: str) -> Any:
    """Return the tokenizer of a model if it is on this machine, else None."""
    from transformers import AutoTokenizer

    if spec == "tiny-random":
        from equipoise.policies.local.tiny import tiny_tokenizer

        return tiny_tokenizer()
    place = spec.removeprefix("hf:")
    if spec == "smollm2":
        from equipoise.policies.local.fetch import available_models

        ready = [one.path for one in available_models() if one.name == spec and one.cached]
        if not ready:
            return None
        place = str(ready[0])
    try:
        return AutoTokenizer.from_pretrained(place, local_files_only=True)
    except (OSError, ValueError):
        return None
