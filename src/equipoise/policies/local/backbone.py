"""A causal model as a function from token rows to next-token logits, in ordinary padded batches.

This works for every causal model; ``treecache`` does the same faster where a model allows it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from equipoise.policies.local.families import family_of

__all__ = ["Backbone", "Layers", "Row", "near", "plain_layers", "token_types"]

Layers = tuple[tuple[Any, Any], ...]
"""Keys and values of every layer, ``[rows, heads, tokens, size]``."""


@dataclass(frozen=True, slots=True)
class Row:
    """Token ids to read, and the positions whose next-token logits are wanted."""

    ids: tuple[int, ...]
    positions: tuple[int, ...]


class Backbone:
    """A model taken apart into its body and its output head.

    Attributes:
        model: The whole model.
        causal: The same without what PEFT wraps around it.
        body: The part that reads tokens: of multimodal models the language model alone.
        config: The body's configuration.
        cache_name: What the model calls the argument for cached keys and values.
    """

    def __init__(self, model: Any, *, max_rows: int = 64, max_tokens: int | None = None) -> None:
        """Look at how the model is put together.

        Args:
            model: A causal language model of transformers, with or without PEFT adapters.
            max_rows: Largest number of padded rows in one pass.
            max_tokens: Largest number of tokens in one pass; None chooses by device.
        """
        self.model, self.max_rows = model, max_rows
        self.max_tokens = max_tokens or (512 if model.device.type == "cpu" else 4096)
        causal = model.get_base_model() if hasattr(model, "get_base_model") else model
        self.causal = causal
        self.body, self.head = causal.get_decoder(), causal.get_output_embeddings()
        self.config = causal.config.get_text_config()
        self._cap = getattr(self.config, "final_logit_softcapping", None)
        self._token_types = token_types(causal)
        parameters = inspect.signature(self.body.forward).parameters
        # transformers renamed the argument in 5.x.
        self.cache_name = "cache" if "cache" in parameters else "past_key_values"

    def logits(self, rows: Sequence[Row]) -> list[Any]:
        """Return for each row a float32 tensor ``[positions, vocabulary]``, from padded rows."""
        found: dict[int, Any] = {}
        for chunk in _chunks([len(row.ids) for row in rows], self.max_rows, self.max_tokens):
            picked = [rows[i] for i in chunk]
            flat = self._padded(picked)
            found.update(zip(chunk, flat.split([len(row.positions) for row in picked]), strict=True))
        return [found[i] for i in range(len(rows))]

    def read_off(self, hidden: Any) -> Any:
        """Return the logits of last hidden states: the head, with the cap that some models put on it."""
        logits = self.head(hidden)
        return logits if self._cap is None else self._cap * torch.tanh(logits / self._cap)

    @cached_property
    def splits(self) -> bool:
        """Whether logits are what :meth:`read_off` makes of the last hidden state.

        Some models scale logits, and prompt-tuning adapters work outside the body.
        """
        if self.head is None or self.body is self.model:
            return False
        vocabulary = int(self.head.weight.shape[0])
        ids = torch.tensor([[vocabulary * i // 9 for i in range(1, 9)]], device=self.model.device)
        training = self.model.training
        self.model.eval()
        try:
            with torch.no_grad():
                whole = self.model(input_ids=ids, **self._text(ids)).logits
                return near(whole, self.read_off(self.body(input_ids=ids).last_hidden_state))
        finally:
            self.model.train(training)

    def _padded(self, rows: Sequence[Row]) -> Any:
        device, width = self.model.device, max(len(row.ids) for row in rows)
        ids = torch.zeros((len(rows), width), dtype=torch.long, device=device)
        mask = torch.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, : len(row.ids)] = torch.tensor(row.ids, device=device)
            mask[i, : len(row.ids)] = 1
        places = torch.arange(width, device=device).unsqueeze(0)
        where = [(i, p) for i, row in enumerate(rows) for p in row.positions]
        index = tuple(torch.tensor(axis, device=device) for axis in zip(*where, strict=True))
        inputs = {"input_ids": ids, "attention_mask": mask, "position_ids": places, "use_cache": False}
        if not self.splits:
            return self.model(**inputs, **self._text(ids)).logits[index].float()
        return self.read_off(self.body(**inputs).last_hidden_state[index]).float()

    def _text(self, ids: Any) -> dict[str, Any]:
        """Return the argument that says that all tokens are text, where the whole model takes one."""
        return {} if self._token_types is None else {self._token_types: torch.zeros_like(ids)}


def token_types(causal: Any) -> str | None:
    """Return the argument of a model that says which tokens are text (0); None if it takes none."""
    name = family_of(causal.config).token_types
    return name if name in inspect.signature(causal.forward).parameters else None


def plain_layers(cache: Any, length: int) -> Layers | None:
    """Return keys and values of a cache that holds exactly these for ``length`` tokens, else None."""
    from transformers.cache_utils import DynamicCache, DynamicLayer

    if type(cache) is not DynamicCache or not cache.layers:
        return None
    if any(type(layer) is not DynamicLayer or layer.get_seq_length() != length for layer in cache.layers):
        return None
    return tuple((layer.keys, layer.values) for layer in cache.layers)


def near(a: Any, b: Any) -> bool:
    """Tell whether two tensors agree up to the rounding of their type."""
    tolerance = 1e-4 if a.dtype == torch.float32 and b.dtype == torch.float32 else 5e-2
    return a.shape == b.shape and bool(torch.allclose(a.float(), b.float(), rtol=tolerance, atol=tolerance))


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
