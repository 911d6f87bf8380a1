"""A softmax table as a learner: the smallest policy that the production objective can train."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.exact.tree import Tree
from equipoise.errors import PolicyError
from equipoise.games.base import Game
from equipoise.opponents.base import Strategy
from equipoise.policies.abstract import AbstractPolicy, load_table, merged
from equipoise.policies.abstractions.base import Abstraction
from equipoise.policies.base import Policy, draw
from equipoise.policies.tabular import TabularPolicy
from equipoise.training.batch import Batch
from equipoise.types import Action, Choice, Decision, Probabilities

__all__ = ["SoftmaxTable", "TabularLearner"]


class SoftmaxTable(Policy):
    """A policy with one logit for every column of every row.

    Rows are information states and columns their legal actions, or both are those of an abstraction.
    """

    exact_states = 100_000
    always_legal = True

    def __init__(
        self,
        game: Game,
        keys: Mapping[Hashable, tuple[Action, ...]],
        seed: int,
        spread: float = 1.0,
        abstraction: Abstraction | None = None,
    ) -> None:
        """Draw the logits.

        Args:
            game: The game, for labels.
            keys: Information states with their legal actions, or the abstraction's keys with its columns.
            seed: Seed of the logits.
            spread: Their standard deviation; 0 starts uniform.
            abstraction: What the rows keep of an information state; None keeps all of it.
        """
        self.name = "tabular"
        self.fingerprint = f"table/{seed}" if abstraction is None else f"table/{abstraction.name}/{seed}"
        self.game, self.abstraction = game, abstraction
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
        keys: dict[Hashable, tuple[Action, ...]] = {
            key: legal for tree in trees for key, legal in zip(tree.keys, tree.legal, strict=True)
        }
        return cls(game, keys, seed, spread)

    @classmethod
    def abstract(cls, game: Game, abstraction: Abstraction, seed: int, spread: float = 1.0) -> SoftmaxTable:
        """Return a table over the keys of an abstraction."""
        return cls(game, dict.fromkeys(abstraction.keys, abstraction.columns), seed, spread, abstraction)

    def start_from(self, policy: TabularPolicy) -> None:
        """Take the probabilities of a table with the same rows and columns as logits.

        Raises:
            PolicyError: It lacks a row.
        """
        for key, columns in self.legal.items():
            text = self._text(key)
            if text not in policy.table:
                raise PolicyError(
                    f"{policy.name} has no row for {text!r}: train it with the same abstraction"
                )
            row = policy.table[text]
            p = np.array([row.get(column, 0.0) for column in columns])
            self.logits[self.index[key], : len(columns)] = np.log(np.maximum(p, 1e-12))

    @property
    def by_rules(self) -> bool:
        """Whether columns are rules, not the legal actions themselves."""
        return self.abstraction is not None and self.abstraction.rules is not None

    def rows(self, decisions: Sequence[Decision]) -> NDArray[np.int64]:
        """Return the rows of decisions."""
        kept = self.abstraction
        if kept is None:
            return np.array([self.index[d.observation, d.history] for d in decisions], dtype=np.int64)
        found = [self.index[kept.key(kept.memory(d.history), d.observation)] for d in decisions]
        return np.array(found, dtype=np.int64)

    def places(self, decisions: Sequence[Decision]) -> NDArray[np.int64] | None:
        """Return (N, A): which legal action each column plays; None where columns are the legal actions."""
        kept = self.abstraction
        if kept is None or kept.rules is None:
            return None
        found = []
        for d in decisions:
            legal = _places(d.legal or ())
            found.append([legal[action] for action in kept.rules(kept.memory(d.history), d.observation)])
        return np.array(found, dtype=np.int64)

    def matrix(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (N, A) probabilities of columns."""
        logits = self.logits[rows]
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the distributions over legal actions."""
        matrix = self.matrix(self.rows(decisions)).tolist()
        kept = self.abstraction
        if kept is None or kept.rules is None:
            return [
                dict(zip(d.legal or (), row, strict=False)) for d, row in zip(decisions, matrix, strict=True)
            ]
        return [
            merged(kept.rules(kept.memory(d.history), d.observation), row)
            for d, row in zip(decisions, matrix, strict=True)
        ]

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Draw an action at every decision."""
        rows = self.probabilities(decisions)
        return [Choice(draw(row, d), probabilities=row) for row, d in zip(rows, decisions, strict=True)]

    def strategy(self, game: Game) -> Strategy | None:
        """Return the finite-memory form of the current weights where the table is by abstraction."""
        return None if self.abstraction is None else self.table().strategy(game)

    def table(self, silent: bool = False) -> TabularPolicy:
        """Return the policy as it is saved; ``silent`` plays uniformly where there is no row."""
        matrix = self.matrix(np.arange(len(self.legal))).tolist()
        rows = {
            self._text(key): dict(zip(columns, row, strict=False))
            for (key, columns), row in zip(self.legal.items(), matrix, strict=True)
        }
        game = self.game.info_record.key
        if self.abstraction is not None:
            return AbstractPolicy(game, self.abstraction, rows)
        return TabularPolicy(game, rows, silent=silent)

    def _text(self, key: Any) -> str:
        return str(key) if self.abstraction is not None else self.game.label(*key)


