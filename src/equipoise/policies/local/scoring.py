"""Exact action probabilities of a language model: the ``choose`` mode.

The legal words are scored through a token trie (see ``trie``), renormalised over legal continuations: never
illegal, no sampling noise, and a single pass of the model for all questions. Works with and without
gradients: trainers call it to differentiate through the probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from equipoise.policies.local.backbone import Backbone, Row
from equipoise.policies.local.chat import end_of_turn, prompt_ids, word_ids
from equipoise.policies.local.prefixes import Prefixes
from equipoise.policies.local.question import Question
from equipoise.policies.local.trie import Trie, build_trie
from equipoise.prompts.base import MARKER

__all__ = ["ActionScorer", "Question"]


class ActionScorer:
    """Scores the words of questions with a causal language model.

    The model's mode (train or eval), its gradients and its active adapter are the caller's business.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        device: str | None = None,
        *,
        prefix_cache: bool = True,
        deduplicate: bool = True,
        max_rows: int = 64,
        max_tokens: int = 2048,
    ) -> None:
        """Take a model.

        Args:
            model: A causal model of transformers, with or without PEFT adapters.
            tokenizer: Its tokenizer.
            device: Where to move the model; None leaves it where it is.
            prefix_cache: Whether the rules shared by questions are encoded once.
            deduplicate: Whether identical questions are scored once.
            max_rows: Largest number of rows in one pass of the model.
            max_tokens: Largest number of padded tokens in one pass.
        """
        self.model = model if device is None else model.to(device)
        self.tokenizer = tokenizer
        self.prefix_cache, self.deduplicate = prefix_cache, deduplicate
        self.backbone = Backbone(model, max_rows=max_rows, max_tokens=max_tokens)
        self._end = end_of_turn(tokenizer)
        self._tries: dict[tuple[str, ...], Trie] = {}
        self._prompts: dict[Question, tuple[int, ...]] = {}
        self._prefixes = Prefixes(self.backbone, tokenizer, prefill=MARKER)

    def log_probabilities(
        self, questions: Sequence[Question], *, reuse_prefix: bool = False
    ) -> list[torch.Tensor]:
        """Return the log-probabilities of each question's words.

        Args:
            questions: What to score; identical ones are computed once and share their tensor.
            reuse_prefix: Keep the encoded rules for later calls (never with gradients). The caller must
                then call :meth:`clear` whenever weights or adapters change.

        Returns:
            For each question a one-dimensional float32 tensor in the order of its words.
        """
        asked = list(dict.fromkeys(questions)) if self.deduplicate else list(questions)
        tries = [self.trie(question.words) for question in asked]
        owners: list[tuple[int, tuple[int, ...]]] = []
        rows: list[Row] = []
        for number, (question, trie) in enumerate(zip(asked, tries, strict=True)):
            start = self.prompt_ids(question)
            for path, passed in trie.rows():
                depths = (len(trie.branches[b].path) for b in passed)
                rows.append(Row(start + path, tuple(len(start) - 1 + d for d in depths)))
                owners.append((number, passed))
        nodes: list[dict[int, torch.Tensor]] = [{} for _ in asked]
        groups = [asked[number].prompt.rules for number, _ in owners]
        for (number, passed), logits in zip(owners, self._logits(rows, groups, reuse_prefix), strict=True):
            for branch, row in zip(passed, logits, strict=True):
                children = list(tries[number].branches[branch].children)
                nodes[number][branch] = torch.log_softmax(row[children], dim=-1)
        scores = [_combine(t, n, self.model.device) for t, n in zip(tries, nodes, strict=True)]
        if not self.deduplicate:
            return scores
        by_question = dict(zip(asked, scores, strict=True))
        return [by_question[question] for question in questions]

    def legal_mass(self, questions: Sequence[Question]) -> list[float]:
        """Return the unrestricted probability that the answer begins with a token of a legal word."""
        asked = list(dict.fromkeys(questions))
        rows = [Row(ids, (len(ids) - 1,)) for ids in map(self.prompt_ids, asked)]
        found: dict[Question, float] = {}
        with torch.no_grad():
            logits = self._logits(rows, [question.prompt.rules for question in asked], False)
        for question, row in zip(asked, logits, strict=True):
            legal = list(self.trie(question.words).first_tokens)
            found[question] = float(torch.softmax(row[0], dim=-1)[legal].sum())
        return [found[question] for question in questions]

    def prompt_ids(self, question: Question) -> tuple[int, ...]:
        """Return the tokens that the model reads before it chooses."""
        if question not in self._prompts:
            self._prompts[question] = prompt_ids(question.prompt, self.tokenizer, prefill=MARKER)
        return self._prompts[question]

    def trie(self, words: tuple[str, ...]) -> Trie:
        """Return the token trie over a set of words."""
        if words not in self._tries:
            self._tries[words] = build_trie([word_ids(w, self.tokenizer) for w in words], self._end)
        return self._tries[words]

    def clear(self) -> None:
        """Forget what was computed with the current weights."""
        self._prefixes.clear()
        self._prompts.clear()

    def _logits(self, rows: Sequence[Row], groups: Sequence[str], reuse: bool) -> list[torch.Tensor]:
        """Return the wanted logits of each row; rows of one group share their rules."""
        found: dict[int, torch.Tensor] = {}
        for group in dict.fromkeys(groups):
            members = [i for i, g in enumerate(groups) if g == group]
            picked = [rows[i] for i in members]
            prefix = None
            if self.prefix_cache:
                # A prefix must leave every position that is asked for to the rows.
                limit = min(min(row.positions) for row in picked)
                prefix = self._prefixes.get(group, [row.ids for row in picked], limit, keep=reuse)
            found.update(zip(members, self.backbone.logits(picked, prefix), strict=True))
        return [found[i] for i in range(len(rows))]


def _combine(trie: Trie, nodes: dict[int, torch.Tensor], device: Any) -> torch.Tensor:
    """Add up the log-probabilities of the real choices on the way to each action."""
    if not nodes:
        return torch.zeros(len(trie.steps), device=device)
    return torch.stack([torch.stack([nodes[b][c] for b, c in steps]).sum() for steps in trie.steps])
