"""Who plays a run's episodes: the model that is trained, or an engine that has its weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from equipoise.errors import RequestError
from equipoise.policies.base import Policy
from equipoise.policies.local.free import FreeText
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.local.sampling import Sampled
from equipoise.types import Choice, Decision, StopReason

__all__ = ["EnginePolicy", "vllm_sampler"]

Sampler = Callable[[list[tuple[int, ...]]], list[Sampled]]
"""Continues token ids."""


class EnginePolicy(Policy):
    """The policy of a run, its text made by an engine beside the trainer.

    The engine draws by itself: its samples are those of the policy, but a run is not repeated to the bit.
    """

    strict = False
    deals = 40

    def __init__(self, policy: LocalPolicy, sample: Sampler, max_new_tokens: int) -> None:
        """Take the policy that is trained, what stands for its generation, and the budget of that.

        Raises:
            RequestError: The policy does not write freely.
        """
        if policy.mode != "free":
            raise RequestError(f"use_vllm = true: an engine plays mode 'free', not {policy.mode!r}")
        self.policy, self.name, self.fingerprint = policy, policy.name, policy.fingerprint
        self._text = _EngineText(policy, sample, max_new_tokens)

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Answer every decision."""
        self.version = self.policy.version
        return self._text.answer(decisions)


class _EngineText(FreeText):
    """Free text whose tokens come from an engine."""

    def __init__(self, policy: LocalPolicy, sample: Sampler, max_new_tokens: int) -> None:
        super().__init__(
            policy.loaded,
            policy.scorer,
            temperature=policy.temperature,
            max_new_tokens=max_new_tokens,
            # The engine makes its own batches.
            max_rows=1 << 30,
            wording=policy.wording,
        )
        self._draw = sample

    def _sample(self, ids: list[tuple[int, ...]], decisions: Sequence[Decision]) -> list[Sampled]:
        return self._draw(ids)


def vllm_sampler(generation: Any, stop_ids: Sequence[int]) -> Sampler:
    """Return what asks TRL's vLLM engine, in this process or on a server.

    Args:
        generation: ``trainer.vllm_generation``.
        stop_ids: Tokens that end a completion.
    """
    ends = frozenset(stop_ids)

    def sample(prompts: list[tuple[int, ...]]) -> list[Sampled]:
        if not prompts:
            return []
        asked = [list(prompt) for prompt in prompts]
        if generation.mode == "server":
            # TRL's own method wants equally many prompts on every rank; here the main one asks for all.
            found = generation.vllm_client.generate(
                prompts=asked,
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
            ids, logs = found["completion_ids"], found["logprobs"]
        else:
            _, ids, logs, _ = generation.generate(prompts=asked, images=None, num_generations=1)
        return [_sampled(t, lp, ends) for t, lp in zip(ids, logs, strict=True)]

    return sample


def _sampled(
    tokens: Sequence[int], logprobs: Sequence[Sequence[float | None]], ends: frozenset[int]
) -> Sampled:
    """Turn an engine's answer into ours; a token that it could not score is NaN, which stops training."""
    logs = tuple(float("nan") if row[0] is None else float(row[0]) for row in logprobs)
    stop = StopReason.FINISHED if tokens and tokens[-1] in ends else StopReason.LENGTH
    return Sampled(tuple(tokens), logs, stop)