@lru_cache(maxsize=1024)
def _places(legal: tuple[Action, ...]) -> dict[Action, int]:
    return {action: place for place, action in enumerate(legal)}


def _summed(
    rows: NDArray[np.int64], ascent: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Add up the directions of decisions that share a row."""
    which, order = np.unique(rows, return_inverse=True)
    total = np.zeros((len(which), ascent.shape[1]))
    np.add.at(total, order, ascent)
    return which, total


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
        """Return the rows of a batch, each once, the ascent direction of their logits, and statistics."""
        rows, places = self.policy.rows(batch.decisions), self.policy.places(batch.decisions)
        mask = self.policy.mask[rows]
        p = self.policy.matrix(rows)
        legal = _Legal(places, p.shape[1], batch.log_weights.shape[1])
        log_weights, prob_weights = legal.columns(batch.log_weights), legal.columns(batch.prob_weights)
        logs = np.where(mask, np.log(np.maximum(legal.shared(p), 1e-300)), 0.0)
        reference = np.where(mask, np.log(np.maximum(legal.shared(self._reference(rows)), 1e-300)), 0.0)
        divergence = (p * (logs - reference)).sum(axis=1, keepdims=True)
        spread = -(p * logs).sum(axis=1, keepdims=True)
        share = batch.visits[:, None]
        ascent = log_weights * legal.part(p) - p * batch.log_weights.sum(axis=1, keepdims=True)
        ascent += p * (prob_weights - (p * prob_weights).sum(axis=1, keepdims=True))
        ascent -= kl * share * p * (logs - reference - divergence)
        ascent -= entropy * share * p * (logs + spread)
        stats = {"kl": float((share * divergence).sum()), "entropy": float((share * spread).sum())}
        return *_summed(rows, np.where(mask, ascent, 0.0)), stats

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
        table = load_table(folder / "table.json", self.policy.game)
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

    def _reference(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        logits = self.reference[rows]
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class _Legal:
    """Between the legal actions of decisions and the columns that play them."""

    def __init__(self, places: NDArray[np.int64] | None, width: int, legal: int) -> None:
        """Take (N, A) places, or None where columns are legal actions; the numbers of columns and actions."""
        self.places, self.width, self.legal = places, width, legal

    def columns(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (N, A): the value of the legal action that each column plays, from (N, L)."""
        if self.places is not None:
            return np.take_along_axis(values, self.places, axis=1)
        return np.pad(values, ((0, 0), (0, self.width - values.shape[1])))

    def shared(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (N, A): the probability of the legal action that each column plays."""
        if self.places is None:
            return p
        total = np.zeros((len(p), self.legal))
        np.add.at(total, (np.arange(len(p))[:, None], self.places), p)
        return np.take_along_axis(total, self.places, axis=1)

    def part(self, p: NDArray[np.float64]) -> NDArray[np.float64] | float:
        """Return (N, A): the column's share in the probability of its action; 1 where it has it alone."""
        return 1.0 if self.places is None else p / np.maximum(self.shared(p), 1e-300)
