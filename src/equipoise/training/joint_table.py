"""A table for each game as one policy: what joint training trains where no language model is wanted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from equipoise.files import folder_name
from equipoise.policies.abstract import load_table
from equipoise.policies.base import Policy
from equipoise.policies.tabular import TabularPolicy
from equipoise.training.batch import Batch
from equipoise.training.table import SoftmaxTable, TabularLearner
from equipoise.types import Choice, Decision, Probabilities

__all__ = ["ByGame", "JointTable", "JointTabularLearner"]


T = TypeVar("T", bound=Policy)


class ByGame(Policy, Generic[T]):
    """Asks the policy of the game that a decision belongs to.

    Attributes:
        tables: The policies by the game's ``id@version``.
    """

    exact_states = SoftmaxTable.exact_states
    always_legal = True

    def __init__(self, tables: Mapping[str, T], name: str = "tabular") -> None:
        """Take one table for each game."""
        self.name, self.tables = name, dict(tables)
        self.fingerprint = "+".join(table.fingerprint for table in self.tables.values())

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Draw an action at every decision."""
        found: dict[int, Choice] = {}
        for table, rows in self.split(decisions):
            found.update(zip(rows, table.act([decisions[row] for row in rows]), strict=True))
        return [found[row] for row in range(len(decisions))]

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the distributions."""
        found: dict[int, Probabilities] = {}
        for table, rows in self.split(decisions):
            found.update(zip(rows, table.probabilities([decisions[row] for row in rows]), strict=True))
        return [found[row] for row in range(len(decisions))]

    def split(self, decisions: Sequence[Decision]) -> list[tuple[T, list[int]]]:
        """Return the tables that are asked, each with the numbers of its decisions."""
        rows: dict[str, list[int]] = {}
        for number, decision in enumerate(decisions):
            rows.setdefault(decision.rules.info_record.key, []).append(number)
        return [(self.tables[key], numbers) for key, numbers in rows.items()]


class JointTable(ByGame[SoftmaxTable]):
    """The tables that are trained."""

    def __init__(self, tables: Sequence[SoftmaxTable]) -> None:
        """Take one table for each game."""
        super().__init__({table.game.info_record.key: table for table in tables})


class JointTabularLearner:
    """Plain gradient ascent on the logits of all tables, clipped as one vector."""

    wants: Literal["batch"] = "batch"

    def __init__(self, policy: JointTable, max_grad_norm: float | None = None) -> None:
        """Take the tables; their start is the reference of the KL term."""
        self.policy: JointTable = policy
        self.max_grad_norm = max_grad_norm
        self._learners = {key: TabularLearner(table) for key, table in policy.tables.items()}

    def update(self, batch: Batch, lr: float, kl: float, entropy: float) -> dict[str, float]:
        """Move the logits one step (see ``Learner``)."""
        moves = []
        totals = {"kl": 0.0, "entropy": 0.0}
        for table, numbers in self.policy.split(batch.decisions):
            learner = self._learners[table.game.info_record.key]
            width = batch.log_weights.shape[1] if table.by_rules else table.mask.shape[1]
            rows, ascent, stats = learner.gradient(_part(batch, numbers, width), kl, entropy)
            moves.append((table, rows, ascent))
            totals = {name: totals[name] + stats[name] for name in totals}
        norm = float(np.sqrt(sum(float((ascent**2).sum()) for _, _, ascent in moves)))
        if not np.isfinite(norm):
            return {"skipped": 1.0}
        clip = 1.0 if self.max_grad_norm is None else min(1.0, self.max_grad_norm / max(norm, 1e-300))
        for table, rows, ascent in moves:
            table.logits[rows] += lr * clip * ascent
            table.version += 1
        self.policy.version += 1
        return {**totals, "skipped": 0.0, "grad_norm": norm}

    def forget(self) -> None:
        """Nothing is cached."""

    def frozen(self, folder: Path, name: str) -> ByGame[TabularPolicy]:
        """Return the tables of a folder (see ``Learner``)."""
        tables = self.policy.tables
        found = {key: load_table(_file(folder, table), table.game) for key, table in tables.items()}
        return ByGame(found, name)

    def drop(self, policy: Policy) -> None:
        """A table holds nothing."""

    def save_weights(self, folder: Path) -> None:
        """Write one table a game, named after it."""
        for table in self.policy.tables.values():
            table.table().save(_file(folder, table))

    def save_state(self, folder: Path) -> dict[str, Any]:
        """Write logits and references, exact in JSON."""
        for number, learner in enumerate(self._learners.values()):
            (folder / str(number)).mkdir()
            learner.save_state(folder / str(number))
        (folder / "tables.json").write_text(json.dumps(list(self._learners)), encoding="utf-8")
        return {"version": self.policy.version}

    def load(self, folder: Path, state: Mapping[str, Any]) -> None:
        """Take back logits and references."""
        for number, key in enumerate(json.loads((folder / "tables.json").read_text(encoding="utf-8"))):
            self._learners[key].load(folder / str(number), {})
        self.policy.version = int(state["version"])


def _file(folder: Path, table: SoftmaxTable) -> Path:
    return folder / f"{folder_name(table.game.info_record.id)}.json"


def _part(batch: Batch, rows: Sequence[int], width: int) -> Batch:
    """Return some rows of a batch, no wider than a table; their visits keep their share of the whole."""
    numbers = list(rows)
    return replace(
        batch,
        decisions=tuple(batch.decisions[row] for row in numbers),
        log_weights=batch.log_weights[numbers, :width],
        prob_weights=batch.prob_weights[numbers, :width],
        visits=batch.visits[numbers],
    )
