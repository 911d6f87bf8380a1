"""A softmax table as a learner: the smallest policy that the production objective can train."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.exact.tree import InformationKey, Tree
from equipoise.games.base import Game
from equipoise.policies.base import Policy, draw
from equipoise.policies.tabular import TabularPolicy
from equipoise.training.batch import Batch
from equipoise.types import Action, Choice, Decision, Probabilities

__all__ = ["SoftmaxTable", "TabularLearner"]


class SoftmaxTable(Policy):
    """A policy with one logit for every action of every information state."""

    exact_states = 100_000
    always_legal = True

    def __init__(
        self, game: Game, keys: Mapping[InformationKey, tuple[Action, ...]], seed: int, spread: float = 1.0
    ) -> None:
        """Draw the logits.

        Args:
            game: The game, for labels.
            keys: Information states with their legal actions.
            seed: Seed of the logits.
            spread: Their standard deviation; 0 starts uniform.
        """
        self.name = "tabular"
        self.fingerprint = f"table/{seed}"
        self.game = game
        self.legal = dict(keys)
        self.index = {key: row for row, key in enumerate(self.legal)}
        width = max(len(actions) for actions in self.legal.values())
        sizes = np.array([len(actions) for actions in self.legal.values()])
        self.mask = np.arange(width) < sizes[:, None]
        noise = np.random.Generator(np.random.Philox(seed)).standard_normal(self.mask.shape)
        self.logits = np.where(self.mask, spread * noise, -np.inf)

    @classmethod
    def of(cls, game: Game, trees: Iterable[Tree], seed: int, spread: float = 1.0) -> SoftmaxTable:
        """Return a table over all information states of the trees."""
        keys = {key: legal for tree in trees for key, legal in zip(tree.keys, tree.legal, strict=True)}
        return cls(game, keys, seed, spread)

    def rows(self, decisions: Sequence[Decision]) -> NDArray[np.int64]:
        """Return the rows of decisions."""
        return np.array([self.index[d.observation, d.history] for d in decisions], dtype=np.int64)

    def matrix(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (N, A) probabilities."""
        logits = self.logits[rows]
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the distributions."""
        matrix = self.matrix(self.rows(decisions)).tolist()
        return [dict(zip(d.legal or (), row, strict=False)) for d, row in zip(decisions, matrix, strict=True)]

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Draw an action at every decision."""
        rows = self.probabilities(decisions)
        return [Choice(draw(row, d), probabilities=row) for row, d in zip(rows, decisions, strict=True)]

    def table(self) -> TabularPolicy:
        """Return the policy as it is saved."""
        matrix = self.matrix(np.arange(len(self.legal))).tolist()
        rows = {
            self.game.label(*key): dict(zip(legal, row, strict=False))
            for (key, legal), row in zip(self.legal.items(), matrix, strict=True)
        }
        return TabularPolicy(self.game.info_record.key, rows)


class TabularLearner:
    """Plain gradient ascent on the logits of a table."""

    wants: Literal["batch"] = "batch"

    def __init__(self, policy: SoftmaxTable, max_grad_norm: float | None = None) -> None:
        """Take the table; its start is the reference of the KL term."""
        self.policy: SoftmaxTable = policy
        self.reference = policy.logits.copy()
        self.max_grad_norm = max_grad_norm

    def gradient(
        self, batch: Batch, kl: float = 0.0, entropy: float = 0.0
    ) -> tuple[Any, Any, dict[str, float]]:
        """Return the rows of a batch, the ascent direction of their logits, and statistics."""
        rows = self.policy.rows(batch.decisions)
        mask = self.policy.mask[rows]
        width = batch.log_weights.shape[1]
        p = self.policy.matrix(rows)
        log_weights = np.zeros_like(p)
        prob_weights = np.zeros_like(p)
        log_weights[:, :width], prob_weights[:, :width] = batch.log_weights, batch.prob_weights
        logs = np.where(mask, np.log(np.maximum(p, 1e-300)), 0.0)
        reference = self._log_reference(rows, mask)
        divergence = (p * (logs - reference)).sum(axis=1, keepdims=True)
        spread = -(p * logs).sum(axis=1, keepdims=True)
        share = batch.visits[:, None]
        ascent = log_weights - p * log_weights.sum(axis=1, keepdims=True)
        ascent += p * (prob_weights - (p * prob_weights).sum(axis=1, keepdims=True))
        ascent -= kl * share * p * (logs - reference - divergence)
        ascent -= entropy * share * p * (logs + spread)
        stats = {"kl": float((share * divergence).sum()), "entropy": float((share * spread).sum())}
        return rows, np.where(mask, ascent, 0.0), stats

    def update(self, batch: Batch, lr: float, kl: float, entropy: float) -> dict[str, float]:
        """Move the logits one step (see ``Learner``)."""
        rows, ascent, stats = self.gradient(batch, kl, entropy)
        norm = float(np.linalg.norm(ascent))
        if not np.isfinite(norm):
            return {"skipped": 1.0}
        if self.max_grad_norm is not None and norm > self.max_grad_norm:
            ascent *= self.max_grad_norm / norm
        self.policy.logits[rows] += lr * ascent
        self.policy.version += 1
        return {**stats, "skipped": 0.0, "grad_norm": norm}

    def forget(self) -> None:
        """Nothing is cached."""

    def frozen(self, folder: Path, name: str) -> TabularPolicy:
        """Return the table of a folder (see ``Learner``)."""
        table = TabularPolicy.load(folder / "table.json")
        table.name = name
        return table

    def drop(self, policy: Policy) -> None:
        """A table holds nothing."""

    def save_weights(self, folder: Path) -> None:
        """Write ``table.json``."""
        self.policy.table().save(folder / "table.json")

    def save_state(self, folder: Path) -> dict[str, Any]:
        """Return logits and reference, exact in JSON."""
        logits = np.where(self.policy.mask, self.policy.logits, 0.0)
        reference = np.where(self.policy.mask, self.reference, 0.0)
        state = {"logits": logits.tolist(), "reference": reference.tolist(), "version": self.policy.version}
        (folder / "logits.json").write_text(json.dumps(state), encoding="utf-8")
        return {}

    def load(self, folder: Path, state: Mapping[str, Any]) -> None:
        """Take back logits and reference."""
        data = json.loads((folder / "logits.json").read_text(encoding="utf-8"))
        self.policy.logits = np.where(self.policy.mask, np.array(data["logits"]), -np.inf)
        self.reference = np.where(self.policy.mask, np.array(data["reference"]), -np.inf)
        self.policy.version = int(data["version"])

    def _log_reference(self, rows: NDArray[np.int64], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        logits = self.reference[rows]
        top = logits.max(axis=1, keepdims=True)
        total = np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
        return np.where(mask, logits - top - total, 0.0)
