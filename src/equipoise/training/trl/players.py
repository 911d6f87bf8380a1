"""Text of a run's policy from an engine that has its weights, in place of the model that is trained.

The engine draws by itself: its samples are those of the policy, but a run is not repeated to the bit. In
``think`` mode the engine writes the thoughts; the model itself scores the actions after them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.local.sampling import Sampled, Uniform
from equipoise.policies.local.writing import Writer
from equipoise.types import StopReason

__all__ = ["EngineWriter", "Sampler", "vllm_sampler"]

Sampler = Callable[[list[tuple[int, ...]]], list[tuple[tuple[int, ...], tuple[float, ...]]]]
"""Continues token ids: returns tokens and their log-probabilities as sampled."""


class EngineWriter(Writer):
    """Completions that come from an engine, which makes its own batches and its own draws."""

    def __init__(self, policy: LocalPolicy, sample: Sampler) -> None:
        """Take the policy whose text it is to write, and what asks the engine."""
        super().__init__(policy.loaded, policy.scorer, temperature=policy.temperature, max_rows=1)
        self._sample = sample

    def write(
        self, prompts: Sequence[tuple[int, ...]], uniforms: Sequence[Uniform], budget: int, end: str = ""
    ) -> list[Sampled]:
        """Return a completion for each prompt; what comes after its end is thrown away."""
        says = self._says(end) if end else None
        return [self._cut(*one, budget, says) for one in self._sample(list(prompts))]

    def _cut(
        self,
        ids: tuple[int, ...],
        logprobs: tuple[float, ...],
        budget: int,
        says: Callable[[Sequence[int]], bool] | None,
    ) -> Sampled:
        for size in range(1, min(budget, len(ids)) + 1):
            if ids[size - 1] in self.stop_ids or (says is not None and says(ids[:size])):
                return Sampled(ids[:size], logprobs[:size], StopReason.FINISHED)
        return Sampled(ids[:budget], logprobs[:budget], StopReason.LENGTH)


def vllm_sampler(generation: Any) -> Sampler:
    """Return what asks TRL's vLLM engine, in this process or on a server.

    Args:
        generation: ``trainer.vllm_generation``.
    """

    def sample(prompts: list[tuple[int, ...]]) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
        if not prompts:
            return []
        asked = [list(prompt) for prompt in prompts]
        if generation.mode == "server":
            ids, logs = _served(generation, asked)
        else:
            _, ids, logs, _ = generation.generate(prompts=asked, images=None, num_generations=1)
        return [(tuple(tokens), _drawn(rows)) for tokens, rows in zip(ids, logs, strict=True)]

    return sample


def _served(generation: Any, prompts: list[list[int]]) -> tuple[Any, Any]:
    """Ask the server for all ranks: TRL's own method wants equally many prompts on each."""
    found = generation.vllm_client.generate(
        prompts=prompts,
        n=1,
        repetition_penalty=generation.repetition_penalty,
        temperature=generation.temperature,
        top_p=generation.top_p,
        top_k=generation.top_k,
        min_p=0.0 if generation.min_p is None else generation.min_p,
        max_tokens=generation.max_completion_length,
        logprobs=generation.logprobs,
        generation_kwargs=generation.generation_kwargs,
    )
    return found["completion_ids"], found["logprobs"]


def _drawn(rows: Sequence[Sequence[float | None]]) -> tuple[float, ...]:
    """Return the log-probability of each token; one that the engine could not give stops training."""
    return tuple(float("nan") if row[0] is None else float(row[0]) for row in rows)
