"""The loop of a warm start: steps, evaluations, early stopping, checkpoints; what is learned is left open."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.progress import Reporter, silent
from equipoise.training.checkpoints import TrainerFolder
from equipoise.training.config import Schedule
from equipoise.training.live import live
from equipoise.training.lora import Adapted, load_adapter, save_adapter
from equipoise.training.optimiser import Optimiser
from equipoise.training.scalars import Scalars
from equipoise.training.sepo import Trained
from equipoise.training.stopping import Best

__all__ = ["Evaluation", "Supervised", "rate_at"]


@dataclass(frozen=True)
class Evaluation:
    """What the current weights are worth.

    Attributes:
        score: The selection score.
        loss: Loss on held-out episodes; None if there are none.
        legal_mass: Mean unrestricted probability of a legal answer; None if there are no held-out episodes.
        parts: The same by game, if there are several.
    """

    score: float
    loss: float | None
    legal_mass: float | None
    parts: Mapping[str, Evaluation] = field(default_factory=dict)

    @property
    def row(self) -> dict[str, Any]:
        """The evaluation as metrics."""
        row = {"validation_loss": self.loss, "select_score": self.score, "legal_mass": self.legal_mass}
        for name, part in self.parts.items():
            row.update({f"{name}/{key}": value for key, value in part.row.items()})
        return row


class Supervised(ABC):
    """One supervised run of an adapter."""

    policy: Adapted
    config: Schedule

    def __init__(
        self,
        title: str,
        policy: Adapted,
        config: Schedule,
        request: Mapping[str, Any],
        folder: Path | None,
        reporter: Reporter | None,
    ) -> None:
        """Prepare the loop.

        Args:
            title: What progress calls the run.
            policy: A policy with a trainable adapter.
            config: Settings.
            request: What identifies the run.
            folder: Where checkpoints and metrics go; None keeps nothing.
            reporter: Shows progress.
        """
        self.title, self.policy, self.config = title, policy, config
        self.reporter = reporter or silent()
        self.optimiser = Optimiser(policy.loaded.model, config.max_grad_norm)
        self.store = None if folder is None else TrainerFolder(folder, request)
        self.scalars = Scalars(None if folder is None else folder / "tensorboard")
        self.best = Best(config.patience, config.min_delta)
        self.history: list[dict[str, Any]] = []

    @abstractmethod
    def prepare(self) -> None:
        """Check that there is something to learn.

        Raises:
            EquipoiseError: There is not.
        """

    @abstractmethod
    def learn(self, step: int, share: float = 1.0) -> tuple[float, dict[str, Any]]:
        """Accumulate the gradient of a step's loss times ``share``; return the loss and metrics."""

    @abstractmethod
    def evaluate(self) -> Evaluation:
        """Score the current weights."""

    def run(self) -> Trained:
        """Train until the selection stops improving, from the last checkpoint if there is one."""
        self.prepare()
        start = self._resume()
        with live(self.reporter, self.title, self.config.steps) as advance:
            advance(start)
            for step in range(start, self.config.steps):
                if self.best.over:
                    break
                row = self._step(step)
                if (step + 1) % self.config.select_every == 0 or step + 1 == self.config.steps:
                    self._select(step + 1, row)
                self._finish(step + 1, row)
                advance(1, row)
        self.scalars.close()
        return Trained(self.best.step, self.best.score, self.history)

    def _step(self, step: int) -> dict[str, Any]:
        began = time.perf_counter()
        loss, row = self.learn(step)
        lr = rate_at(step, self.config)
        norm = self.optimiser.step(lr)
        if norm is None:
            raise EquipoiseError("the gradient is not finite: lower the learning rate")
        self.policy.clear()
        seconds = time.perf_counter() - began
        return {"step": step + 1, "loss": loss, **row, "lr": lr, "grad_norm": norm, "seconds": seconds}

    def _select(self, step: int, row: dict[str, Any]) -> None:
        found = self.evaluate()
        row.update(found.row)
        better = self.best.take(step, found.score)
        self.best.log(row)
        if better and self.store is not None:
            self.store.save_best(lambda folder: save_adapter(self.policy.loaded.model, folder))

    def _finish(self, step: int, row: dict[str, Any]) -> None:
        self.history.append(row)
        self.scalars.add(row)
        if self.store is not None:
            self.store.log(row)
            self.store.save(lambda folder: self._write(folder, step))

    def _write(self, folder: Path, step: int) -> dict[str, Any]:
        save_adapter(self.policy.loaded.model, folder)
        self.optimiser.save(folder / "optimiser.safetensors")
        return {
            "step": step,
            **self.best.state_dict(),
            "version": self.policy.version,
            "steps": self.optimiser.steps,
        }

    def _resume(self) -> int:
        found = None if self.store is None else self.store.load()
        if found is None or self.store is None:
            return 0
        folder, state = found
        load_adapter(self.policy.loaded.model, folder)
        self.optimiser.load(folder / "optimiser.safetensors", int(state["steps"]))
        self.best.load_state_dict(state)
        self.policy.clear()
        self.policy.version = state["version"]
        self.history = self.store.metrics()
        return int(state["step"])


def rate_at(step: int, config: Schedule) -> float:
    """Return the learning rate: a linear rise, then a cosine down to a tenth."""
    rise = min(1.0, (step + 1) / (config.warmup + 1))
    progress = step / max(config.steps - 1, 1)
    return config.lr * rise * (0.1 + 0.45 * (1.0 + math.cos(math.pi * progress)))
