"""Encoded rules, shared by all questions about one game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from equipoise.policies.local.backbone import Backbone, Prefix
from equipoise.policies.local.chat import common_length, rules_prefix

__all__ = ["Prefixes"]


class Prefixes:
    """Finds what prompts have in common and encodes it, once per call or once per state of the weights."""

    def __init__(self, backbone: Backbone, tokenizer: Any, *, prefill: str = "") -> None:
        """Take the model, its tokenizer and the words with which answers are made to begin."""
        self._backbone, self._tokenizer, self._prefill = backbone, tokenizer, prefill
        self._beginnings: dict[str, tuple[int, ...]] = {}
        self._kept: dict[tuple[int, ...], Prefix] = {}

    def get(self, rules: str, rows: Sequence[tuple[int, ...]], limit: int, *, keep: bool) -> Prefix | None:
        """Return the encoded beginning of all rows, or None where it is of no use.

        Args:
            rules: The rules that all rows begin with.
            rows: Token ids that must begin with the prefix.
            limit: Longest prefix; what lies behind it is left to the rows.
            keep: Use and keep prefixes across calls; never done while gradients are recorded.
        """
        keep = keep and not torch.is_grad_enabled()
        if len(rows) == 1 and not keep:
            return None
        if rules not in self._beginnings:
            self._beginnings[rules] = rules_prefix(rules, self._tokenizer, prefill=self._prefill)
        ids = self._beginnings[rules][:limit]
        ids = ids[: common_length([ids, *rows])]
        if keep and ids in self._kept:
            return self._kept[ids]
        prefix = self._backbone.encode(ids)
        if prefix is not None and keep:
            self._kept[ids] = prefix
        return prefix

    def clear(self) -> None:
        """Forget what was computed with the current weights."""
        self._kept.clear()
