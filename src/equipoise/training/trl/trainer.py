"""TRL's GRPO trainer with episodes in place of prompts, and the loss of SEPO.

What is TRL's: the optimiser, mixed precision, data parallelism and sharding, gradient checkpointing, the
vLLM engine, the ratio with its clipping, the k3 estimate of the penalty. What is replaced: where the rows of
a step come from, and the distribution a token is scored under where decoding was constrained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from trl import GRPOConfig, GRPOTrainer
from trl.trainer.utils import use_adapter

from equipoise.policies.local.backbone import token_types
from equipoise.training.trl.loss import token_logprobs
from equipoise.training.trl.rows import Row, collate, padded_count
from equipoise.training.trl.sync import GapWatch

__all__ = ["SepoTrainer", "StepRows"]


@dataclass(frozen=True)
class StepRows:
    """What a step trains on, the same on every rank.

    Attributes:
        rows: The rows of all ranks.
        decisions: The decisions behind them; what sums of penalties are divided by.
        per_token: Whether a row holds several decisions.
    """

    rows: Sequence[Row]
    decisions: int
    per_token: bool = False


class SepoTrainer(GRPOTrainer):  # type: ignore[misc]
    """Plays a step's episodes, credits them, and lets TRL make the update."""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        args: GRPOConfig,
        play: Callable[[int], StepRows],
        *,
        lr_decay: float = 0.0,
        entropy: float = 0.0,
        max_gap: float = 0.3,
        first_step: int = 0,
        callbacks: Sequence[Any] = (),
    ) -> None:
        """Wrap a model.

        Args:
            model: A causal model of transformers, with or without a PEFT adapter.
            tokenizer: Its tokenizer.
            args: TRL's settings, as :func:`equipoise.training.trl.arguments.grpo_config` makes them.
            play: Plays and credits a step; called on every rank, must return the same on all.
            lr_decay: The rate falls as 1 / (1 + lr_decay · step).
            entropy: Weight of the entropy bonus, summed over tokens, averaged over decisions.
            max_gap: Mean gap in nats between sampler and trainer at which training stops.
            first_step: Steps made already.
            callbacks: Told what happens.
        """
        self.play, self.lr_decay, self.entropy, self.first_step = play, lr_decay, entropy, first_step
        self.gaps = GapWatch(max_gap)
        self._allowed: torch.Tensor | None = None
        self._scored: tuple[torch.Tensor, torch.Tensor] | None = None
        self._before: list[torch.Tensor] = []
        self.norm: float | None = None
        self._types = token_types(model.get_base_model() if hasattr(model, "get_base_model") else model)
        super().__init__(
            model=model,
            reward_funcs=_no_reward,
            args=args,
            train_dataset=_placeholder(args),
            processing_class=tokenizer,
            callbacks=list(callbacks),
        )

    def _send_telemetry(self) -> None:
        """Send nothing: TRL would tell its makers of every run."""

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
        """Let the rate fall with the step, from where an interrupted run stopped."""
        self.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(
            optimizer or self.optimizer, lambda step: 1.0 / (1.0 + self.lr_decay * (self.first_step + step))
        )
        self._created_lr_scheduler = True
        return self.lr_scheduler

    def _generate_and_score_completions(self, inputs: Any) -> dict[str, torch.Tensor]:
        """Return this rank's rows of the step; ``inputs``, drawn from a placeholder, says nothing."""
        step = self.state.global_step
        found = self.play(step)
        self._before = []
        # TRL deals the rows out to passes by the global generator: the same after a resume as without one.
        torch.manual_seed(self.args.seed * 1_000_003 + step)
        ranks, rank = self.accelerator.num_processes, self.accelerator.process_index
        mine = found.rows[rank::ranks]
        largest = padded_count(len(found.rows), ranks) // ranks
        count = padded_count(largest, self.args.steps_per_generation)
        pad = self._tokenizer.pad_token_id
        batch = collate(
            mine,
            count,
            found.decisions,
            pad,
            self.accelerator.device,
            per_token=found.per_token,
            constrained=any(row.constrained for row in found.rows),
        )
        if self.beta != 0.0:
            batch["ref_per_token_logps"] = self._reference(batch)
        return batch

    def moved(self) -> float:
        """Estimate KL(policy that played ‖ policy now) on the step's tokens, averaged over decisions (k3)."""
        total = torch.zeros((), device=self.accelerator.device)
        with torch.no_grad():
            for batch, before in zip(self._buffered_inputs, self._before, strict=True):
                r = self._score(self.model_wrapped, batch) - before
                total += ((r.exp() - r - 1.0) * batch["tool_mask"]).sum()
        whole = self.accelerator.reduce(total, reduction="sum")
        return float(whole / self._buffered_inputs[0]["num_items_in_batch"])

    def _score(self, model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the log-probabilities of a batch's completions, (B, T)."""
        ids = torch.cat([batch["prompt_ids"], batch["completion_ids"]], dim=1)
        mask = torch.cat([batch["prompt_mask"], batch["completion_mask"]], dim=1)
        width, size = batch["completion_ids"].size(1), self.args.per_device_train_batch_size
        self._allowed = batch.get("allowed")
        found: torch.Tensor = self._get_per_token_logps_and_entropies(model, ids, mask, width, size)[0]
        self._allowed = None
        return found

    def _clip_grad_norm(self, model: Any) -> Any:
        norm = super()._clip_grad_norm(model)
        self.norm = None if norm is None else float(norm)
        return norm

    def _reference(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the reference's log-probabilities: the adapter's start, or the model as it was loaded."""
        with torch.no_grad():
            if self.ref_model is not None:
                return self._score(self.ref_model, batch)
            model = self.accelerator.unwrap_model(self.model)
            with use_adapter(model, "ref" if "ref" in model.peft_config else None):
                return self._score(self.model, batch)

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        logits_to_keep: int,
        batch_size: int | None = None,
        compute_entropy: bool = False,
        **rest: Any,
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]:
        """Score completions under the distributions they were drawn from (see TRL's method)."""
        if self._types is not None:
            # Multimodal models want to be told that all is text.
            rest[self._types] = torch.zeros_like(input_ids)
        if self._allowed is None:
            found = super()._get_per_token_logps_and_entropies(
                model, input_ids, attention_mask, logits_to_keep, batch_size, compute_entropy, **rest
            )
        else:
            size = batch_size or len(input_ids)
            parts = [
                self._constrained(model, input_ids[i : i + size], attention_mask[i : i + size], allowed)
                for i, allowed in zip(range(0, len(input_ids), size), self._allowed.split(size), strict=True)
            ]
            logs, spreads = (torch.cat(one) for one in zip(*parts, strict=True))
            found = logs, spreads if compute_entropy else None, None
        logs, entropies, aux = found
        if compute_entropy:
            self._scored = logs, entropies
        return logs, entropies, aux

    def _constrained(
        self, model: Any, ids: torch.Tensor, mask: torch.Tensor, allowed: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        width = allowed.size(1)
        types = {} if self._types is None else {self._types: torch.zeros_like(ids)}
        with self.accelerator.autocast():
            output = model(
                input_ids=ids, attention_mask=mask, logits_to_keep=width + 1, use_cache=False, **types
            )
        logits = output.logits[:, -width - 1 : -1] / self.temperature
        return token_logprobs(logits, ids[:, -width:], allowed)

    def _compute_loss(self, model: Any, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        self._allowed = inputs.get("allowed")
        loss = super()._compute_loss(model, inputs)
        assert self._scored is not None
        logs, entropies = self._scored
        self._scored = self._allowed = None
        self._before.append(logs.detach())
        mask = inputs["tool_mask"]
        self.gaps.add(logs, inputs["old_per_token_logps"], mask)
        if self.entropy:
            # The same normaliser as TRL's loss: gradients are averaged over ranks, so sums are of all ranks.
            share = self.accelerator.num_processes / inputs["num_items_in_batch"]
            loss = loss - self.entropy * share * (entropies * mask).sum()
        return loss


def _no_reward(completions: Sequence[Any], **_: Any) -> list[float]:
    """Stand for the reward that TRL demands; rewards are those of the game, credited before."""
    return [0.0] * len(completions)


def _placeholder(args: GRPOConfig) -> Any:
    """Return as many empty prompts as TRL wants to see at a step."""
    from datasets import Dataset

    return Dataset.from_dict({"prompt": [""] * (args.generation_batch_size // args.num_generations)})
