"""Trains a strategist that chooses from a list: plain gradient ascent on its logits, everything exact.

The trainers of language models hand over samples, one a strategy; here each is a row (the prompt) and a piece
of advice (the completion), and its log-probability is that of a softmax. KL to the start and entropy are
exact over the pieces and averaged over the visited decisions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.policies.base import Policy
from equipoise.policies.phrases.adviser import FILE, PhraseAdviser, load_phrases
from equipoise.policies.phrases.policy import PhraseStrategist
from equipoise.training.samples import DecisionSample

__all__ = ["PhraseLearner"]

Array = NDArray[np.float64]
HALVINGS = 10
"""A step is halved at most so often."""


class PhraseLearner:
    """Moves the logits of a :class:`PhraseAdviser` (see ``training.learner.Learner``)."""

    wants: Literal["samples"] = "samples"

    def __init__(
        self, policy: PhraseStrategist, max_grad_norm: float = 1.0, max_step_kl: float = np.inf
    ) -> None:
        """Take the strategist with its actor; its start is the reference of the KL term.

        Args:
            policy: The strategist and its actor.
            max_grad_norm: Gradients are scaled down to this norm.
            max_step_kl: A step is halved until the strategist has moved by at most this KL divergence,
                averaged over the visited decisions.
        """
        self.policy: PhraseStrategist = policy
        self.max_grad_norm, self.max_step_kl = max_grad_norm, max_step_kl
        self.reference = {row: logits.copy() for row, logits in self.adviser.logits.items()}

    @property
    def adviser(self) -> PhraseAdviser:
        """What is trained."""
        return self.policy.adviser

    def gradient(
        self, batch: Sequence[DecisionSample], kl: float = 0.0, entropy: float = 0.0
    ) -> tuple[dict[str, Array], dict[str, float], dict[str, float]]:
        """Return the ascent direction of the logits by key, the share of visits by key, and statistics."""
        counts: dict[str, float] = {}
        ascent: dict[str, Array] = {}
        for sample in batch:
            row = bytes(sample.prompt_ids).decode()
            p = self.adviser.probabilities(row)
            direction = -sample.weight * p
            direction[sample.completion_ids[0]] += sample.weight
            ascent[row] = ascent.get(row, 0.0) + direction
            counts[row] = counts.get(row, 0.0) + 1.0
        visits = {row: count / max(len(batch), 1) for row, count in counts.items()}
        stats = {"kl": 0.0, "entropy": 0.0}
        for row, share in visits.items():
            p, start = self.adviser.probabilities(row), self._reference(row)
            logs, apart = _log(p), _log(p) - _log(start)
            divergence, spread = float(p @ apart), -float(p @ logs)
            ascent[row] -= kl * share * p * (apart - divergence) + entropy * share * p * (logs + spread)
            stats["kl"] += share * divergence
            stats["entropy"] += share * spread
        return ascent, visits, stats

    def update(
        self, batch: Sequence[DecisionSample], lr: float, kl: float, entropy: float
    ) -> dict[str, float]:
        """Move the logits one step (see ``Learner``)."""
        if not all(np.isfinite(sample.weight) for sample in batch):
            return {"skipped": 1.0}
        ascent, visits, stats = self.gradient(batch, kl, entropy)
        norm = float(np.sqrt(sum(float(row @ row) for row in ascent.values())))
        rate = lr * min(1.0, self.max_grad_norm / norm) if norm > 0.0 else 0.0
        before = {row: self.adviser.probabilities(row) for row in ascent}
        size = len(self.adviser.advice)
        old = {row: self.adviser.logits.get(row, np.zeros(size)) for row in ascent}
        taken = 1.0
        for _ in range(HALVINGS + 1):
            for row, direction in ascent.items():
                self.adviser.logits[row] = old[row] + taken * rate * direction
            moved = sum(
                visits[row] * float(p @ (_log(p) - _log(self.adviser.probabilities(row))))
                for row, p in before.items()
            )
            if moved <= self.max_step_kl:
                break
            taken *= 0.5
        self.adviser.version += 1
        return {**stats, "skipped": 0.0, "grad_norm": norm, "step_kl": moved, "step_taken": taken}

    def forget(self) -> None:
        """Drop what the actor has cached."""
        self.policy.forget()

    def frozen(self, folder: Path, name: str) -> Policy:
        """Return the strategist of a folder with the same actor, as it was (see ``Learner``)."""
        return PhraseStrategist(load_phrases(folder, self.adviser.rules, name), self.policy.actor, name)

    def drop(self, policy: Policy) -> None:
        """A list holds nothing."""

    def save_weights(self, folder: Path) -> None:
        """Write ``phrases.json``."""
        folder.mkdir(parents=True, exist_ok=True)
        self.adviser.save(folder / FILE)

    def save_state(self, folder: Path) -> dict[str, Any]:
        """Write the reference, exact in JSON; return the version."""
        rows = {row: logits.tolist() for row, logits in self.reference.items()}
        (folder / "reference.json").write_text(json.dumps(rows), encoding="utf-8")
        return {"version": self.adviser.version}

    def load(self, folder: Path, state: Mapping[str, Any]) -> None:
        """Take back logits and reference."""
        self.adviser.logits = load_phrases(folder, self.adviser.rules).logits
        rows = json.loads((folder / "reference.json").read_text(encoding="utf-8"))
        self.reference = {row: np.array(logits) for row, logits in rows.items()}
        self.adviser.version = int(state["version"])

    def _reference(self, row: str) -> Array:
        return PhraseAdviser.softmax(self.reference.get(row), len(self.adviser.advice))


def _log(p: Array) -> Array:
    return np.asarray(np.log(np.maximum(p, 1e-300)))
