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
from equipoise.policies.local.families import family_of
from equipoise.policies.local.question import Question
from equipoise.policies.local.treecache import TreeCache, obstacle
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
        max_tokens: int | None = None,
        keep_bytes: int = 1 << 29,
    ) -> None:
        """Take a model.

        Args:
            model: A causal model of transformers, with or without PEFT adapters.
            tokenizer: Its tokenizer.
            device: Where to move the model; None leaves it where it is.
            prefix_cache: Whether what questions have in common is read once (see ``treecache``).
            deduplicate: Whether identical questions are scored once.
            max_rows: Largest number of padded rows in one pass of the model.
            max_tokens: Largest number of tokens in one pass; None chooses by device.
            keep_bytes: Keys and values kept across calls; when they are more, a call starts afresh.
        """
        self.model = model if device is None else model.to(device)
        self.tokenizer = tokenizer
        self.prefix_cache, self.deduplicate = prefix_cache, deduplicate
        self.backbone = Backbone(model, max_rows=max_rows, max_tokens=max_tokens)
        # After the marker comes the answer, never a chain of thought.
        self._switches = family_of(model.config).thinking(False)
        self._end = end_of_turn(tokenizer)
        self._tries: dict[tuple[str, ...], Trie] = {}
        self._prompts: dict[Question, tuple[int, ...]] = {}
        self._keep_bytes = keep_bytes
        self._obstacle: str | None = None
        self._tried = False
        self._kept: TreeCache | None = None

    def log_probabilities(self, questions: Sequence[Question], *, reuse: bool = False) -> list[torch.Tensor]:
        """Return the log-probabilities of each question's words.

        Args:
            questions: What to score; identical ones are computed once and share their tensor.
            reuse: Use and keep what the model computed for earlier questions (never with gradients).
                The caller must then call :meth:`clear` whenever weights or adapters change.

        Returns:
            For each question a one-dimensional float32 tensor in the order of its words.
        """
        asked = list(dict.fromkeys(questions)) if self.deduplicate else list(questions)
        scores = self.after([self.prompt_ids(q) for q in asked], [q.words for q in asked], reuse=reuse)
        if not self.deduplicate:
            return scores
        by_question = dict(zip(asked, scores, strict=True))
        return [by_question[question] for question in questions]

    def after(
        self,
        starts: Sequence[tuple[int, ...]],
        words: Sequence[tuple[str, ...]],
        *,
        temperature: float = 1.0,
        reuse: bool = False,
    ) -> list[torch.Tensor]:
        """Return the log-probabilities of words that follow given tokens.

        Args:
            starts: What is read before each choice, up to and including the action marker.
            words: The words of each choice.
            temperature: Divides the logits at every branching node.
            reuse: As in :meth:`log_probabilities`.

        Returns:
            For each choice a one-dimensional float32 tensor in the order of its words.
        """
        tries = [self.trie(some) for some in words]
        owners: list[tuple[int, tuple[int, ...]]] = []
        rows: list[Row] = []
        for number, (start, trie) in enumerate(zip(starts, tries, strict=True)):
            for path, passed in trie.rows():
                depths = (len(trie.branches[b].path) for b in passed)
                rows.append(Row(start + path, tuple(len(start) - 1 + d for d in depths)))
                owners.append((number, passed))
        nodes: list[dict[int, torch.Tensor]] = [{} for _ in tries]
        for (number, passed), logits in zip(owners, self.logits(rows, reuse=reuse), strict=True):
            for branch, row in zip(passed, logits, strict=True):
                children = list(tries[number].branches[branch].children)
                nodes[number][branch] = torch.log_softmax(row[children] / temperature, dim=-1)
        return [_combine(t, n, self.model.device) for t, n in zip(tries, nodes, strict=True)]

    def legal_mass(self, questions: Sequence[Question]) -> list[float]:
        """Return the unrestricted probability that the answer begins with a token of a legal word."""
        asked = list(dict.fromkeys(questions))
        rows = [Row(ids, (len(ids) - 1,)) for ids in map(self.prompt_ids, asked)]
        found: dict[Question, float] = {}
        with torch.no_grad():
            logits = self.logits(rows)
        for question, row in zip(asked, logits, strict=True):
            legal = list(self.trie(question.words).first_tokens)
            found[question] = float(torch.softmax(row[0], dim=-1)[legal].sum())
        return [found[question] for question in questions]

    def logits(self, rows: Sequence[Row], *, reuse: bool = False) -> list[torch.Tensor]:
        """Return the wanted next-token logits of each row, float32 ``[positions, vocabulary]``.

        Args:
            rows: What to read; what rows begin with in common is read once.
            reuse: As in :meth:`log_probabilities`.
        """
        if not rows:
            return []
        tree = self.tree(reuse and not torch.is_grad_enabled())
        found = None if tree is None else tree.logits(rows)
        if found is None:
            self._kept = None
            return self.backbone.logits(rows)
        return found

    def prompt_ids(self, question: Question) -> tuple[int, ...]:
        """Return the tokens that the model reads before it chooses."""
        if question not in self._prompts:
            self._prompts[question] = prompt_ids(
                question.prompt, self.tokenizer, prefill=MARKER, switches=self._switches
            )
        return self._prompts[question]

    def trie(self, words: tuple[str, ...]) -> Trie:
        """Return the token trie over a set of words."""
        if words not in self._tries:
            self._tries[words] = build_trie([word_ids(w, self.tokenizer) for w in words], self._end)
        return self._tries[words]

    def clear(self) -> None:
        """Forget what was computed with the current weights."""
        self._kept = None
        self._prompts.clear()

    @property
    def no_tree(self) -> str | None:
        """Why what prompts have in common is read anew for each; None if it is read once."""
        if not self.prefix_cache:
            return "prefix_cache is off"
        if not self._tried:
            self._obstacle, self._tried = obstacle(self.backbone), True
        return self._obstacle

    def tree(self, reuse: bool) -> TreeCache | None:
        """Return a tree to read prompts with; None where the model takes none or settings forbid it.

        Args:
            reuse: Take the tree that is kept until :meth:`clear` is called.
        """
        if self.no_tree is not None:
            return None
        if not reuse:
            return TreeCache(self.backbone)
        if self._kept is None or self._kept.size > self._keep_bytes:
            self._kept = TreeCache(self.backbone)
        return self._kept


def _combine(trie: Trie, nodes: dict[int, torch.Tensor], device: Any) -> torch.Tensor:
    """Add up the log-probabilities of the real choices on the way to each action."""
    if not nodes:
        return torch.zeros(len(trie.steps), device=device)
    return torch.stack([torch.stack([nodes[b][c] for b, c in steps]).sum() for steps in trie.steps])
