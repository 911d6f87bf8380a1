"""Memory of a training step, part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equipoise.training.plan.figures import Figure
from equipoise.training.plan.shape import ModelShape
from equipoise.training.plan.tokens import Tokens
from equipoise.training.plan.work import Work

__all__ = ["memory_of"]

KEPT = 1 << 29
"""Bytes of keys and values that are kept between calls, as ``ActionScorer`` does by default."""

COPIES = 5
"""Copies of the adapter in float32: weights, gradients, moments of Adam, and what a step is held back to."""


def memory_of(shape: ModelShape, tokens: Tokens, stages: Sequence[Work]) -> Mapping[str, Figure]:
    """Return bytes by part: weights, adapter, keys and values, what the way back needs, and the sum."""
    rows, width, where = _largest(tokens, [work for work in stages if work.chunk and work.questions])
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
        "cache": Figure(
            min(KEPT, shape.cache_bytes * sum(tokens.read(w.questions) for w in stages if w.kind == "sepo"))
            if tokens.shares
            else 0,
            "bytes",
            False,
            f"keys and values of {shape.cache_bytes:,} bytes a token, at most {KEPT:,} kept"
            if tokens.shares
            else "layers with linear attention: nothing is kept between prompts",
        ),
        "activations": Figure(
            shape.saved_bytes(rows, width) if width else 0,
            "bytes",
            False,
            f"kept for the way back by the largest pass, {rows} x {width} tokens ({where}); plain kernels",
        ),
    }
    total = sum(part.value or 0.0 for part in parts.values())
    parts["total"] = Figure(total, "bytes", False, "the sum; kernels and fragmentation take more")
    return parts


def _largest(tokens: Tokens, stages: Sequence[Work]) -> tuple[int, int, str]:
    """Return rows and tokens a row of the largest pass with gradients, and whose it is."""
    best = (0, 0, "nothing is trained")
    for work in stages:
        chunk = work.questions[: work.chunk]
        if tokens.shares:
            rows, width = 1, round(tokens.read(chunk))
        else:
            rows, width = len(chunk), round(max(map(tokens.prompt, chunk)))
        if rows * width > best[0] * best[1]:
            best = (rows, width, f"{work.game} {work.stage}")
    return best
