"""Reads token rows that begin alike as one tree: every distinct token in its context is computed once.

Passes are packed: no padding, one row, an attention mask that lets a token see its ancestors and itself only.
Keys, values and hidden states are kept with the tree, so that later rows only pay for what is new in them
(the next round of a history, not the rules and the rounds before); gradients flow through. Layers that look
back over a window get a mask of their own and keep all keys. Models whose layers keep a running state (linear
attention), or that do not take such masks, are found out by :func:`obstacle`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from equipoise.policies.local.backbone import Backbone, Layers, Row, near, plain_layers
from equipoise.policies.local.tree import TokenTree

__all__ = ["TreeCache", "obstacle", "takes_trees"]

FULL, SLIDING = "full_attention", "sliding_attention"


class TreeCache:
    """A token tree with what a model computed for it; only valid for the weights it was computed with."""

    def __init__(self, backbone: Backbone, *, max_tokens: int | None = None) -> None:
        """Start empty; ``max_tokens`` bounds one pass."""
        self._backbone, self._max_tokens = backbone, max_tokens or backbone.max_tokens
        self.tree = TokenTree()
        self._computed = 0
        self._starts: list[int] = []
        self._layers: list[Layers] = []
        self._hidden: list[Any] = []

    @property
    def size(self) -> int:
        """Bytes of all keys and values."""
        return sum(t.numel() * t.element_size() for block in self._layers for pair in block for t in pair)

    def logits(self, rows: Sequence[Row]) -> list[Any] | None:
        """Return for each row a float32 tensor ``[positions, vocabulary]``.

        None if the model keeps no cache now (as with gradient checkpointing); the tree is then useless.
        """
        paths: dict[int, list[int]] = {}
        # In the order of their tokens, neighbours share most: each pass then looks back on little.
        for i in sorted(range(len(rows)), key=lambda i: (rows[i].ids, i)):
            paths[i] = self.tree.add(rows[i].ids)
        if not self._fill():
            return None
        wanted = [paths[i][p] for i, row in enumerate(rows) for p in row.positions]
        flat = self._backbone.read_off(self._gather_hidden(wanted)).float()
        return list(flat.split([len(row.positions) for row in rows]))

    def prefill(self, prompts: Sequence[tuple[int, ...]]) -> Layers | None:
        """Return keys and values of all but the last token of each prompt, padded on the left.

        Ready to go on generating from; None as for :meth:`logits`.
        """
        paths = {ids: self.tree.add(ids[:-1]) for ids in sorted(set(prompts))}
        if not self._fill():
            return None
        width = max(map(len, paths.values()))
        if width == 0:
            return None
        nodes = sorted({node for path in paths.values() for node in path})
        place = {node: i for i, node in enumerate(nodes)}
        # What stands in padding is masked out: any node will do.
        padded = [[0] * (width - len(paths[ids])) + [place[n] for n in paths[ids]] for ids in prompts]
        index = torch.tensor(padded, device=self._backbone.model.device)
        return tuple(
            (k[0][:, index].transpose(0, 1), v[0][:, index].transpose(0, 1))
            for k, v in self._gather_layers(nodes)
        )

    def _fill(self) -> bool:
        """Compute all nodes that are not yet computed, also those an interrupted call left behind."""
        while self._computed < len(self.tree):
            if not self._extend(self._computed, min(self._computed + self._max_tokens, len(self.tree))):
                return False
        return True

    def _extend(self, start: int, stop: int) -> bool:
        """Compute the nodes ``start .. stop - 1``."""
        from transformers import DynamicCache

        backbone, device = self._backbone, self._backbone.model.device
        older, sees = self.tree.context(start, stop)
        inputs = {
            "input_ids": torch.tensor([self.tree.tokens[start:stop]], device=device),
            "position_ids": torch.tensor([self.tree.depths[start:stop]], device=device),
            "attention_mask": self._masks(sees, [*older, *range(start, stop)], range(start, stop)),
            "use_cache": True,
            backbone.cache_name: DynamicCache(self._gather_layers(older)) if older else DynamicCache(),
        }
        output = backbone.body(**inputs)
        layers = plain_layers(getattr(output, backbone.cache_name, None), sees.shape[1])
        if layers is None:
            return False
        new = tuple((k[:, :, len(older) :], v[:, :, len(older) :]) for k, v in layers)
        if not torch.is_grad_enabled():
            # A slice would keep the whole of its tensor alive.
            new = tuple((k.clone(), v.clone()) for k, v in new)
        self._starts.append(start)
        self._layers.append(new)
        self._hidden.append(output.last_hidden_state[0])
        self._computed = stop
        return True

    def _masks(self, sees: NDArray[np.bool_], seen: Sequence[int], seeing: Sequence[int]) -> Any:
        """Return the attention mask, or one for each kind of layer where a model has several."""
        if SLIDING not in _kinds(self._backbone.config):
            return self._mask(sees)
        depths = np.array(self.tree.depths)
        back = depths[list(seeing)][:, None] - depths[list(seen)][None, :]
        window = int(self._backbone.config.sliding_window)
        return {FULL: self._mask(sees), SLIDING: self._mask(sees & (back < window))}

    def _mask(self, sees: NDArray[np.bool_]) -> Any:
        dtype = self._backbone.model.dtype
        mask = torch.zeros(sees.shape, dtype=dtype)
        mask.masked_fill_(~torch.from_numpy(sees), torch.finfo(dtype).min)
        return mask.to(self._backbone.model.device)[None, None]

    def _gather_layers(self, nodes: Sequence[int]) -> Layers:
        """Return keys and values of some nodes, in ascending order."""
        picked = list(self._by_block(nodes))
        return tuple(
            (
                torch.cat([self._layers[b][layer][0][:, :, i] for b, i in picked], dim=2),
                torch.cat([self._layers[b][layer][1][:, :, i] for b, i in picked], dim=2),
            )
            for layer in range(len(self._layers[0]))
        )

    def _gather_hidden(self, nodes: Sequence[int]) -> Any:
        """Return the hidden states of some nodes, in any order, with repeats."""
        ordered = sorted(set(nodes))
        rows = torch.cat([self._hidden[block][i] for block, i in self._by_block(ordered)])
        place = {node: i for i, node in enumerate(ordered)}
        return rows[torch.tensor([place[node] for node in nodes], device=rows.device)]

    def _by_block(self, nodes: Sequence[int]) -> Iterator[tuple[int, Any]]:
        """Yield for each block with some of the (ascending) nodes their places in it."""
        ends = [*self._starts[1:], self._computed]
        for block, (start, end) in enumerate(zip(self._starts, ends, strict=True)):
            places = [node - start for node in nodes if start <= node < end]
            if places:
                yield block, torch.tensor(places, device=self._backbone.model.device)


def takes_trees(backbone: Backbone) -> bool:
    """Tell whether a model gives the same numbers for a token tree as for rows."""
    return obstacle(backbone) is None


def obstacle(backbone: Backbone) -> str | None:
    """Return why a model cannot read token trees, or None if it can.

    What no attribute says for all architectures is tried out on a few tokens.
    """
    if not backbone.splits:
        return "its logits are more than its output head on its last hidden states"
    if strange := sorted(_kinds(backbone.config) - {FULL, SLIDING}):
        return f"layers of kind {', '.join(strange)} keep a state that cannot be shared between continuations"
    training = backbone.model.training
    backbone.model.eval()
    try:
        with torch.no_grad():
            return None if _agrees(backbone) else "it does not take an attention mask of one's own"
    except (ValueError, TypeError, RuntimeError, NotImplementedError) as error:
        return f"it does not take an attention mask of one's own ({type(error).__name__})"
    finally:
        backbone.model.train(training)


def _agrees(backbone: Backbone) -> bool:
    vocabulary = int(backbone.head.weight.shape[0])
    a, b, c, d, e = (vocabulary * i // 6 for i in range(1, 6))
    rows = [Row((a, b, c, d, e), (1, 4)), Row((a, b, e, c), (2, 3)), Row((a, b, c, a), (3,))]
    found = TreeCache(backbone, max_tokens=3).logits(rows)
    return found is not None and all(map(near, found, backbone.logits(rows)))


def _kinds(config: Any) -> set[str]:
    """Return the kinds of layers, as the configuration declares them or its cache shows them."""
    if declared := getattr(config, "layer_types", None):
        return set(declared)
    from transformers.cache_utils import DynamicCache, DynamicLayer

    layers = DynamicCache(config=config).layers
    return {FULL if type(layer) is DynamicLayer else type(layer).__name__ for layer in layers}
