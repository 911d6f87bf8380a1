"""The legal answers as a tree of tokens.

Words share tokens (`` C`` may begin two of them) and one may be the beginning of another (``1``, ``10``).
Seen as a tree, the probability of an action, renormalised over legal continuations, is the product over the
*branching* nodes on its path of a softmax over that node's children only. Tokens that are forced (only
children) have probability 1, so nothing needs to be computed for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from equipoise.errors import RequestError

__all__ = ["Branch", "Step", "Trie", "build_trie"]


@dataclass(frozen=True, slots=True)
class Branch:
    """A node with more than one child.

    Attributes:
        path: The tokens that lead to it.
        children: The tokens that may follow, in order of first appearance.
    """

    path: tuple[int, ...]
    children: tuple[int, ...]


class Step(NamedTuple):
    """One real choice on the way to an action: which branch, and which of its children."""

    branch: int
    child: int


@dataclass(frozen=True, slots=True)
class Trie:
    """The tree over all actions.

    Attributes:
        continuations: Tokens of each action; those that begin another's end in the end-of-turn token.
        branches: The branching nodes; shorter paths first where one leads to the other.
        steps: For each action its real choices, in order.
    """

    continuations: tuple[tuple[int, ...], ...]
    branches: tuple[Branch, ...]
    steps: tuple[tuple[Step, ...], ...]

    @property
    def first_tokens(self) -> tuple[int, ...]:
        """The tokens with which a legal answer may begin."""
        return tuple(dict.fromkeys(tokens[0] for tokens in self.continuations))

    def rows(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """Return the token paths a model must read, each with the branches that it passes.

        A branch on the way to another one needs no row of its own: causal attention makes the hidden
        state at its position the same.
        """
        paths = [branch.path for branch in self.branches]
        longest = [p for p in paths if not any(q != p and q[: len(p)] == p for q in paths)]
        rows: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        taken: set[int] = set()
        for path in longest:
            passed = [i for i, p in enumerate(paths) if path[: len(p)] == p and i not in taken]
            taken.update(passed)
            rows.append((path, tuple(passed)))
        return tuple(rows)

    def token_logprobs(
        self, action: int, probabilities: Sequence[float]
    ) -> tuple[tuple[float, ...], tuple[int, ...]]:
        """Spread an action's log-probability over its tokens.

        Each sampled token gets the logarithm of the mass below it over the mass of its siblings and
        itself; forced tokens get 0.0 and mask 0. The sum is the action's log-probability.
        """
        tokens = self.continuations[action]
        forks = {len(self.branches[step.branch].path) for step in self.steps[action]}
        logprobs = [0.0] * len(tokens)
        for position in forks:
            below = self._mass(tokens[: position + 1], probabilities)
            logprobs[position] = math.log(below / self._mass(tokens[:position], probabilities))
        return tuple(logprobs), tuple(int(t in forks) for t in range(len(tokens)))

    def allowed(self, action: int) -> tuple[tuple[int, ...] | None, ...]:
        """Return, for each token of an action, those it was sampled among; None where it was forced."""
        found: list[tuple[int, ...] | None] = [None] * len(self.continuations[action])
        for step in self.steps[action]:
            branch = self.branches[step.branch]
            found[len(branch.path)] = branch.children
        return tuple(found)

    def _mass(self, path: tuple[int, ...], probabilities: Sequence[float]) -> float:
        return math.fsum(
            p
            for p, tokens in zip(probabilities, self.continuations, strict=True)
            if tokens[: len(path)] == path
        )


def build_trie(continuations: Sequence[tuple[int, ...]], end: int) -> Trie:
    """Build the tree.

    Args:
        continuations: Tokens of each action's words as they follow the prompt.
        end: The token that ends a turn; tells an action from one that it begins.

    Raises:
        RequestError: Two actions have the same tokens, or there is none.
    """
    if not continuations or len(set(continuations)) < len(continuations):
        raise RequestError(f"the words of {len(continuations)} actions do not differ in their tokens")
    full = tuple(
        (*tokens, end) if any(o != tokens and o[: len(tokens)] == tokens for o in continuations) else tokens
        for tokens in continuations
    )
    children: dict[tuple[int, ...], dict[int, int]] = {}
    for tokens in full:
        for i, token in enumerate(tokens):
            node = children.setdefault(tokens[:i], {})
            node.setdefault(token, len(node))
    branches = tuple(Branch(path, tuple(node)) for path, node in children.items() if len(node) > 1)
    number = {branch.path: i for i, branch in enumerate(branches)}
    steps = tuple(
        tuple(
            Step(number[tokens[:i]], children[tokens[:i]][token])
            for i, token in enumerate(tokens)
            if tokens[:i] in number
        )
        for tokens in full
    )
    return Trie(full, branches, steps)
