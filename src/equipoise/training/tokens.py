"""Trains an adapter on sampled tokens: thoughts, words chosen among legal ones, free text.

The loss is −Σ over streams of (Σ over tokens of A·ratio) / (episodes of the stream). Log-probabilities are
the sampler's: at its temperature, and renormalised over the tokens that were allowed where decoding was
constrained. Every batch is used once, on the policy that played it, so the ratio is 1 in value and its
derivative that of the log-probability.

KL to the reference is estimated on the sampled tokens with the k3 form e^r − r − 1, r = log π_ref − log π
(Schulman, "Approximating KL divergence", 2020), times the ratio: the derivative of a token's term is then
−r·∇log π, an unbiased one of KL(π ‖ reference) given what was written before. Without the ratio it would be
that of the reverse divergence. KL and entropy are summed over the tokens of a decision and averaged over
decisions, as ``LocalLearner`` has them for decisions of one token. Where games are trained together every
game's mean counts for what the game does (``DecisionSample.share``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import torch

from equipoise.errors import RequestError
from equipoise.policies.local.backbone import Row
from equipoise.training.lora import Adapted, AdapterLearner
from equipoise.training.samples import DecisionSample, count_decisions

__all__ = ["Completion", "TokenLearner", "completions", "passes", "token_logprobs"]

P = TypeVar("P", bound=Adapted)


@dataclass(frozen=True, slots=True)
class Completion:
    """Samples with the same tokens, added up.

    Attributes:
        sample: The first of them.
        weight: The sum of their weights, A / episodes of the stream.
        count: How many they are.
        share: The sum of what their decisions count for in means of KL and entropy.
    """

    sample: DecisionSample
    weight: float
    count: int
    share: float

    @property
    def places(self) -> tuple[int, ...]:
        """The tokens that were sampled."""
        return tuple(i for i, sampled in enumerate(self.sample.mask) if sampled)

    @property
    def row(self) -> Row:
        """What the model reads, and where it predicts the sampled tokens."""
        start, places = len(self.sample.prompt_ids), self.places
        ids = self.sample.prompt_ids + self.sample.completion_ids[: places[-1]]
        return Row(ids, tuple(start - 1 + i for i in places))


def completions(samples: Sequence[DecisionSample]) -> list[Completion]:
    """Add up samples with the same tokens, in the order of these: neighbours then begin alike."""
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], list[DecisionSample]] = {}
    for sample in samples:
        found.setdefault((sample.prompt_ids, sample.completion_ids), []).append(sample)
    return [
        Completion(
            same[0],
            math.fsum(one.weight for one in same),
            len(same),
            math.fsum(one.share for one in same),
        )
        for _, same in sorted(found.items())
    ]


def token_logprobs(
    logits: torch.Tensor, completion: Completion, temperature: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return log-probability and entropy at each sampled token.

    Args:
        logits: (S, V) at the positions of :attr:`Completion.row`.
        completion: The completion.
        temperature: The sampler's.

    Returns:
        Two (S,) tensors.
    """
    sample, places = completion.sample, completion.places
    if all(sample.allowed[i] is None for i in places):
        return _gathered(logits / temperature, [sample.completion_ids[i] for i in places])
    logs, entropies = [], []
    for scores, i in zip(logits / temperature, places, strict=True):
        token, among = sample.completion_ids[i], sample.allowed[i]
        if among is not None:
            scores, token = scores[list(among)], among.index(token)
        log, spread = _gathered(scores[None], [token])
        logs.append(log)
        entropies.append(spread)
    return torch.cat(logs), torch.cat(entropies)


