"""From credited generations to the rows of TRL's trainer.

Two layouts. ``decisions``: one row a generation, with one advantage. ``chat``: one row a conversation, whose
prompts go on from each other, so that what was said before is read once; every token has the advantage of its
own decision, tokens that the environment put between two answers have mask 0.

The loss of a batch is Σ over streams of (Σ over tokens of A·ratio) / (episodes of that stream). TRL's loss
``dapo`` is a sum over the tokens of all ranks divided by ``num_items_in_batch``, so each advantage is divided
by its stream's episodes and multiplied by N, the number of decisions of all ranks, and N is handed over as
``num_items_in_batch``: no row or token is averaged over, and the penalty for moving away from the reference,
which TRL adds to every token before it divides, comes out as a mean over decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from equipoise.training.samples import DecisionSample

__all__ = ["Row", "chat_rows", "collate", "decision_rows", "padded_count"]

NOT_ALLOWED = -1
"""Fills the places of ``allowed`` that hold no token."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a batch.

    Attributes:
        prompt_ids: What is only read.
        completion_ids: What follows.
        sampled_logprobs: Log-probability of each completion token as it was sampled; 0 where mask is 0.
        mask: 1 for the tokens that were sampled, 0 for those that were put there.
        allowed: For each completion token the tokens it was drawn among; None for the whole vocabulary.
        weights: Advantage over episodes of the stream, for each completion token.
    """

    prompt_ids: tuple[int, ...]
    completion_ids: tuple[int, ...]
    sampled_logprobs: tuple[float, ...]
    mask: tuple[int, ...]
    allowed: tuple[tuple[int, ...] | None, ...]
    weights: tuple[float, ...]

    @property
    def constrained(self) -> bool:
        """Whether a token was drawn among some tokens only."""
        return any(one is not None for one in self.allowed)


def decision_rows(samples: Sequence[DecisionSample]) -> list[Row]:
    """Return one row for each generation."""
    return [_row(sample) for sample in samples]


def chat_rows(samples: Sequence[DecisionSample]) -> list[Row]:
    """Return one row for each conversation; the generations of an episode come one after the other.

    A conversation ends where a prompt does not go on from what was said: with the episode, and with the hand
    where hands are independent.
    """
    rows: list[Row] = []
    before: tuple[object, str] | None = None
    for sample in samples:
        owner, row = (sample.stream, sample.episode), _row(sample)
        joined = _joined(rows[-1], row) if owner == before else None
        if joined is None:
            rows.append(row)
        else:
            rows[-1] = joined
        before = owner
    return rows


def _row(sample: DecisionSample) -> Row:
    return Row(
        sample.prompt_ids,
        sample.completion_ids,
        sample.sampled_logprobs,
        sample.mask,
        sample.allowed,
        (sample.weight,) * len(sample.completion_ids),
    )


def _joined(whole: Row, row: Row) -> Row | None:
    """Put a row behind another one whose words it goes on from; None if it does not."""
    said = whole.prompt_ids + whole.completion_ids
    if row.prompt_ids[: len(said)] != said:
        return None
    between = row.prompt_ids[len(said) :]
    gap = len(between)
    return Row(
        whole.prompt_ids,
        (*whole.completion_ids, *between, *row.completion_ids),
        (*whole.sampled_logprobs, *(0.0,) * gap, *row.sampled_logprobs),
        (*whole.mask, *(0,) * gap, *row.mask),
        (*whole.allowed, *(None,) * gap, *row.allowed),
        (*whole.weights, *(0.0,) * gap, *row.weights),
    )


def padded_count(rows: int, multiple: int) -> int:
    """Return the smallest positive multiple that holds so many rows."""
    return max(1, -(-rows // multiple)) * multiple


def collate(
    rows: Sequence[Row],
    count: int,
    decisions: int,
    pad: int,
    device: Any = None,
    *,
    per_token: bool = False,
    constrained: bool = False,
) -> dict[str, torch.Tensor]:
    """Return rows as the tensors that ``GRPOTrainer`` expects, P prompt and T completion tokens wide.

    Args:
        rows: The rows of this rank; none at all will do.
        count: Rows to fill up to, with rows that count for nothing.
        decisions: N, the decisions of all ranks.
        pad: The padding token.
        device: Where the tensors go.
        per_token: Whether ``advantages`` are (B, T) instead of (B,).
        constrained: Whether a row of any rank was drawn among some tokens: all score alike then, since ranks
            that share a model's weights must make the same passes.

    Returns:
        ``prompt_ids`` and ``prompt_mask`` (B, P), padded on the left; ``completion_ids``,
        ``completion_mask``, ``tool_mask`` (1 where the token was sampled) and ``old_per_token_logps`` (B, T),
        padded on the right; ``advantages``; ``num_items_in_batch``; ``allowed`` (B, T, K) if a token was not
        drawn from the whole vocabulary, with -1 for no token.
    """
    # A row without one token to attend to would be NaN in some kernels, and NaN times mask 0 is NaN.
    empty = Row((pad,), (pad,), (0.0,), (0,), (None,), (0.0,))
    filled = [*rows, *[empty] * (count - len(rows))]
    prompts = max(len(row.prompt_ids) for row in filled)
    width = max(len(row.completion_ids) for row in filled)
    left = [prompts - len(row.prompt_ids) for row in filled]
    right = [width - len(row.completion_ids) for row in filled]
    ids, real, floats = torch.long, torch.long, torch.float32

    def tensor(values: Any, dtype: torch.dtype) -> torch.Tensor:
        return torch.tensor(values, dtype=dtype, device=device)

    def after(name: str, fill: Any) -> list[tuple[Any, ...]]:
        return [(*getattr(r, name), *(fill,) * n) for r, n in zip(filled, right, strict=True)]

    weights = after("weights", 0.0) if per_token else [row.weights[0] for row in filled]
    batch = {
        "prompt_ids": tensor([(*(pad,) * n, *r.prompt_ids) for r, n in zip(filled, left, strict=True)], ids),
        "prompt_mask": tensor([(0,) * n + (1,) * (prompts - n) for n in left], real),
        "completion_ids": tensor(after("completion_ids", pad), ids),
        "completion_mask": tensor([(1,) * (width - n) + (0,) * n for n in right], real),
        "tool_mask": tensor(after("mask", 0), real),
        "advantages": torch.tensor(weights, dtype=torch.float64).mul(decisions).to(device, floats),
        "old_per_token_logps": tensor(after("sampled_logprobs", 0.0), floats),
        "num_items_in_batch": tensor(float(decisions), floats),
    }
    if constrained or any(row.constrained for row in filled):
        batch["allowed"] = _allowed(after("allowed", None), device)
    return batch


def _allowed(rows: Sequence[Sequence[tuple[int, ...] | None]], device: Any) -> torch.Tensor:
    widest = max((len(one) for row in rows for one in row if one is not None), default=1)
    none = (NOT_ALLOWED,) * widest
    filled = [
        [none if one is None else (*one, *(NOT_ALLOWED,) * (widest - len(one))) for one in row]
        for row in rows
    ]
    return torch.tensor(filled, dtype=torch.long, device=device)
