"""One forward pass of a causal model over many rows that begin alike.

The shared beginning is encoded once, as one row, and its keys and values are *expanded* (no copy, gradients
flow through) to the batch; the rest is padded on the right. Only the hidden states that are asked for go
through the output head. Models that keep something else than plain keys and values for each layer (sliding
windows, linear attention, shared layers) get full rows instead: the same numbers, only slower.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["Backbone", "Prefix", "Row"]


@dataclass(frozen=True, slots=True)
class Row:
    """Token ids to read, and the positions whose next-token logits are wanted."""

    ids: tuple[int, ...]
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Prefix:
    """An encoded beginning: its tokens, and keys and values of every layer (batch of one)."""

    ids: tuple[int, ...]
    layers: tuple[tuple[Any, Any], ...]

    def expand(self, rows: int) -> Any:
        """Return a fresh cache that holds the prefix for a number of rows."""
        from transformers import DynamicCache

        cache = DynamicCache(self.layers)
        for layer in cache.layers:
            layer.keys = layer.keys.expand(rows, -1, -1, -1)
            layer.values = layer.values.expand(rows, -1, -1, -1)
        return cache


class Backbone:
    """A causal model as a function from rows to next-token logits."""

    def __init__(self, model: Any, *, max_rows: int = 64, max_tokens: int = 2048, pad: int = 0) -> None:
        """Look at how the model is put together.

        Args:
            model: A causal language model of transformers, with or without PEFT adapters.
            max_rows: Largest number of rows in one pass.
            max_tokens: Largest number of padded tokens in one pass (a single longer row still goes).
            pad: Any valid token id, used for padding.
        """
        self.model = model
        self.max_rows, self.max_tokens, self.pad = max_rows, max_tokens, pad
        causal = model.get_base_model() if hasattr(model, "get_base_model") else model
        self._base, self._head = causal.base_model, causal.get_output_embeddings()
        parameters = inspect.signature(self._base.forward).parameters
        # transformers renamed the argument in 5.x.
        self.cache_name = "cache" if "cache" in parameters else "past_key_values"
        self._plain = self._head is not None and self._base is not causal and self._head_is_plain()

    def encode(self, ids: tuple[int, ...]) -> Prefix | None:
        """Encode a shared beginning; None where the model's cache cannot be expanded."""
        if not ids or not self._plain:
            return None
        tokens = torch.tensor([ids], device=self.model.device)
        output = self._base(input_ids=tokens, attention_mask=torch.ones_like(tokens), use_cache=True)
        layers = _plain_layers(getattr(output, self.cache_name, None), len(ids))
        return None if layers is None else Prefix(ids, layers)

    def logits(self, rows: Sequence[Row], prefix: Prefix | None = None) -> list[Any]:
        """Return for each row a float32 tensor ``[positions, vocabulary]``.

        All rows must begin with the prefix, and ask for no position inside it.
        """
        found: dict[int, Any] = {}
        skip = len(prefix.ids) if prefix else 0
        for chunk in _chunks([len(row.ids) - skip for row in rows], self.max_rows, self.max_tokens):
            picked = [rows[i] for i in chunk]
            flat = self._pass(picked, prefix)
            found.update(zip(chunk, flat.split([len(row.positions) for row in picked]), strict=True))
        return [found[i] for i in range(len(rows))]

    def _pass(self, rows: Sequence[Row], prefix: Prefix | None) -> Any:
        device, skip = self.model.device, len(prefix.ids) if prefix else 0
        width = max(len(row.ids) for row in rows) - skip
        ids = torch.full((len(rows), width), self.pad, device=device)
        mask = torch.zeros((len(rows), skip + width), dtype=torch.long, device=device)
        for i, row in enumerate(rows):
            ids[i, : len(row.ids) - skip] = torch.tensor(row.ids[skip:], device=device)
            mask[i, : len(row.ids)] = 1
        inputs = {
            "input_ids": ids,
            "attention_mask": mask,
            "position_ids": torch.arange(skip, skip + width, device=device).unsqueeze(0),
        }
        if prefix is not None:
            inputs[self.cache_name] = prefix.expand(len(rows))
        where = [(i, p - skip) for i, row in enumerate(rows) for p in row.positions]
        index = tuple(torch.tensor(axis, device=device) for axis in zip(*where, strict=True))
        if not self._plain:
            return self.model(**inputs).logits[index].float()
        hidden = self._base(**inputs, use_cache=prefix is not None).last_hidden_state[index]
        return self._head(hidden).float()

    def _head_is_plain(self) -> bool:
        """Tell whether logits are the head of the last hidden state and nothing more.

        Some models scale or cap logits, and prompt-tuning adapters work outside the base model. Tried out
        on a few tokens from all over the vocabulary, because no attribute says so for all architectures.
        """
        vocabulary = int(self._head.weight.shape[0])
        ids = torch.tensor([[vocabulary * i // 9 for i in range(1, 9)]], device=self.model.device)
        training = self.model.training
        self.model.eval()
        try:
            with torch.no_grad():
                whole = self.model(input_ids=ids).logits
                split = self._head(self._base(input_ids=ids).last_hidden_state)
        finally:
            self.model.train(training)
        return whole.shape == split.shape and bool(torch.allclose(whole, split, rtol=1e-4, atol=1e-4))


def _plain_layers(cache: Any, length: int) -> tuple[tuple[Any, Any], ...] | None:
    from transformers.cache_utils import DynamicCache, DynamicLayer

    if type(cache) is not DynamicCache:
        return None
    if any(type(layer) is not DynamicLayer or layer.get_seq_length() != length for layer in cache.layers):
        return None
    return tuple((layer.keys, layer.values) for layer in cache.layers)


def _chunks(lengths: Sequence[int], max_rows: int, max_tokens: int) -> Iterator[list[int]]:
    """Split rows into passes, the longest first, so that rows of like length are padded together."""
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    chunk: list[int] = []
    for i in order:
        # Sorted: the first row of a chunk is its longest.
        if chunk and (len(chunk) == max_rows or (len(chunk) + 1) * lengths[chunk[0]] > max_tokens):
            yield chunk
            chunk = []
        chunk.append(i)
    if chunk:
        yield chunk
