"""The ``think`` mode: free reasoning up to a budget, then an action chosen among the legal ones.

A thought ends where the model writes the action marker, ends its turn, or has used its budget; whatever it
did, the marker follows and the action is scored as in ``choose`` (see ``scoring``), so that no answer is ever
invalid. A choice has two generations: the thought, sampled from the whole vocabulary, and the action, sampled
among the tokens of legal words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from equipoise.policies.base import draw
from equipoise.policies.local.chat import reopened_ids
from equipoise.policies.local.chats import Chats
from equipoise.policies.local.chosen import action_generation
from equipoise.policies.local.families import Family, family_of
from equipoise.policies.local.loading import LoadedModel
from equipoise.policies.local.question import Question
from equipoise.policies.local.sampling import Sampled
from equipoise.policies.local.scoring import ActionScorer
from equipoise.policies.local.writing import Writer
from equipoise.prompts.base import MARKER, Prompt
from equipoise.types import Action, Choice, Decision, Generation

__all__ = ["ASK", "PLAIN_THOUGHT", "ThinkText", "Thinking", "thinking_of"]

ASK = "\nThink about it first, in a few sentences; then give that line."
"""What is added to a prompt: without it the game's own words ask for the line alone."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """How the thoughts of a model end; models with tags for their reasoning have another than the usual one.

    Attributes:
        end: The text that ends a thought.
        ended: What is put between a thought that ended so and the action.
        cut: What is put there after any other thought.
        opening: What is put before a thought.
    """

    end: str = MARKER
    ended: str = ""
    cut: str = f"\n{MARKER}"
    opening: str = ""


PLAIN_THOUGHT = Thinking()
"""Thoughts as plain text of the answer, which every model can write."""


def thinking_of(family: Family) -> Thinking:
    """Return how the thoughts of a family end: its own tags where it has some."""
    if family.thought is None:
        return PLAIN_THOUGHT
    opening, close = family.thought
    return Thinking(close, f"\n\n{MARKER}", f"\n{close}\n\n{MARKER}", opening)


class ThinkText:
    """Answers decisions by writing a thought and choosing after it."""

    def __init__(
        self,
        loaded: LoadedModel,
        scorer: ActionScorer,
        *,
        temperature: float,
        thought_tokens: int,
        max_rows: int,
        chats: Chats,
        form: Thinking | None = None,
    ) -> None:
        """Take a model, its scorer and the settings.

        Args:
            loaded: The model.
            scorer: Scores the actions; its token tree reads the prompts.
            temperature: Divides the logits of thoughts and of actions; 0 takes the likeliest.
            thought_tokens: Budget of a thought.
            max_rows: Largest batch.
            chats: Makes the prompts.
            form: How thoughts end; None does it the way of the model's family.
        """
        self._family = family_of(loaded.model.config)
        self.loaded, self.scorer, self.chats = loaded, scorer, chats
        self.form = form or thinking_of(self._family)
        self.temperature, self.thought_tokens = temperature, thought_tokens
        self.writer = Writer(loaded, scorer, temperature=temperature, max_rows=max_rows)

    def answer(self, decisions: Sequence[Decision], questions: Sequence[Question]) -> list[Choice]:
        """Return a choice for each decision, given what it asks."""
        prompts = [self._prompt(*one) for one in zip(decisions, questions, strict=True)]
        uniforms = [decision.draws.uniform for decision in decisions]
        thoughts = self.writer.write(prompts, uniforms, self.thought_tokens, self.form.end)
        starts = [p + self._lead(thought) for p, thought in zip(prompts, thoughts, strict=True)]
        with torch.no_grad():
            words = [question.words for question in questions]
            scored = self.scorer.after(starts, words, temperature=self.temperature or 1.0, reuse=True)
        choices = []
        for i, (decision, question, logs) in enumerate(zip(decisions, questions, scored, strict=True)):
            row = _normalised(logs.tolist())
            action = self._pick(decision, row)
            number = (decision.legal or ()).index(action)
            trie = self.scorer.trie(question.words)
            made = action_generation(trie, starts[i], question.words, row, number)
            self.chats.keep(decision, made.prompt_ids + made.ids)
            choices.append(Choice(action, generations=(self._thought(prompts[i], thoughts[i]), made)))
        return choices

    def _prompt(self, decision: Decision, question: Question) -> tuple[int, ...]:
        switches = self._family.thinking(self.form.end != MARKER)
        asked, opening = _asking(question.prompt), self.form.opening
        return self.chats.prompt(decision, asked, prefill=opening, switches=switches)

    def _lead(self, thought: Sampled) -> tuple[int, ...]:
        """Return what lies between prompt and action: the thought, and what its end lacks of the marker."""
        ids, tokenizer = thought.ids, self.loaded.tokenizer
        text = str(tokenizer.decode(list(ids)))
        # The token that completed the text may go on after it.
        whole = self.form.ended if text.endswith(self.form.end) else self.form.cut
        if ids and ids[-1] in self.writer.stop_ids:
            turn = reopened_ids(tokenizer, switches=self._family.thinking(False))
            if turn:
                # The action has a turn of its own, so that its prompt goes on from all that was sampled.
                return ids + turn[turn[0] == ids[-1] :] + self._encoded(MARKER)
            ids = ids[:-1]
        return ids + self._encoded(whole)

    def _encoded(self, text: str) -> tuple[int, ...]:
        return tuple(self.loaded.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _thought(self, prompt: tuple[int, ...], thought: Sampled) -> Generation:
        mask = (1,) * len(thought.ids)
        text = self.writer.text(thought.ids)
        return Generation("thought", prompt, thought.ids, thought.logprobs, mask, thought.stop, text=text)

    def _pick(self, decision: Decision, row: Sequence[float]) -> Action:
        probabilities = dict(zip(decision.legal or (), row, strict=True))
        if self.temperature == 0.0:
            return max(probabilities, key=lambda action: probabilities[action])
        return draw(probabilities, decision)


def _asking(prompt: Prompt) -> Prompt:
    return replace(prompt, situation=prompt.situation + ASK)


def _normalised(logs: Sequence[float]) -> tuple[float, ...]:
    """Return probabilities that sum to 1 in double precision."""
    weights = [math.exp(value - max(logs)) for value in logs]
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights)
