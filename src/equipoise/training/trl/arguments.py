"""TRL's settings, from ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trl import GRPOConfig

from equipoise.errors import RequestError
from equipoise.objective.safety import Objective
from equipoise.policies.local.policy import LocalPolicy
from equipoise.training.arena import Arena
from equipoise.training.config import SepoConfig
from equipoise.training.thinning import check_thinning
from equipoise.training.trl.settings import TrlSettings

__all__ = ["check", "grpo_config", "passes"]


def grpo_config(
    config: SepoConfig,
    settings: TrlSettings,
    folder: Path,
    *,
    device: str,
    temperature: float,
    max_tokens: int,
    stop_ids: Sequence[int] = (),
    passes: int = 1,
) -> GRPOConfig:
    """Return TRL's settings for a run.

    Args:
        config: The run.
        settings: What is TRL's own.
        folder: Where TRL may write.
        device: ``cpu`` keeps off all accelerators.
        temperature: The sampler's, by which logits are divided.
        max_tokens: Budget of a generation.
        stop_ids: Tokens that end a generation.
        passes: Forward and backward passes that an update is split into.
    """
    engine: dict[str, Any] = {}
    if settings.use_vllm:
        engine = settings.model_dump(exclude_none=True, include=set(VLLM))
        engine["generation_kwargs"] = {"stop_token_ids": list(stop_ids)}
    # Even, because TRL wants at least two generations of a prompt; it plays no other role here.
    rows = config.rows + config.rows % 2
    return GRPOConfig(
        output_dir=str(folder),
        max_steps=config.steps,
        learning_rate=config.lr,
        weight_decay=0.0,
        max_grad_norm=config.max_grad_norm,
        optim="adamw_torch",
        seed=config.seed,
        beta=config.kl,
        use_bias_correction_kl=True,
        loss_type="dapo",
        scale_rewards="none",
        num_generations=2,
        per_device_train_batch_size=rows,
        gradient_accumulation_steps=passes,
        steps_per_generation=passes,
        temperature=temperature,
        max_completion_length=max_tokens,
        # The ratio to the sampler's own log-probabilities corrects for what differs between engines.
        vllm_importance_sampling_correction=False,
        disable_dropout=True,
        gradient_checkpointing=settings.gradient_checkpointing,
        bf16=settings.bf16,
        use_cpu=device == "cpu",
        shuffle_dataset=False,
        logging_steps=1,
        logging_nan_inf_filter=False,
        save_strategy="no",
        report_to="none",
        ddp_find_unused_parameters=False,
        disable_tqdm=True,
        **engine,
    )


VLLM = (
    "use_vllm",
    "vllm_mode",
    "vllm_server_base_url",
    "vllm_gpu_memory_utilization",
    "vllm_max_model_length",
    "vllm_enable_sleep_mode",
)
"""The settings that are passed on as they are; the names are TRL's."""


def check(config: SepoConfig, settings: TrlSettings, policy: LocalPolicy) -> None:
    """Check that a run, its settings and its policy go together.

    Raises:
        RequestError: They do not.
    """
    if config.gradient != "sampled":
        raise RequestError(
            f"gradient = {config.gradient!r}: TRL trains on samples, use gradient = 'sampled' or "
            "backend = 'local'"
        )
    if config.league is not None:
        raise RequestError("league: frozen copies are kept by backend = 'local' only")
    check_thinning(config.max_decisions)
    if policy.temperature == 0.0:
        raise RequestError("temperature = 0: a policy that does not vary cannot be trained on its samples")
    if policy.mode == "choose" and policy.temperature != 1.0:
        raise RequestError(
            f"temperature = {policy.temperature:g}: mode 'choose' divides the log-probabilities of whole "
            "words, TRL those of tokens, use temperature = 1"
        )
    if settings.tuning == "full" and hasattr(policy.loaded.model, "peft_config"):
        raise RequestError("tuning = 'full': the model has an adapter, which tuning = 'lora' trains")
    if settings.layout == "chat" and policy.history != "chat":
        raise RequestError(
            f"layout = 'chat': with history = {policy.history!r} every prompt is built anew, use history = "
            "'chat' or layout = 'decisions'"
        )
    if settings.served and "library_response" in config.exploiters:
        raise RequestError(
            "exploiters = 'pool+library_response': every process plays the library against the policy, and a "
            "vLLM server is asked by one; use vllm_mode = 'colocate'"
        )
    if settings.use_vllm and policy.mode == "choose":
        raise RequestError("use_vllm = true: mode 'choose' writes no text, use mode 'think' or 'free'")
    own = policy.loaded.model.config._name_or_path
    if settings.tuning == "full" and config.kl > 0.0 and not own:
        raise RequestError(
            f"kl = {config.kl:g} with tuning = 'full': the reference is loaded from the model's folder, and "
            f"{policy.loaded.spec!r} has none; save it first, or use kl = 0"
        )


def passes(arena: Arena, layout: str, ranks: int, texts: int = 1) -> int:
    """Return into how many passes an update is split, so that none has more than ``rows`` rows.

    TRL wants to know before anything is played, once for all steps: it is worked out for the longest episodes
    there can be, the stage of the curriculum with the most opponents, and a full league of past responders.

    Args:
        arena: The game and its settings.
        layout: ``decisions`` or ``chat``.
        ranks: Number of processes.
        texts: Generations of a decision.
    """
    config, info = arena.config, arena.game.info_record
    streams = max(_streams(one) for one in arena.stages())
    if "league" in config.exploiters.split("+"):
        streams += config.league_size
    own = info.rounds * (1 if info.dynamics == "simultaneous" else 2) * texts
    if layout == "chat":
        own = info.rounds if info.independent_rounds else 1
    return math.ceil(streams * config.deals * config.rollouts * own / ranks / config.rows)


def _streams(objective: Objective) -> int:
    """Return how many opponents of pools are played against; those that count for nothing are not."""
    gates = dict.fromkeys(objective.exploiters, 1.0)
    return sum(bool(parts) for parts in objective.coefficients(gates).values())
