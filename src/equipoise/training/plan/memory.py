"""Memory of a training step, part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equipoise.training.plan.figures import Figure
from equipoise.training.plan.passes import Pass, largest_pass, played
from equipoise.training.plan.shape import ModelShape
from equipoise.training.plan.tokens import Tokens
from equipoise.training.plan.work import TAUGHT, Work

__all__ = ["memory_of"]

KEPT = 1 << 29
"""Bytes of keys and values that are kept between calls, as ``ActionScorer`` does by default."""

COPIES = 5
"""Copies of the adapter in float32: weights, gradients, moments of Adam, and what a step is held back to."""

ROWS = 64
"""Texts that are written together, as ``LocalPolicy`` does by default."""

LOGITS = 4
"""Float32 copies of logits that are alive at once: scaled, normalised, exponentiated, their gradient."""


def memory_of(shape: ModelShape, tokens: Tokens, stages: Sequence[Work]) -> Mapping[str, Figure]:
    """Return bytes by part: weights, adapter, keys and values, what the way back needs, and the sum."""
    passes = [largest_pass(work, tokens) for work in stages if work.chunk and work.questions]
    parts = {
        "weights": Figure(shape.weight_bytes, "bytes", True, f"{shape.parameters:,} parameters"),
        "adapter": Figure(
            4 * COPIES * shape.trainable,
            "bytes",
            True,
            f"{shape.trainable:,} parameters in float32, {COPIES} times: weights, gradients, moments, a copy",
        ),
        "reference": Figure(
            4 * shape.trainable, "bytes", False, "a frozen copy of the adapter after a warm start"
        ),
        "cache": _cache(shape, tokens, stages),
        **(_way_back(shape, passes) if passes else {}),
    }
    total = sum(part.value or 0.0 for part in parts.values())
    parts["total"] = Figure(total, "bytes", False, "the sum; kernels and fragmentation take more")
    return parts


def _cache(shape: ModelShape, tokens: Tokens, stages: Sequence[Work]) -> Figure:
    """Return what is kept between calls, and what the texts of a batch have while they are written."""
    # What a strategist's wording is taught from is read with gradients and not kept.
    keeping = [work for work in stages if work.kind not in TAUGHT or not work.pass_tokens]
    largest = max(keeping, key=lambda work: played(work, tokens))
    kept = (
        min(KEPT, shape.cache_bytes * tokens.read(largest.questions, not largest.budget))
        if tokens.shares
        else 0.0
    )
    how = f"{shape.cache_bytes:,} bytes a token"
    how += f", at most {KEPT:,} kept between calls" if tokens.shares else ", nothing kept between calls"
    rows = min(ROWS, largest.decisions) if largest.budget else 0
    if rows:
        width = max(map(tokens.prompt, largest.questions)) + largest.budget
        kept += rows * (width * shape.cache_bytes + shape.state_bytes)
        how += f"; {rows} texts written together"
    return Figure(kept, "bytes", False, how)


def _way_back(shape: ModelShape, passes: Sequence[Pass]) -> dict[str, Figure]:
    largest = max(passes, key=lambda one: one.rows * one.tokens)
    widest = max(passes, key=lambda one: one.logits)
    return {
        "activations": Figure(
            shape.saved_bytes(largest.rows, largest.tokens),
            "bytes",
            False,
            f"largest pass, {largest.rows} x {largest.tokens} tokens ({largest.where}), plain kernels",
        ),
        "logits": Figure(
            widest.logits * shape.vocabulary * (shape.model.dtype.itemsize + 4 * LOGITS),
            "bytes",
            False,
            f"{widest.logits} positions ({widest.where}), {LOGITS} float32 copies",
        ),
    }
