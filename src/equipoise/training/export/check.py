"""Compares two forms of one model on real prompts: next-token logits, and probabilities of legal words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from equipoise.policies.local.backbone import Row
from equipoise.policies.local.loading import LoadedModel
from equipoise.policies.local.policy import LocalPolicy
from equipoise.types import Decision

__all__ = ["TOLERANCES", "LogitCheck", "Reading", "read"]

TOLERANCES: Mapping[str, float] = {"float32": 1e-3, "float16": 0.1, "bfloat16": 0.5}
"""Largest difference between logits that rounding explains, by number format: merging rounds every weight."""


@dataclass(frozen=True)
class Reading:
    """What a model says after some prompts.

    Attributes:
        logits: Next-token logits ``[prompts, vocabulary]``, float32, on the CPU.
        probabilities: Of the legal words, one row a prompt.
    """

    logits: torch.Tensor
    probabilities: tuple[tuple[float, ...], ...]

    def compare(self, other: Reading, tolerance: float) -> LogitCheck:
        """Return the largest differences."""
        pairs = zip(self.probabilities, other.probabilities, strict=True)
        return LogitCheck(
            len(self.probabilities),
            float((self.logits - other.logits).abs().max()),
            max(abs(a - b) for one, two in pairs for a, b in zip(one, two, strict=True)),
            tolerance,
        )


@dataclass(frozen=True)
class LogitCheck:
    """How far two forms of a model are apart.

    Attributes:
        prompts: Prompts compared.
        logits: Largest difference of a next-token logit.
        probabilities: Largest difference of the probability of a legal word.
        tolerance: Largest difference of logits that is accepted.
    """

    prompts: int
    logits: float
    probabilities: float
    tolerance: float

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
            f"(accepted {self.tolerance:g}), probabilities of legal words {self.probabilities:.2g}"
        )


def read(loaded: LoadedModel, decisions: Sequence[Decision]) -> Reading:
    """Ask a model, every prompt by itself: no cache stands between the forms that are compared."""
    policy = LocalPolicy(loaded, prefix_cache=False)
    rows = [policy.scorer.prompt_ids(policy.question(decision)) for decision in decisions]
    with torch.no_grad():
        logits = policy.scorer.backbone.logits([Row(ids, (len(ids) - 1,)) for ids in rows])
    probabilities = tuple(tuple(row.values()) for row in policy.probabilities(decisions))
    return Reading(torch.cat(logits).cpu(), probabilities)
