"""What runs on TRL have in common: their folder, their progress, and how they go on where they stopped.

The folder is that of any other trainer, and so are its rules: one whole checkpoint at any moment, the unit of
resuming is a step, weights are safetensors and all else is JSON.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from equipoise.policies.local.policy import LocalPolicy
from equipoise.progress import Reporter, silent
from equipoise.training.boards import Boards
from equipoise.training.checkpoints import TrainerFolder
from equipoise.training.live import Live, live
from equipoise.training.scalars import Scalars
from equipoise.training.sepo import Trained
from equipoise.training.stopping import Best
from equipoise.training.trl.ranks import Ranks
from equipoise.training.trl.settings import TrlSettings
from equipoise.training.trl.state import gather_moments, load_moments
from equipoise.training.trl.weights import gather_weights, load_weights, unsharded, write_weights

__all__ = ["Steps", "TrlRun"]


class TrlRun(ABC):
    """One run; made on every rank. Only the main process writes files and talks.

    Attributes:
        policy: The policy that is trained.
        best: Which weights are kept.
        trainer: TRL's trainer.
        start: Steps that were made before.
        updates: Steps that were made in all, without those that were skipped.
        history: The metrics of every step.
        boards: Where the numbers of steps are sent, if anywhere.
    """

    trainer: Any

    def __init__(
        self,
        policy: LocalPolicy,
        settings: TrlSettings,
        folder: Path,
        request: Mapping[str, Any],
        steps: int,
        best: Best,
        ranks: Ranks | None = None,
        reporter: Reporter | None = None,
        title: str = "",
    ) -> None:
        """Open the folder.

        Args:
            policy: The policy; the weights that get gradients are trained.
            settings: What is TRL's own.
            folder: Where checkpoints and metrics go; all ranks must see it.
            request: What else identifies the run.
            steps: Largest number of steps.
            best: Which weights are kept, and when the run stops for want of better ones.
            ranks: The processes (default: read from the environment).
            reporter: Shows progress.
            title: What progress calls the run.

        Raises:
            RequestError: The folder holds another run.
        """
        self.policy, self.settings, self.folder, self.steps = policy, settings, folder, steps
        self.ranks = ranks or Ranks.here(policy.loaded.model.device.type)
        main = self.ranks.main
        self.reporter, self.title = (reporter or silent()) if main else silent(), title
        whole = {**request, "trl": settings.model_dump(mode="json"), "ranks": self.ranks.count}
        self.store = TrainerFolder(folder, whole) if main else None
        self.scalars = Scalars(folder / "tensorboard" if main else None)
        self.boards: Boards | None = None
        self.best = best
        self.history: list[dict[str, Any]] = []
        self.updates = 0
        self.start, self._state = self._find()
        self._began = time.perf_counter()
        self._advance: Live = _nothing

    def run(self) -> Trained:
        """Train to the end, from the last checkpoint if there is one."""
        # A run that failed at a step has its checkpoint, and would pass for one that went well.
        self.checked()
        with live(self.reporter, self.title, self.steps) as advance:
            self._advance = advance
            advance(self.start)
            if self.start < self.steps and not self.best.over:
                self.trainer.train()
        self.scalars.close()
        if self.boards is not None:
            self.boards.close()
        return Trained(self.best.step, self.best.score, self.history)

    @abstractmethod
    def first(self) -> None:
        """Do what comes before the first step."""

    @abstractmethod
    def after(self, step: int, logs: Mapping[str, float]) -> dict[str, Any]:
        """Do what comes after a step, and return its metrics."""

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """Return what the next step depends on besides weights and moments."""

    @abstractmethod
    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` returned."""

    @property
    def kept(self) -> Sequence[Mapping[str, Any]]:
        """Episodes of the last step that are kept with their advantages."""
        return ()

    def before_update(self) -> None:
        """Do what comes between the gradient and the update."""
        return

    def after_update(self) -> None:
        """Do what comes between the update and its report."""
        return

    def aligned(self, step: int) -> bool:
        """Tell whether a checkpoint is due after a step."""
        return True

    def checked(self) -> None:
        """Stop where it makes no sense to go on; the last checkpoint is written."""
        return

    def begin(self) -> None:
        """Take up the state of an interrupted run, or begin a new one."""
        if self._state is None:
            self.first()
            return
        load_moments(self.trainer, self._last / "optimiser.safetensors", self.updates)
        self.trainer.state.global_step = self.start
        # The trainer logs means over the steps since it logged last.
        self.trainer._globalstep_last_logged = self.start

    def end_step(self, logs: Mapping[str, float]) -> None:
        """Note what a step did, and keep a checkpoint."""
        step = self.trainer.state.global_step
        self.policy.clear()
        row = self.after(step, {name: value for name, value in logs.items() if math.isfinite(value)})
        now = time.perf_counter()
        row["seconds"], self._began = now - self._began, now
        self.history.append(row)
        if self.store is not None:
            self.scalars.add(row)
            if self.boards is not None:
                self.boards.add(row)
            self.store.log(row)
            self.store.record(self.kept)
        if self.aligned(step) or step == self.steps or self.best.over:
            self._checkpoint(step)
        self._advance(1, row)
        self.checked()

    def restore(self) -> None:
        """Load the weights of an interrupted run; after the trainer has copied what it refers to."""
        if self._state is not None:
            load_weights(self.policy.loaded.model, self._last)

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Make the model ready to play for the time of the block: whole weights, no dropout."""
        model = self.trainer.model
        training = model.training
        model.eval()
        try:
            with unsharded(self.trainer):
                yield
        finally:
            model.train(training)

    def keep_if_best(self, step: int, score: float, row: dict[str, Any]) -> None:
        """Keep the weights if they score better than any before; every rank must call it."""
        better = self.best.take(step, score)
        self.best.log(row)
        if not better:
            return
        weights = gather_weights(self.trainer)
        if self.store is not None and weights is not None:
            self.store.save_best(lambda folder: self._write_weights(folder, weights))
        self.ranks.wait()

    def _checkpoint(self, step: int) -> None:
        weights, moments = gather_weights(self.trainer), gather_moments(self.trainer)
        if self.store is not None and weights is not None:
            self.store.save(lambda folder: self._write(folder, step, weights, moments))
        self.ranks.wait()

    def _write(
        self, folder: Path, step: int, weights: Mapping[str, Any], moments: Mapping[str, Any]
    ) -> dict[str, Any]:
        from safetensors.torch import save_file

        self._write_weights(folder, weights)
        save_file(dict(moments), str(folder / "optimiser.safetensors"))
        return {
            "step": step,
            "updates": self.updates,
            "version": self.policy.version,
            **self.best.state_dict(),
            **self.state_dict(),
        }

    def _write_weights(self, folder: Path, weights: Mapping[str, Any]) -> None:
        write_weights(self.policy.loaded.model, self.policy.loaded.tokenizer, weights, folder)

    @property
    def _last(self) -> Path:
        return self.folder / "checkpoint"

    def _find(self) -> tuple[int, dict[str, Any] | None]:
        """Return the step to go on from and the state at it; the main process tidies the folder up first."""
        found = None if self.store is None else self.store.load()
        state: dict[str, Any] | None = self.ranks.broadcast(None if found is None else found[1])
        if state is None:
            return 0, None
        self.load_state_dict(state)
        self.updates = int(state["updates"])
        self.best.load_state_dict(state)
        self.history = self.ranks.broadcast([] if self.store is None else self.store.metrics())
        self.policy.version = int(state["version"])
        return int(state["step"]), state


class Steps(TrainerCallback):  # type: ignore[misc]
    """Tells a run what the trainer's loop is doing."""

    def __init__(self, run: TrlRun) -> None:
        """Take the run."""
        self.run = run

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """Everything is in place."""
        self.run.begin()

    def on_pre_optimizer_step(self, *_: Any, **__: Any) -> None:
        """The gradient is there."""
        self.run.before_update()

    def on_optimizer_step(self, *_: Any, **__: Any) -> None:
        """The update is made."""
        self.run.after_update()

    def on_log(self, *given: Any, logs: Mapping[str, float] | None = None, **_: Any) -> None:
        """A step is over; the last report of a training and those of evaluations hold no step."""
        if logs is not None and "loss" in logs:
            self.run.end_step(logs)
            # given: the trainer's arguments, its state and its control.
            given[2].should_training_stop |= self.run.best.over


def _nothing(done: int, row: Mapping[str, Any] | None = None) -> None:
    """Stand for a progress bar before there is one."""
