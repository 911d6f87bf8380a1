"""Token sequences as paths in one tree, so that what they begin with in common is there once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["TokenTree"]


class TokenTree:
    """A growing tree; nodes are numbered in order of creation, so parents come before children.

    Attributes:
        tokens: Token of each node.
        parents: Parent of each node; -1 for first tokens.
        depths: Position of each node in its sequences.
    """

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self._children: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self.tokens)

    def add(self, ids: Sequence[int]) -> list[int]:
        """Add a sequence and return its nodes, one a token."""
        node, path = -1, []
        for depth, token in enumerate(ids):
            child = self._children.get((node, token))
            if child is None:
                child = len(self.tokens)
                self._children[node, token] = child
                self.tokens.append(token)
                self.parents.append(node)
                self.depths.append(depth)
            node = child
            path.append(node)
        return path

    def context(self, start: int, stop: int) -> tuple[list[int], NDArray[np.bool_]]:
        """Return what the nodes ``start .. stop - 1`` look back on.

        Returns:
            The older nodes that at least one of them needs, in order, and a matrix that says which of
            these, then which of the new nodes themselves, each new node sees: its ancestors and itself.
        """
        lines = {p: self._line(p) for p in {self.parents[n] for n in range(start, stop)} if p < start}
        older = sorted(set().union(*lines.values()))
        column = {node: i for i, node in enumerate(older)}
        sees = np.zeros((stop - start, len(older) + stop - start), dtype=np.bool_)
        for row, node in enumerate(range(start, stop)):
            parent = self.parents[node]
            if parent >= start:
                sees[row] = sees[parent - start]
            else:
                sees[row, [column[n] for n in lines[parent]]] = True
            sees[row, len(older) + row] = True
        return older, sees

    def _line(self, node: int) -> list[int]:
        found = []
        while node >= 0:
            found.append(node)
            node = self.parents[node]
        return found
