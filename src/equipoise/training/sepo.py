"""SEPO: gradient ascent on the safe-equilibrium objective, for anything that is a ``Learner``.

A step asks the arena for a batch, sampled or exact, and hands it to the learner. What is left out on purpose:
importance ratios and clipping (every batch is used once, on the policy that played it) and division by a
group's spread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.progress import Reporter, silent
from equipoise.training.alarms import Watch
from equipoise.training.arena import Arena
from equipoise.training.batch import sampled_batch
from equipoise.training.checkpoints import TrainerFolder
from equipoise.training.learner import Learner
from equipoise.training.samples import decision_samples
from equipoise.training.scalars import Scalars
from equipoise.training.selection import selection_score

__all__ = ["Sepo", "Trained"]


@dataclass(frozen=True)
class Trained:
    """What training ends with.

    Attributes:
        step: The step whose weights were chosen, by their score on the select split.
        score: That score: the training objective.
        history: The metrics of every step.
    """

    step: int
    score: float
    history: list[dict[str, Any]] = field(default_factory=list, repr=False)


class Sepo:
    """One training run."""

    def __init__(
        self,
        arena: Arena,
        learner: Learner,
        folder: Path | None = None,
        reporter: Reporter | None = None,
        origin: Mapping[str, Any] | None = None,
        on_best: Callable[[], None] | None = None,
        title: str = "sepo",
    ) -> None:
        """Prepare a run.

        Args:
            arena: The game with its opponents, objective and settings.
            learner: What is trained.
            folder: Where checkpoints and metrics go; None keeps nothing.
            reporter: Shows progress.
            origin: What else identifies the run, e.g. where its weights come from.
            on_best: Called whenever the weights score better than ever before.
            title: What progress calls the run.
        """
        self.arena, self.learner, self.config = arena, learner, arena.config
        self.reporter, self._on_best = reporter or silent(), on_best
        self.title = f"{title} {arena.game.name}"
        self.best_step, self.best_score = -1, float("-inf")
        config = self.config.model_dump(mode="json")
        request = {**arena.identity, "config": config, "origin": dict(origin or {})}
        self.store = None if folder is None else TrainerFolder(folder, request)
        self.scalars = Scalars(None if folder is None else folder / "tensorboard")
        self.history: list[dict[str, Any]] = []
        self.watch = Watch(self.config, self.reporter)

    def run(self) -> Trained:
        """Train to the end, from the last checkpoint if there is one."""
        start = self._resume()
        total = self.config.steps
        with self.reporter.task(self.title, total) as advance:
            advance(start)
            if start == 0:
                self.arena.respond(self.learner.policy, 0)
                self._select(0, {})
            for step in range(start, total):
                row = self._step(step)
                self.watch.look(row)
                self._log(row)
                self.watch.check_gap(row)
                self._checkpoint(step + 1)
                self.watch.check_skipped(self.history)
                advance(1)
        self.scalars.close()
        return Trained(self.best_step, self.best_score, self.history)

    def _step(self, step: int) -> dict[str, Any]:
        began = time.perf_counter()
        self.learner.forget()
        self.arena.respond(self.learner.policy, step)
        row: dict[str, Any] = {"step": step + 1}
        batch = self._batch(step, row)
        lr = self.config.lr / (1.0 + self.config.lr_decay * step)
        stats = self.learner.update(batch, lr, self.config.kl, self.config.entropy)
        row.update(lr=lr, **stats)
        last = step + 1 == self.config.steps
        if last or (step + 1) % self.config.select_every == 0:
            self._select(step + 1, row)
        row["seconds"] = time.perf_counter() - began
        return row

    def _batch(self, step: int, row: dict[str, Any]) -> Any:
        policy = self.learner.policy
        if self.config.gradient == "exact":
            return self.arena.exact(policy, row)
        sampled = self.arena.sample(policy, step, row)
        if self.learner.wants == "samples":
            return decision_samples(sampled)
        batch = sampled_batch(sampled)
        row.update(prompts=len(batch.decisions))
        return batch

    def _select(self, step: int, row: dict[str, Any]) -> None:
        """Score the current weights and keep them if they are the best so far."""
        score = selection_score(self.arena, self.learner.policy)
        row["select_score"] = score
        if score > self.best_score:
            self.best_step, self.best_score = step, score
            if self._on_best is not None:
                self._on_best()
            if self.store is not None:
                self.store.save_best(self.learner.save_weights)

    def _log(self, row: dict[str, Any]) -> None:
        self.history.append(row)
        self.scalars.add(row)
        if self.store is not None:
            self.store.log(row)

    def _checkpoint(self, step: int) -> None:
        due = step % self.arena.aligned == 0 and step % self.config.checkpoint_every == 0
        if self.store is not None and (due or step == self.config.steps):
            self.store.save(lambda folder: self._write(folder, step))

    def _write(self, folder: Path, step: int) -> dict[str, Any]:
        self.learner.save_weights(folder)
        return {
            "step": step,
            "best_step": self.best_step,
            "best_score": self.best_score,
            **self.arena.state_dict(),
            "learner": self.learner.save_state(folder),
        }

    def _resume(self) -> int:
        found = None if self.store is None else self.store.load()
        if found is None or self.store is None:
            return 0
        folder, state = found
        self.learner.load(folder, state["learner"])
        self.arena.load_state_dict(state)
        self.best_step, self.best_score = state["best_step"], state["best_score"]
        self.history = self.store.metrics()
        self.watch.resume(self.history)
        return int(state["step"])
