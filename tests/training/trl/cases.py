"""A tiny model, samples as it would draw them, and SEPO's loss in plain torch from its definition."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from equipoise.policies.local.tiny import tiny_model, tiny_tokenizer
from equipoise.training.config import SepoConfig
from equipoise.training.samples import DecisionSample
from equipoise.training.trl.arguments import grpo_config
from equipoise.training.trl.rows import decision_rows
from equipoise.training.trl.settings import TrlSettings
from equipoise.training.trl.trainer import SepoTrainer, StepRows

ADVANTAGES = (1.0, -2.0, 0.5, 0.3, -1.0)
STREAMS = (("train", "a"), ("exploiter", "b"))
EPISODES = {STREAMS[0]: 4, STREAMS[1]: 2}


def tiny(seed: int = 0) -> Any:
    return tiny_model(tiny_tokenizer(), seed=seed)


def adapted(model: Any) -> Any:
    """Return the model with an adapter that already does something."""
    from peft import LoraConfig, get_peft_model

    with torch.random.fork_rng():
        torch.manual_seed(5)
        net = get_peft_model(model, LoraConfig(r=2, lora_alpha=4, target_modules="all-linear"))
        for name, parameter in net.named_parameters():
            if "lora_B" in name:
                parameter.data = 0.05 * torch.randn(parameter.shape)
    return net


def samples(model: Any, temperature: float = 1.0, *, constrained: bool = True) -> list[DecisionSample]:
    """Return five generations of different lengths; the last token of every second is among three."""
    generator = torch.Generator().manual_seed(1)
    found = []
    for i, advantage in enumerate(ADVANTAGES):
        prompt = torch.randint(3, 300, (5 + i,), generator=generator).tolist()
        completion = torch.randint(3, 300, (3 + i % 3,), generator=generator).tolist()
        allowed: list[tuple[int, ...] | None] = [None] * len(completion)
        mask = [1] * len(completion)
        if constrained and i % 2:
            allowed[-1] = (7, completion[-1], 9)
            mask[0] = 0
        stream = STREAMS[i % 2]
        sample = DecisionSample(
            tuple(prompt),
            tuple(completion),
            (0.0,) * len(completion),
            tuple(mask),
            tuple(allowed),
            advantage,
            stream,
            EPISODES[stream],
            f"episode {i}",
            0,
            "action",
        )
        with torch.no_grad():
            logs = scored(model, sample, temperature)[0]
        found.append(with_logprobs(sample, logs.tolist()))
    return found


def with_logprobs(sample: DecisionSample, logs: Sequence[float]) -> DecisionSample:
    from dataclasses import replace

    return replace(sample, sampled_logprobs=tuple(x * m for x, m in zip(logs, sample.mask, strict=True)))


def scored(model: Any, sample: DecisionSample, temperature: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    """Return log-probability and entropy of each token: one row, no padding, one token at a time."""
    ids = torch.tensor([sample.prompt_ids + sample.completion_ids])
    logits = model(input_ids=ids).logits[0].double() / temperature
    logs, entropies = [], []
    for t, (token, among) in enumerate(zip(sample.completion_ids, sample.allowed, strict=True)):
        row = logits[len(sample.prompt_ids) - 1 + t]
        kept = range(len(row)) if among is None else among
        distribution = torch.log_softmax(row[list(kept)], dim=-1)
        logs.append(distribution[list(kept).index(token)])
        entropies.append(-(distribution.exp() * distribution).sum())
    return torch.stack(logs), torch.stack(entropies)


def plain_loss(
    model: Any,
    batch: Sequence[DecisionSample],
    reference: Any = None,
    kl: float = 0.0,
    entropy: float = 0.0,
    temperature: float = 1.0,
) -> torch.Tensor:
    """Return −Σ_streams Σ_tokens A·ratio / episodes, plus penalty and bonus averaged over generations."""
    total = torch.zeros((), dtype=torch.float64)
    for sample in batch:
        logs, spreads = scored(model, sample, temperature)
        sampled = torch.tensor(sample.sampled_logprobs, dtype=torch.float64)
        mask = torch.tensor(sample.mask, dtype=torch.float64)
        ratio = (logs - sampled).exp()
        share = sample.advantage / EPISODES[sample.stream]
        total = total - (share * ratio * mask).sum()
        total = total - entropy / len(batch) * (spreads * mask).sum()
        if kl:
            with torch.no_grad():
                known = scored(reference, sample, temperature)[0]
            k3 = (known - logs).exp() - (known - logs) - 1.0
            total = total + kl / len(batch) * (ratio * k3 * mask).sum()
    return total


def trainer(
    model: Any,
    batch: Sequence[DecisionSample],
    folder: Path,
    *,
    passes: int = 1,
    temperature: float = 1.0,
    settings: TrlSettings | None = None,
    rows: StepRows | None = None,
    **changed: Any,
) -> SepoTrainer:
    """Return a trainer that is given these samples at every step."""
    config = SepoConfig(**{"steps": 1, "kl": 0.0, "max_grad_norm": 1e9, **changed})
    settings = settings or TrlSettings()
    args = grpo_config(
        config, settings, folder, device="cpu", temperature=temperature, max_tokens=8, passes=passes
    )
    step = rows or StepRows(decision_rows(batch), len(batch))
    return SepoTrainer(
        model,
        tiny_tokenizer(),
        args,
        lambda number: step,
        lr_decay=config.lr_decay,
        entropy=config.entropy,
        max_gap=config.max_sampler_gap,
    )


def first_update(made: SepoTrainer) -> tuple[float, dict[str, torch.Tensor]]:
    """Train, and return the loss of the first step and the gradients that it was made with."""
    from transformers import TrainerCallback

    found: dict[str, torch.Tensor] = {}

    class Listener(TrainerCallback):
        def on_pre_optimizer_step(self, *_: Any, model: Any, **__: Any) -> None:
            for name, parameter in model.named_parameters():
                if parameter.grad is not None and name not in found:
                    found[name] = parameter.grad.detach().clone()

    made.add_callback(Listener())
    made.train()
    return made.state.log_history[0]["loss"], found
