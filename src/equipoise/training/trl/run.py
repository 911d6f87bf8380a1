"""A SEPO run on TRL: what :class:`~equipoise.training.sepo.Sepo` does, with TRL's loop in the middle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers import PrinterCallback

from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.local.writing import stop_ids
from equipoise.progress import Reporter
from equipoise.training.alarms import Watch
from equipoise.training.arena import Arena
from equipoise.training.boards import Boards
from equipoise.training.selection import selection_score
from equipoise.training.stopping import Best
from equipoise.training.trl.arguments import check, grpo_config, passes
from equipoise.training.trl.base import Steps, TrlRun
from equipoise.training.trl.limit import StepLimit
from equipoise.training.trl.players import EngineWriter, vllm_sampler
from equipoise.training.trl.ranks import Ranks
from equipoise.training.trl.rollouts import Rollouts
from equipoise.training.trl.settings import TrlSettings
from equipoise.training.trl.sync import SyncWatch
from equipoise.training.trl.trainer import SepoTrainer, StepRows

__all__ = ["TrlSepo"]


class TrlSepo(TrlRun):
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
        self.arena, self.config = arena, arena.config
        check(self.config, settings, policy)
        request = {
            **arena.identity,
            "config": self.config.model_dump(mode="json"),
            "origin": dict(origin or {}),
        }
        title = f"{title} {arena.game.name}"
        best = Best(self.config.patience, self.config.min_delta)
        super().__init__(policy, settings, folder, request, self.config.steps, best, ranks, reporter, title)
        if self.ranks.main:
            self.boards = Boards(self.config.report_to, folder, title, request)
        self.watch = Watch(self.config, self.reporter)
        self.watch.resume(self.history)
        self._done: dict[str, float] = {}
        self._sync: SyncWatch | None = None
        self._synced = -1
        self.trainer = self._trainer()
        self.restore()
        self._limit: StepLimit | None = None
        if not self.trainer.is_deepspeed_enabled:
            # DeepSpeed's optimiser steps on weights of its own, which cannot be taken back from here.
            self._limit = StepLimit(policy.loaded.model, self.config.max_step_kl)
        if settings.use_vllm:
            generation = self.trainer.vllm_generation
            self._sync = SyncWatch(generation)
            policy.write_with(EngineWriter(policy, vllm_sampler(generation)))
        self.rollouts = Rollouts(arena, policy, self.ranks, settings.layout, main_plays=settings.served)

    def first(self) -> None:
        """Score the weights that training starts from."""
        with self.playing():
            self.arena.respond(self.policy, 0)
        self._select(0, {})

    @property
    def kept(self) -> Sequence[Mapping[str, Any]]:
        """Episodes of the last step that are kept with their advantages."""
        return self.arena.kept

    def before_update(self) -> None:
        """Stop before an update that rests on samples of another policy, skip one that is not finite."""
        self._done = self.trainer.gaps.close(lambda sums: self.ranks.gather([sums]))
        self.updates += self._limit is None or self._limit.before(self.trainer.norm)

    def after_update(self) -> None:
        """Halve an update that goes too far."""
        if self._limit is not None:
            self._done |= self._limit.after(self.trainer.moved)

    def after(self, step: int, logs: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a step; score the new weights where it is their turn."""
        kept = {key: logs[key] for key in logs if key in ("loss", "grad_norm") or "clip_ratio/" in key}
        row = {**self.rollouts.row, "lr": logs["learning_rate"], **kept, **self._done}
        # TRL's are means over tokens; ours, and what alarms look at, are sums over those of a decision.
        tokens = row["tokens"] / max(row["trained"], 1)
        for name in ("kl", "entropy"):
            if name in logs:
                row.update({f"token_{name}": logs[name], name: logs[name] * tokens})
        if step == self.config.steps or step % self.config.select_every == 0:
            self._select(step, row)
        self.watch.look(row)
        return row

    def checked(self) -> None:
        """Stop where gradients are not finite again and again."""
        self.watch.check_skipped(self.history)

    def aligned(self, step: int) -> bool:
        """Tell whether a checkpoint is due after a step."""
        return step % self.config.checkpoint_every == 0

    def state_dict(self) -> dict[str, Any]:
        """Return gates and scale."""
        return self.arena.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back gates and scale."""
        self.arena.load_state_dict(state)

    def play(self, step: int) -> StepRows:
        """Play and credit a step with the current weights."""
        with self.playing():
            # A step is the same after a resume as without one: nothing that was computed before is used.
            self.policy.forget()
            self.arena.forget()
            return self.rollouts(step)

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Make what plays ready for the time of the block; an engine is sent the current weights first."""
        step = self.trainer.state.global_step
        if self._sync is not None and self._synced != step:
            self._sync.sync()
            self._synced = step
        if self._sync is not None and self.policy.mode == "free":
            yield
            return
        # Without an engine the model writes; after an engine's thoughts it still scores the actions.
        with super().playing():
            yield

    def _trainer(self) -> SepoTrainer:
        config, loaded = self.config, self.policy.loaded
        args = grpo_config(
            config,
            self.settings,
            self.folder / "trl",
            device=loaded.model.device.type,
            temperature=self.policy.temperature,
            max_tokens=self.policy.budget,
            stop_ids=stop_ids(loaded),
            passes=passes(
                self.arena, self.settings.layout, self.ranks.count, 2 if self.policy.mode == "think" else 1
            ),
        )
        trainer = SepoTrainer(
            loaded.model,
            loaded.tokenizer,
            args,
            self.play,
            lr_decay=config.lr_decay,
            entropy=config.entropy,
            max_gap=config.max_sampler_gap,
            first_step=self.start,
            callbacks=[Steps(self)],
        )
        trainer.remove_callback(PrinterCallback)
        return trainer

    def _select(self, step: int, row: dict[str, Any]) -> None:
        """Score the current weights and keep them if they are the best so far."""
        with self.playing():
            plays = self.ranks.main or not self.settings.served
            # Sums in floating point may differ between devices; what the main one finds holds for all.
            score = self.ranks.broadcast(selection_score(self.arena, self.policy) if plays else None)
        row["select_score"] = score
        self.keep_if_best(step, score, row)
