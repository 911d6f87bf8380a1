"""Plain generation whose draws belong to decisions, not to batches: the modes ``free`` and ``think``.

Every token of every row is drawn by inverse transform from a uniform keyed by its decision and position, so
the same decision gets the same draws alone or among others (up to rounding of the model's own sums).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from transformers import (
    DynamicCache,
    GenerationConfig,
    LogitsProcessor,
    StoppingCriteria,
    StoppingCriteriaList,
)

from equipoise.policies.local.backbone import Backbone, Layers
from equipoise.types import StopReason

__all__ = ["Sampled", "generate"]

Uniform = Callable[[str], float]
"""Maps a purpose to a draw in [0, 1)."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """One completion: its tokens (with the one that ended it), their log-probabilities, why it ended."""

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    stop: StopReason


class _KeyedDraws(LogitsProcessor):  # type: ignore[misc]
    """Draws the next token of each row and leaves generation nothing else to pick."""

    def __init__(self, uniforms: Sequence[Uniform], temperature: float, start: int) -> None:
        self.uniforms, self.temperature, self.start = uniforms, temperature, start
        self.logprobs: list[torch.Tensor] = []

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        step = input_ids.shape[1] - self.start
        # Apple's GPUs have no doubles.
        precise = (scores.cpu() if scores.device.type == "mps" else scores).double()
        if self.temperature > 0.0:
            logprobs = torch.log_softmax(precise / self.temperature, dim=-1)
            cumulative = logprobs.exp().cumsum(dim=-1)
            draws = [uniform(f"token/{step}") for uniform in self.uniforms]
            u = torch.tensor(draws, dtype=torch.float64, device=precise.device).unsqueeze(1)
            # Scaled by the last sum, which rounding leaves a hair off 1.
            picked = torch.searchsorted(cumulative, u * cumulative[:, -1:], right=True)
            picked = picked.clamp(max=scores.shape[-1] - 1)
        else:
            logprobs = torch.log_softmax(precise, dim=-1)
            picked = logprobs.argmax(dim=-1, keepdim=True)
        self.logprobs.append(logprobs.gather(1, picked).squeeze(1))
        return torch.full_like(scores, -math.inf).scatter(1, picked.to(scores.device), 0.0)


class _TextEnd(StoppingCriteria):  # type: ignore[misc]
    """Stops a row whose text says so, and remembers after how many tokens it did."""

    def __init__(self, says: Callable[[Sequence[int]], bool], start: int) -> None:
        self.says, self.start = says, start
        self.lengths: dict[int, int] = {}

    def __call__(self, input_ids: torch.Tensor, scores: Any, **given: Any) -> torch.Tensor:
        new = input_ids[:, self.start :]
        # Rows that ended at a token are padded from there on: nobody looks at what is found in them.
        for row, tokens in enumerate(new.tolist()):
            if row not in self.lengths and self.says(tokens):
                self.lengths[row] = len(tokens)
        done = [row in self.lengths for row in range(len(new))]
        return torch.tensor(done, dtype=torch.bool, device=input_ids.device)


def generate(
    backbone: Backbone,
    prompts: Sequence[tuple[int, ...]],
    uniforms: Sequence[Uniform],
    *,
    stop_ids: Sequence[int],
    pad: int,
    max_new_tokens: int,
    temperature: float = 1.0,
    layers: Layers | None = None,
    ended: Callable[[Sequence[int]], bool] | None = None,
) -> list[Sampled]:
    """Continue all prompts in one batch.

    Args:
        backbone: The model.
        prompts: Token ids to continue.
        uniforms: For each prompt its source of draws.
        stop_ids: Tokens that end a completion.
        pad: The padding token.
        max_new_tokens: Budget of each completion.
        temperature: Divides the logits; 0 takes the likeliest token.
        layers: Keys and values of all but the last token of each prompt, padded on the left.
        ended: Tells, given the tokens so far of a completion, whether its last one ends it.
    """
    ids, mask = _pad_left(prompts, pad, backbone.model.device)
    draws = _KeyedDraws(uniforms, temperature, ids.shape[1])
    cache = {} if layers is None else {backbone.cache_name: DynamicCache(layers)}
    config = GenerationConfig(
        max_new_tokens=max_new_tokens,
        do_sample=False,
        num_beams=1,
        repetition_penalty=1.0,
        eos_token_id=list(stop_ids),
        pad_token_id=pad,
    )
    text = None if ended is None else _TextEnd(ended, ids.shape[1])
    with _bare(backbone):
        output = backbone.model.generate(
            input_ids=ids,
            attention_mask=mask,
            generation_config=config,
            logits_processor=[draws],
            stopping_criteria=StoppingCriteriaList([] if text is None else [text]),
            **cache,
        )
    new = output[:, ids.shape[1] :].tolist()
    logprobs = torch.stack(draws.logprobs, dim=1).tolist()
    lengths = {} if text is None else text.lengths
    return [
        _cut(tokens, logs, frozenset(stop_ids), lengths.get(row))
        for row, (tokens, logs) in enumerate(zip(new, logprobs, strict=True))
    ]


@contextmanager
def _bare(backbone: Backbone) -> Iterator[None]:
    """Set the generation settings that come with a checkpoint aside.

    What a call leaves open would be taken from them, and tokens that they suppress or penalise would be
    sampled from another distribution than the one that is recorded and trained.
    """
    owners = [model for model in (backbone.model, backbone.causal) if hasattr(model, "generation_config")]
    before = [model.generation_config for model in owners]
    try:
        for model in owners:
            model.generation_config = GenerationConfig()
        yield
    finally:
        for model, settings in zip(owners, before, strict=True):
            model.generation_config = settings


def _pad_left(prompts: Sequence[tuple[int, ...]], pad: int, device: Any) -> tuple[torch.Tensor, torch.Tensor]:
    width = max(map(len, prompts))
    ids = torch.tensor([(pad,) * (width - len(prompt)) + prompt for prompt in prompts], device=device)
    mask = torch.tensor(
        [(0,) * (width - len(prompt)) + (1,) * len(prompt) for prompt in prompts], device=device
    )
    return ids, mask


def _cut(tokens: list[int], logprobs: list[float], stops: frozenset[int], length: int | None) -> Sampled:
    """Keep what was sampled, up to the token that ended it: one that stops, or the one at ``length``."""
    for i, token in enumerate(tokens[:length]):
        if token in stops:
            return Sampled(tuple(tokens[: i + 1]), tuple(logprobs[: i + 1]), StopReason.FINISHED)
    reason = StopReason.LENGTH if length is None else StopReason.FINISHED
    return Sampled(tuple(tokens[:length]), tuple(logprobs[:length]), reason)
