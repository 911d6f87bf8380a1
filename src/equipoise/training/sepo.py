"""SEPO: gradient ascent on the safe-equilibrium objective, for anything that is a ``Learner``.

A step asks the arena for a batch, sampled or exact, and hands it to the learner; several games make one batch
(``arenas``). What is left out on purpose: importance ratios and clipping (every batch is used once, on the
policy that played it) and division by a group's spread.
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
from equipoise.training.arenas import Arenas
from equipoise.training.boards import Boards
from equipoise.training.checkpoints import TrainerFolder
from equipoise.training.league import League
from equipoise.training.learner import Learner
from equipoise.training.live import live
from equipoise.training.scalars import Scalars
from equipoise.training.stopping import Best
from equipoise.training.thinning import check_thinning

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
        arena: Arena | Arenas,
        learner: Learner,
        folder: Path | None = None,
        reporter: Reporter | None = None,
        origin: Mapping[str, Any] | None = None,
        on_best: Callable[[], None] | None = None,
        title: str = "sepo",
    ) -> None:
        """Prepare a run.

        Args:
            arena: The game with its opponents, objective and settings, or several of them.
            learner: What is trained.
            folder: Where checkpoints and metrics go; None keeps nothing.
            reporter: Shows progress.
            origin: What else identifies the run, e.g. where its weights come from.
            on_best: Called whenever the weights score better than ever before.
            title: What progress calls the run.

        Raises:
            RequestError: Decisions are to be thinned out for a learner that is given texts.
        """
        self.arenas = Arenas.alone(arena) if isinstance(arena, Arena) else arena
        self.learner, self.config = learner, self.arenas.config
        if learner.wants == "samples":
            for one in self.arenas.parts.values():
                check_thinning(one.config.max_decisions)
        self.reporter, self._on_best = reporter or silent(), on_best
        self.title = f"{title} {self.arenas.title}"
        self.best = Best(self.config.patience, self.config.min_delta)
        config = self.config.model_dump(mode="json")
        request = {**self.arenas.identity, "config": config, "origin": dict(origin or {})}
        self.store = None if folder is None else TrainerFolder(folder, request)
        self.scalars = Scalars(None if folder is None else folder / "tensorboard")
        self.boards = Boards(self.config.report_to, folder, self.title, request)
        league = self.config.league
        self.league = None if league is None else League(league, learner, folder)
        self.history: list[dict[str, Any]] = []
        self.watch = Watch(self.config, self.reporter)

    def run(self) -> Trained:
        """Train to the end, from the last checkpoint if there is one."""
        start = self._resume()
        # A run that failed at a step has its checkpoint, and would pass for one that went well.
        self.watch.check_skipped(self.history)
        total = self.config.steps
        with live(self.reporter, self.title, total) as advance:
            advance(start)
            if start == 0:
                self.arenas.respond(self.learner.policy, 0)
                self._select(0, {})
            for step in range(start, total):
                if self.best.over:
                    break
                row = self._step(step)
                self.watch.look(row)
                self._log(row)
                self.watch.check_gap(row)
                self._checkpoint(step + 1)
                self.watch.check_skipped(self.history)
                advance(1, row)
        self.scalars.close()
        self.boards.close()
        return Trained(self.best.step, self.best.score, self.history)

    def _step(self, step: int) -> dict[str, Any]:
        began = time.perf_counter()
        self._forget()
        if self.league is not None:
            self.league.advance(step)
            self.arenas.enter(self.league.players)
        self.arenas.respond(self.learner.policy, step)
        row: dict[str, Any] = {"step": step + 1}
        batch = self.arenas.batch(self.learner.policy, step, row, self.learner.wants)
        lr = self.config.lr / (1.0 + self.config.lr_decay * step)
        stats = self.learner.update(batch, lr, self.config.kl, self.config.entropy)
        row.update(lr=lr, **stats)
        last = step + 1 == self.config.steps
        if last or (step + 1) % self.config.select_every == 0:
            self._select(step + 1, row)
        row["seconds"] = time.perf_counter() - began
        return row

    def _forget(self) -> None:
        self.learner.forget()
        self.arenas.forget()
        if self.league is not None:
            self.league.forget()

    def _select(self, step: int, row: dict[str, Any]) -> None:
        """Score the current weights and keep them if they are the best so far."""
        score = self.arenas.score(self.learner.policy, row)
        better = self.best.take(step, score)
        self.best.log(row)
        if better and self._on_best is not None:
            self._on_best()
        if better and self.store is not None:
            self.store.save_best(self.learner.save_weights)

    def _log(self, row: dict[str, Any]) -> None:
        self.history.append(row)
        self.scalars.add(row)
        self.boards.add(row)
        if self.store is not None:
            self.store.log(row)
            self.store.record(self.arenas.kept)

    def _checkpoint(self, step: int) -> None:
        due = step % self.config.checkpoint_every == 0
        if self.store is not None and (due or step == self.config.steps or self.best.over):
            self.store.save(lambda folder: self._write(folder, step))

    def _write(self, folder: Path, step: int) -> dict[str, Any]:
        self.learner.save_weights(folder)
        return {
            "step": step,
            **self.best.state_dict(),
            **self.arenas.state_dict(),
            "league": None if self.league is None else self.league.state_dict(),
            "learner": self.learner.save_state(folder),
        }

    def _resume(self) -> int:
        found = None if self.store is None else self.store.load()
        if found is None or self.store is None:
            return 0
        folder, state = found
        self.learner.load(folder, state["learner"])
        self.arenas.load_state_dict(state)
        if self.league is not None:
            self.league.load_state_dict(state["league"])
        self.best.load_state_dict(state)
        self.history = self.store.metrics()
        self.watch.resume(self.history)
        return int(state["step"])
