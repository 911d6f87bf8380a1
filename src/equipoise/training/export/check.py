"""Compares two forms of one model on real prompts: next-token logits, and probabilities of legal words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from equipoise.policies.local.backbone import Row
from equipoise.policies.local.chat import prompt_ids
from equipoise.policies.local.loading import LoadedModel
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.local.scoring import ActionScorer
from equipoise.prompts.registry import get_renderer
from equipoise.prompts.strategist import strategist_prompt
from equipoise.types import Decision

__all__ = ["TOLERANCES", "LogitCheck", "Reading", "read"]

TOLERANCES: Mapping[str, float] = {"float32": 1e-3, "float16": 0.1, "bfloat16": 0.5}
"""Largest difference between logits that rounding explains, by number format: merging rounds every weight."""


@dataclass(frozen=True)
class Reading:
    """What a model says after some prompts.

    Attributes:
        logits: Next-token logits ``[prompts, vocabulary]``, float32, on the CPU.
        probabilities: Of the legal words, or of all tokens after a strategist's prompt; one row a prompt.
        words: What they are probabilities of.
    """

    logits: torch.Tensor
    probabilities: tuple[tuple[float, ...], ...]
    words: str = "legal words"

    def compare(self, other: Reading, tolerance: float) -> LogitCheck:
        """Return the largest differences."""
        pairs = zip(self.probabilities, other.probabilities, strict=True)
        return LogitCheck(
            len(self.probabilities),
            float((self.logits - other.logits).abs().max()),
            max(abs(a - b) for one, two in pairs for a, b in zip(one, two, strict=True)),
            tolerance,
            self.words,
        )


@dataclass(frozen=True)
class LogitCheck:
    """How far two forms of a model are apart.

    Attributes:
        prompts: Prompts compared.
        logits: Largest difference of a next-token logit.
        probabilities: Largest difference of the probability of a legal word, or of a token.
        tolerance: Largest difference of logits that is accepted.
        words: What the probabilities are of.
    """

    prompts: int
    logits: float
    probabilities: float
    tolerance: float
    words: str = "legal words"

    @property
    def passed(self) -> bool:
        """Whether the logits agree; never where one is not a number."""
        return self.logits <= self.tolerance

    def to_json(self) -> dict[str, Any]:
        """Return the check as JSON data."""
        return {
            "prompts": self.prompts,
            "logits": self.logits,
            "probabilities": self.probabilities,
            "tolerance": self.tolerance,
        }

    def __str__(self) -> str:
        """Say it in one line."""
        return (
            f"largest difference on {self.prompts} prompts: logits {self.logits:.2g} "
            f"(accepted {self.tolerance:g}), probabilities of {self.words} {self.probabilities:.2g}"
        )


def read(loaded: LoadedModel, decisions: Sequence[Decision], strategist: bool = False) -> Reading:
    """Ask a model, every prompt by itself: no cache stands between the forms that are compared.

    Args:
        loaded: The model.
        decisions: What it is asked.
        strategist: Whether it is asked for a strategy at each, instead of for an action.
    """
    if strategist:
        prompts = [strategist_prompt(get_renderer(d.rules.name), d) for d in decisions]
        scorer = ActionScorer(loaded.model, loaded.tokenizer, prefix_cache=False)
        logits = _last_logits(scorer, [prompt_ids(prompt, loaded.tokenizer) for prompt in prompts])
        return Reading(logits, tuple(map(tuple, torch.softmax(logits, -1).tolist())), "tokens")
    policy = LocalPolicy(loaded, prefix_cache=False)
    logits = _last_logits(policy.scorer, [policy.scorer.prompt_ids(policy.question(d)) for d in decisions])
    return Reading(logits, tuple(tuple(row.values()) for row in policy.probabilities(decisions)))


def _last_logits(scorer: ActionScorer, rows: Sequence[tuple[int, ...]]) -> torch.Tensor:
    """Return [prompts, vocabulary] logits of the token that follows each prompt, on the CPU."""
    with torch.no_grad():
        return torch.cat(scorer.backbone.logits([Row(ids, (len(ids) - 1,)) for ids in rows])).float().cpu()