class TokenLearner(AdapterLearner[P]):
    """Trains the adapter of a local policy on what it wrote (modes ``think`` and ``free``)."""

    wants: Literal["samples"] = "samples"

    def __init__(
        self,
        policy: P,
        max_grad_norm: float = 1.0,
        pass_tokens: int = 4096,
        max_step_kl: float = math.inf,
    ) -> None:
        """Take the policy; its start is the reference of the KL term.

        Args:
            policy: The policy, with a trainable adapter.
            max_grad_norm: Gradients are scaled down to this norm.
            pass_tokens: Largest number of tokens, prompts included, of one pass with gradients.
            max_step_kl: A step is halved until the policy has moved by at most this KL divergence.

        Raises:
            RequestError: The policy's temperature leaves nothing to train, or belongs to whole actions.
        """
        if policy.temperature == 0.0:
            raise RequestError("temperature 0 leaves no choice to be trained: use a temperature above 0")
        if policy.mode == "choose" and policy.temperature != 1.0:
            raise RequestError(
                f"temperature {policy.temperature:g} of mode 'choose' is that of actions, not of tokens: "
                "use temperature 1, mode 'think', or the learner of decisions"
            )
        super().__init__(policy, max_grad_norm, max_step_kl)
        self.pass_tokens = pass_tokens

    def update(
        self, batch: Sequence[DecisionSample], lr: float, kl: float, entropy: float
    ) -> dict[str, float]:
        """Move the adapter one step (see ``Learner``); a gradient that is not finite makes none.

        The samples of a decision stand side by side.
        """
        rows = completions(batch)
        decisions = max(1, count_decisions(batch))
        sums = dict.fromkeys(("kl", "entropy", "gap", "tokens", "length"), 0.0)
        before: list[torch.Tensor] = []
        for chunk in self._chunks(rows):
            references = self._references(chunk)
            loss = torch.zeros((), device=self.model.device)
            for one, reference, (logs, spread) in zip(chunk, references, self._logs(chunk), strict=True):
                ratio, r = torch.exp(logs - logs.detach()), reference - logs
                divergence = (ratio * (torch.exp(r) - r - 1.0)).sum()
                share = one.share / decisions
                loss = loss - one.weight * ratio.sum()
                loss = loss + share * (kl * divergence - entropy * spread.sum())
                self._count(one, logs.detach(), divergence.detach(), spread.detach().sum(), sums)
                before.append(logs.detach())
            loss.backward()
        return self._step(lr, _statistics(sums, decisions), lambda: self._moved(rows, before, decisions))

    def _logs(self, rows: Sequence[Completion]) -> list[tuple[torch.Tensor, torch.Tensor]]:
        logits = self.policy.scorer.logits([one.row for one in rows])
        temperature = self.policy.temperature
        return [token_logprobs(found, one, temperature) for found, one in zip(logits, rows, strict=True)]

    def _references(self, rows: Sequence[Completion]) -> list[torch.Tensor]:
        with torch.no_grad(), self._as_reference():
            return [logs for logs, _ in self._logs(rows)]

    def _moved(self, rows: Sequence[Completion], before: Sequence[torch.Tensor], decisions: int) -> float:
        """Estimate KL(old policy ‖ new policy) on the sampled tokens, averaged over decisions."""
        total, start = 0.0, 0
        with torch.no_grad():
            for chunk in self._chunks(rows):
                for one, (logs, _) in zip(chunk, self._logs(chunk), strict=True):
                    r = logs - before[start]
                    total += one.share * float((torch.exp(r) - r - 1.0).sum())
                    start += 1
        return total / decisions

    def _count(
        self,
        one: Completion,
        logs: torch.Tensor,
        divergence: torch.Tensor,
        spread: torch.Tensor,
        sums: dict[str, float],
    ) -> None:
        sampled = torch.tensor([one.sample.sampled_logprobs[i] for i in one.places], device=logs.device)
        sums["gap"] += one.count * float((logs - sampled).abs().sum())
        sums["tokens"] += one.count * len(one.places)
        sums["length"] += one.share * len(one.places)
        sums["kl"] += one.share * float(divergence)
        sums["entropy"] += one.share * float(spread)

    def _chunks(self, rows: Sequence[Completion]) -> Iterator[list[Completion]]:
        return passes(rows, self.pass_tokens)


def passes(rows: Sequence[Completion], tokens: int) -> Iterator[list[Completion]]:
    """Split rows into passes of at most so many tokens, prompts included; longer rows stand alone."""
    chunk: list[Completion] = []
    size = 0
    for one in rows:
        length = len(one.row.ids)
        if chunk and size + length > tokens:
            yield chunk
            chunk, size = [], 0
        chunk.append(one)
        size += length
    if chunk:
        yield chunk


def _gathered(scores: torch.Tensor, tokens: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the log-probability of one token a row, and the entropy of the row."""
    rows = torch.log_softmax(scores, dim=-1)
    index = torch.tensor(tokens, device=scores.device).unsqueeze(1)
    return rows.gather(1, index).squeeze(1), -(rows.exp() * rows).sum(dim=-1)


def _statistics(sums: dict[str, float], decisions: int) -> dict[str, float]:
    tokens, length = max(1.0, sums["tokens"]), max(1.0, sums["length"])
    return {
        "kl": sums["kl"] / decisions,
        "entropy": sums["entropy"] / decisions,
        "token_kl": sums["kl"] / length,
        "token_entropy": sums["entropy"] / length,
        "sampler_gap": sums["gap"] / tokens,
        "tokens": sums["tokens"],
    }
