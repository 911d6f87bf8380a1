"""The grammar of policies made of policies, parsed in one place.

    SPEC  := mixture:PART+PART…    one part is drawn once an episode
           | noisy:RATE:SPEC       every action is replaced with probability RATE by a uniform legal one
           | frozen:SPEC           the policy as it is
           | frozen:RUN[@STEP]     the policy that a run trained, or its copy of a step (see ``frozen``)
           | (SPEC)                groups
           | any other policy, or the bare name of a strategy of the game
    PART  := SPEC | WEIGHT*SPEC    either all parts have weights, which sum to 1, or none has

There are no spaces and no commas. ``noisy:`` and ``frozen:`` take all that follows; a ``+`` belongs to the
nearest ``mixture:`` outside parentheses, so a mixture within a mixture and a model with ``+ADAPTER`` within
one go in parentheses. ``*`` and parentheses mean something to shells: quote the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from equipoise.errors import RequestError
from equipoise.opponents.combinators import check_rate, shares

__all__ = ["COMBINED", "LOCAL", "Leaf", "MixtureSpec", "Node", "NoisySpec", "fold", "is_combined", "parse"]

COMBINED = {
    "mixture:[W*]A+[W*]B": "one of several policies, drawn once an episode (equal weights if none are given)",
    "noisy:RATE:POLICY": "a policy whose actions are replaced with probability RATE by random legal ones",
    "frozen:POLICY": "any policy as it is, as an opponent too; (…) groups, quote it in a shell",
    "frozen:RUN[@STEP]": "the policy that a training's folder holds, or a copy it kept, as it was trained",
}
"""The forms of policies made of policies with what they stand for."""

LOCAL = ("smollm2", "hf:", "tiny-random")
"""How the names of local language models begin."""

_PREFIXES = ("mixture:", "noisy:", "frozen:")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A policy that is made of no others.

    Attributes:
        text: Its name.
        run: Whether the name may be that of a run's folder.
    """

    text: str
    run: bool = False


@dataclass(frozen=True, slots=True)
class NoisySpec:
    """A policy with slips."""

    text: str
    rate: float
    inner: Node


@dataclass(frozen=True, slots=True)
class MixtureSpec:
    """A mixture with its parts and their weights, which sum to 1."""

    text: str
    parts: tuple[Node, ...]
    weights: tuple[float, ...]


Node = Leaf | NoisySpec | MixtureSpec
T = TypeVar("T")


def is_combined(spec: object) -> bool:
    """Tell whether a policy name is made of others."""
    return isinstance(spec, str) and spec.startswith(_PREFIXES)


def parse(spec: str) -> Node:
    """Return the tree that a policy name stands for.

    Raises:
        RequestError: It does not follow the grammar; the message names the offending part.
    """
    try:
        return _node(spec)
    except RequestError as error:
        raise RequestError(f"policy {spec!r}: {error}") from None


def fold(
    node: Node,
    leaf: Callable[[Leaf], T],
    noisy: Callable[[NoisySpec, T], T],
    mixture: Callable[[MixtureSpec, Sequence[T]], T],
) -> T:
    """Build something from a tree, parts first."""
    if isinstance(node, Leaf):
        return leaf(node)
    if isinstance(node, NoisySpec):
        return noisy(node, fold(node.inner, leaf, noisy, mixture))
    return mixture(node, [fold(part, leaf, noisy, mixture) for part in node.parts])


def _node(text: str) -> Node:
    if not text:
        raise RequestError("a part is empty: name a policy")
    if any(character.isspace() for character in text):
        raise RequestError(f"{text!r} holds a space: write it without")
    if text.startswith("(") and _closing(text) == len(text) - 1:
        return _node(text[1:-1])
    kind, colon, rest = text.partition(":")
    if not colon or f"{kind}:" not in _PREFIXES:
        return Leaf(text)
    if kind == "frozen":
        inner = _node(rest)
        return Leaf(inner.text, True) if isinstance(inner, Leaf) else inner
    return _noisy(text, rest) if kind == "noisy" else _mixture(text, rest)


def _noisy(text: str, rest: str) -> NoisySpec:
    number, colon, inner = rest.partition(":")
    rate = _number(number)
    if not colon or rate is None:
        raise RequestError(f"{text!r} needs a probability and a policy: noisy:0.05:POLICY")
    return NoisySpec(text, check_rate(rate), _node(inner))


def _mixture(text: str, rest: str) -> MixtureSpec:
    given = [_weighted(part) for part in _split(rest)]
    if len(given) < 2:
        raise RequestError(f"{text!r} has one part: write mixture:A+B, and one within another in parentheses")
    weights = [weight for weight, _ in given if weight is not None]
    if not weights:
        weights = [1.0 / len(given)] * len(given)
    if len(weights) < len(given):
        bare = next(part for weight, part in given if weight is None)
        raise RequestError(
            f"{bare!r} has no weight but others have: give all parts of a mixture one, or none"
        )
    return MixtureSpec(text, tuple(_node(part) for _, part in given), shares(weights))


def _weighted(part: str) -> tuple[float | None, str]:
    """Split ``WEIGHT*SPEC``; what stands before a star is a weight unless it begins a policy itself."""
    before, star, after = part.partition("*")
    if not star or any(sign in before for sign in ":("):
        return None, part
    weight = _number(before)
    if weight is None:
        raise RequestError(f"{before!r} in {part!r} is no weight: write a number, as in 0.5*{after}")
    return weight, after


def _split(text: str) -> list[str]:
    """Split at every ``+`` outside parentheses."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if character == "+" and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    if depth:
        raise RequestError(f"{text!r} has a parenthesis without its partner")
    return [*parts, text[start:]]


def _closing(text: str) -> int:
    """Return where the parenthesis that opens the text is closed, or −1."""
    depth = 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return index
    return -1


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
