"""A SEPO run on TRL: what :class:`~equipoise.training.sepo.Sepo` does, with TRL's loop in the middle.

The folder of a run is the same, and so are its rules: one whole checkpoint at any moment, the unit of
resuming is a step, weights are safetensors and all else is JSON.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers import PrinterCallback, TrainerCallback

from equipoise.policies.base import Policy
from equipoise.policies.local.free import stop_ids
from equipoise.policies.local.policy import LocalPolicy
from equipoise.progress import Reporter, silent
from equipoise.training.arena import Arena
from equipoise.training.checkpoints import TrainerFolder
from equipoise.training.scalars import Scalars
from equipoise.training.selection import selection_score
from equipoise.training.sepo import Trained
from equipoise.training.trl.arguments import check, grpo_config, passes
from equipoise.training.trl.players import EnginePolicy, vllm_sampler
from equipoise.training.trl.ranks import Ranks
from equipoise.training.trl.rollouts import Rollouts
from equipoise.training.trl.settings import TrlSettings
from equipoise.training.trl.state import gather_moments, load_moments
from equipoise.training.trl.sync import SyncWatch
from equipoise.training.trl.trainer import SepoTrainer, StepRows
from equipoise.training.trl.weights import gather_weights, load_weights, unsharded, write_weights

__all__ = ["TrlSepo"]


class TrlSepo:
    """One run; made on every rank."""

    def __init__(
        self,
        arena: Arena,
        policy: LocalPolicy,
        settings: TrlSettings,
        folder: Path,
        ranks: Ranks | None = None,
        reporter: Reporter | None = None,
        origin: Mapping[str, Any] | None = None,
        title: str = "sepo",
    ) -> None:
        """Prepare a run.

        Args:
            arena: The game with its opponents, objective and settings.
            policy: The policy; the weights that get gradients are trained, its start is the reference.
            settings: What is TRL's own.
            folder: Where checkpoints and metrics go; all ranks must see it.
            ranks: The processes (default: read from the environment).
            reporter: Shows progress.
            origin: What else identifies the run.
            title: What progress calls the run.

        Raises:
            RequestError: The settings do not go together, or the folder holds another run.
        """
        self.arena, self.policy, self.settings, self.config = arena, policy, settings, arena.config
        self.ranks = ranks or Ranks.here(str(policy.loaded.model.device))
        check(self.config, settings, policy)
        main = self.ranks.main
        self.reporter = (reporter or silent()) if main else silent()
        self.title = f"{title} {arena.game.name}"
        request = {
            **arena.identity,
            "config": self.config.model_dump(mode="json"),
            "trl": settings.model_dump(mode="json"),
            "ranks": self.ranks.count,
            "origin": dict(origin or {}),
        }
        self.folder = folder
        self.store = TrainerFolder(folder, request) if main else None
        self.scalars = Scalars(folder / "tensorboard" if main else None)
        self.best_step, self.best_score = -1, float("-inf")
        self.history: list[dict[str, Any]] = []
        self._gap: dict[str, float] = {}
        self._watch: SyncWatch | None = None
        self._synced = -1
        self.start, self._state = self._find()
        self.trainer, self.player = self._build()
        self._began, self._advance = time.perf_counter(), _nothing

    def run(self) -> Trained:
        """Train to the end, from the last checkpoint if there is one."""
        with self.reporter.task(self.title, self.config.steps) as advance:
            self._advance = advance
            advance(self.start)
            if self.start < self.config.steps:
                self.trainer.train()
        self.scalars.close()
        return Trained(self.best_step, self.best_score, self.history)

    def begin(self) -> None:
        """Take up the state of an interrupted run, or score the weights that training starts from."""
        if self._state is not None:
            load_moments(self.trainer, self._last / "optimiser.safetensors", self.start)
            self.trainer.state.global_step = self.start
            # The trainer logs means over the steps since it logged last.
            self.trainer._globalstep_last_logged = self.start
            return
        with self.playing():
            self.arena.respond(self.player, 0)
        self._select(0, {})

    def check_gap(self) -> None:
        """Stop before an update that rests on samples of another policy."""
        self._gap = self.trainer.gaps.close(lambda sums: self.ranks.gather([sums]))

    def end_step(self, logs: Mapping[str, float]) -> None:
        """Note what a step did, score the new weights where it is their turn, and keep a checkpoint."""
        step = self.trainer.state.global_step
        self.policy.clear()
        names = {"loss", "grad_norm", "kl", "entropy"}
        kept = {key: logs[key] for key in logs if key in names or key.startswith("clip_ratio/")}
        row = {**self.rollouts.row, "lr": logs["learning_rate"], **kept, **self._gap}
        if step == self.config.steps or step % self.config.select_every == 0:
            self._select(step, row)
        now = time.perf_counter()
        row["seconds"], self._began = now - self._began, now
        self.history.append(row)
        if self.store is not None:
            self.scalars.add(row)
            self.store.log(row)
        self._checkpoint(step)
        self._advance(1)

    def play(self, step: int) -> StepRows:
        """Play and credit a step with the current weights."""
        with self.playing():
            # A step is the same after a resume as without one: nothing that was computed before is used.
            self.policy.forget()
            return self.rollouts(step)

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Make the model ready to play for the time of the block: no dropout, whole and current weights."""
        model = self.trainer.model
        training = model.training
        model.eval()
        try:
            if self._watch is None:
                with unsharded(self.trainer):
                    yield
            else:
                if self._synced != self.trainer.state.global_step:
                    self._watch.sync()
                    self._synced = self.trainer.state.global_step
                yield
        finally:
            model.train(training)

    def _build(self) -> tuple[SepoTrainer, Policy]:
        """Make the trainer, then load what an interrupted run had: TRL copies the reference before."""
        config, loaded = self.config, self.policy.loaded
        budget = self.policy.max_new_tokens
        args = grpo_config(
            config,
            self.settings,
            self.folder / "trl",
            device=loaded.model.device.type,
            temperature=self.policy.temperature,
            max_tokens=budget,
            stop_ids=stop_ids(loaded),
            passes=passes(self.arena, self.settings.layout, self.ranks.count),
        )
        trainer = SepoTrainer(
            loaded.model,
            loaded.tokenizer,
            args,
            self.play,
            lr_decay=config.lr_decay,
            entropy=config.entropy,
            max_gap=self.settings.max_gap,
            first_step=self.start,
            callbacks=[_Steps(self)],
        )
        trainer.remove_callback(PrinterCallback)
        if self._state is not None:
            load_weights(loaded.model, self._last)
        player: Policy = self.policy
        if self.settings.use_vllm:
            self._watch = SyncWatch(trainer.vllm_generation)
            player = EnginePolicy(
                self.policy, vllm_sampler(trainer.vllm_generation, stop_ids(loaded)), budget
            )
        self.rollouts = Rollouts(
            self.arena, player, self.ranks, self.settings.layout, main_plays=self.settings.served
        )
        return trainer, player

    def _select(self, step: int, row: dict[str, Any]) -> None:
        """Score the current weights and keep them if they are the best so far."""
        with self.playing():
            plays = self.ranks.main or not self.settings.served
            # Sums in floating point may differ between devices; what the main one finds holds for all.
            score = self.ranks.broadcast(selection_score(self.arena, self.player) if plays else None)
        row["select_score"] = score
        if score > self.best_score:
            self.best_step, self.best_score = step, score
            weights = gather_weights(self.trainer)
            if self.store is not None and weights is not None:
                self.store.save_best(lambda folder: self._write_weights(folder, weights))
            self.ranks.wait()

    def _checkpoint(self, step: int) -> None:
        due = step % self.arena.aligned == 0 and step % self.config.checkpoint_every == 0
        if not due and step != self.config.steps:
            return
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
            "version": self.policy.version,
            "best_step": self.best_step,
            "best_score": self.best_score,
            **self.arena.state_dict(),
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
        self.arena.load_state_dict(state)
        self.best_step, self.best_score = state["best_step"], state["best_score"]
        self.history = [] if self.store is None else self.store.metrics()
        self.policy.version = int(state["version"])
        return int(state["step"]), state


class _Steps(TrainerCallback):  # type: ignore[misc]
    """Tells a run what TRL's loop is doing."""

    def __init__(self, run: TrlSepo) -> None:
        self.run = run

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        self.run.begin()

    def on_pre_optimizer_step(self, *_: Any, **__: Any) -> None:
        self.run.check_gap()

    def on_log(self, *_: Any, logs: Mapping[str, float] | None = None, **__: Any) -> None:
        # The last report of a training holds no step of its own.
        if logs is not None and "loss" in logs:
            self.run.end_step(logs)


def _nothing(done: int, text: str | None = None) -> None:
    """Stand for a progress bar before there is one."""
