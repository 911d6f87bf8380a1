"""The warm start through TRL's ``SFTTrainer``, on prompts and answers as chats.

The loss is TRL's: the mean over the tokens of the answers of a step, on all ranks, and nothing of the prompt.
Batches are the same as those of :class:`~equipoise.training.sft.Sft`; so are the rate, the selection and the
folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from transformers import PrinterCallback
from trl import SFTConfig as TrlSftConfig
from trl import SFTTrainer
from trl.trainer.utils import disable_dropout_in_model

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import EquipoiseError, RequestError
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.policies.local.backbone import token_types
from equipoise.policies.local.policy import LocalPolicy
from equipoise.progress import Reporter
from equipoise.rollout.deals import Split
from equipoise.rollout.requests import InvalidRule
from equipoise.training.config import SftConfig
from equipoise.training.sft import batch_of
from equipoise.training.stopping import Best
from equipoise.training.supervised import rate_at
from equipoise.training.trl.base import Steps, TrlRun
from equipoise.training.trl.examples import Examples
from equipoise.training.trl.ranks import Ranks
from equipoise.training.trl.settings import TrlSettings
from equipoise.training.trl.weights import no_bars

__all__ = ["TrlSft"]


class TrlSft(TrlRun):
    """One supervised run; made on every rank."""

    def __init__(
        self,
        game: Game,
        objective: Objective,
        policy: LocalPolicy,
        config: SftConfig,
        settings: TrlSettings,
        examples: Examples,
        folder: Path,
        ranks: Ranks | None = None,
        reporter: Reporter | None = None,
        origin: Mapping[str, Any] | None = None,
        opponents: Opponents | None = None,
        rule: InvalidRule | None = None,
    ) -> None:
        """Prepare a run.

        Args:
            game: The game.
            objective: Scores the selection.
            policy: A local policy; the weights that get gradients are trained.
            config: Settings.
            settings: What is TRL's own.
            examples: What to train and to validate on.
            folder: Where checkpoints and metrics go; all ranks must see it.
            ranks: The processes (default: read from the environment).
            reporter: Shows progress.
            origin: What else identifies the run.
            opponents: The opponents of the pools, where they are loaded already.
            rule: What happens to invalid answers when weights are scored.

        Raises:
            RequestError: The batch does not divide among the ranks, or the folder holds another run.
        """
        self.config, self.rule = config, rule or InvalidRule()
        self.game, self.weights = game, objective.weights
        self.pools = replace(objective.pools, shift=())
        if config.min_delta:
            raise RequestError(
                f"min_delta = {config.min_delta:g} is not for TRL: leave it out, or use backend = 'local'"
            )
        self.training, self.validation = examples
        self.met = opponents or Opponents.named(self.pools, game, None)
        request = {
            "game": game.info_record.key,
            "options": game.options.changed(),
            "pools": {pool: list(names) for pool, names in objective.pools},
            "config": config.model_dump(mode="json"),
            "examples": [len(self.training), len(self.validation)],
            "origin": dict(origin or {}),
        }
        best, title = Best(config.patience, config.min_delta), f"sft {game.name}"
        super().__init__(policy, settings, folder, request, config.steps, best, ranks, reporter, title)
        self.trainer = self._trainer()
        self.restore()

    def first(self) -> None:
        """Do nothing: the untrained model is no candidate."""

    def before_update(self) -> None:
        """Stop where the gradient is not finite.

        Raises:
            EquipoiseError: It is not.
        """
        norm = self.trainer.norm
        if norm is not None and not norm < float("inf"):
            raise EquipoiseError("the gradient is not finite: lower the learning rate")
        self.updates += 1

    def after(self, step: int, logs: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a step; score the new weights where it is their turn."""
        row: dict[str, Any] = {
            "step": step,
            "loss": logs["loss"],
            "lr": logs["learning_rate"],
            "grad_norm": logs["grad_norm"],
        }
        if step % self.config.select_every == 0 or step == self.config.steps:
            self._select(step, row)
        return row

    def state_dict(self) -> dict[str, Any]:
        """Return nothing: batches follow from the step."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back nothing."""

    def _select(self, step: int, row: dict[str, Any]) -> None:
        loss = self.trainer.evaluate()["eval_loss"] if self.validation else None
        config = AuditConfig(
            episodes=self.config.select_episodes,
            seed=self.config.seed,
            pools=self.pools,
            weights=self.weights,
            split=Split.SELECT,
            rule=self.rule,
            chunk=self.config.select_episodes,
        )
        with self.playing():
            found = audit_game(self.game, self.policy, config, opponents=self.met).metrics["safety"]
        assert found is not None
        score = self.ranks.broadcast(found.value)
        row.update(validation_loss=loss, select_score=score)
        self.keep_if_best(step, score, row)

    def _trainer(self) -> _Trainer:
        from datasets import Dataset

        loaded, batch = self.policy.loaded, self._batch
        rows = largest_divisor(batch // self.ranks.count, self.config.rows)
        args = TrlSftConfig(
            output_dir=str(self.folder / "trl"),
            max_steps=self.config.steps,
            learning_rate=self.config.lr,
            weight_decay=0.0,
            max_grad_norm=self.config.max_grad_norm,
            optim="adamw_torch",
            seed=self.config.seed,
            per_device_train_batch_size=rows,
            per_device_eval_batch_size=self.config.rows,
            gradient_accumulation_steps=batch // self.ranks.count // rows,
            max_length=None,
            completion_only_loss=True,
            train_sampling_strategy="sequential",
            gradient_checkpointing=self.settings.gradient_checkpointing,
            bf16=self.settings.bf16,
            use_cpu=loaded.model.device.type == "cpu",
            logging_steps=1,
            logging_nan_inf_filter=False,
            save_strategy="no",
            report_to="none",
            ddp_find_unused_parameters=False,
            disable_tqdm=True,
        )
        # As in SEPO; and a resumed run need not know where a random generator stood.
        disable_dropout_in_model(loaded.model)
        with no_bars():
            trainer = _Trainer(
                model=loaded.model,
                args=args,
                train_dataset=Dataset.from_list(self.training),
                eval_dataset=Dataset.from_list(self.validation) if self.validation else None,
                processing_class=loaded.tokenizer,
                callbacks=[Steps(self)],
            )
        trainer.begin_at(self.start, self.config)
        size = len(self.training)
        trainer.train_dataset = trainer.train_dataset.select(
            [
                i
                for step in range(self.start, self.config.steps)
                for i in batch_of(step, size, batch, self.config.seed)
            ]
        )
        trainer.remove_callback(PrinterCallback)
        return trainer

    @property
    def _batch(self) -> int:
        """The examples of a step, on all ranks."""
        batch = min(self.config.batch, len(self.training))
        if batch % self.ranks.count:
            raise RequestError(
                f"batch = {batch} does not divide among {self.ranks.count} processes: use a multiple of it"
            )
        return batch


class _Trainer(SFTTrainer):  # type: ignore[misc]
    """TRL's trainer with the rate of ours."""

    def begin_at(self, step: int, config: SftConfig) -> None:
        """Say at which step training begins."""
        self._first, self._config = step, config

    norm: float | None = None

    def _clip_grad_norm(self, model: Any) -> Any:
        norm = super()._clip_grad_norm(model)
        self.norm = None if norm is None else float(norm)
        return norm

    def compute_loss(self, model: Any, inputs: dict[str, Any], *given: Any, **named: Any) -> Any:
        """Tell multimodal models that all is text, then compute TRL's loss."""
        base = self.accelerator.unwrap_model(self.model)
        name = token_types(base.get_base_model() if hasattr(base, "get_base_model") else base)
        if name is not None:
            inputs[name] = torch.zeros_like(inputs["input_ids"])
        return super().compute_loss(model, inputs, *given, **named)

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
        """Let the rate rise and fall, from where an interrupted run stopped."""
        self.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(
            optimizer or self.optimizer,
            lambda step: rate_at(self._first + step, self._config) / self._config.lr,
        )
        self._created_lr_scheduler = True
        return self.lr_scheduler

    def _send_telemetry(self) -> None:
        """Send nothing: TRL would tell its makers of every run."""


def largest_divisor(number: int, limit: int) -> int:
    """Return the largest divisor of a number that is at most the limit."""
    return max(d for d in range(1, min(number, limit) + 1) if number % d == 0)
