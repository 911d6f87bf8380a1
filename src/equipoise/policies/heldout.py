"""Who is held out of training, under whatever name: what stands inside wrappers counts.

Two names are the same opponent where they play alike: ``pavlov``, ``scripted:pavlov``, ``(pavlov)`` and
``frozen:pavlov``. ``noisy:`` makes another one of it, a mixture is one of its parts in every episode, and
what a run trained is an opponent of its own, by the place of its folder.

Held out is an opponent as it plays, of a mixture each part. Met is every policy that stands anywhere inside
a name: an opponent with slips still teaches how to answer the one without.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from equipoise.errors import RequestError
from equipoise.opponents.pools import Pools
from equipoise.policies.specs import Leaf, MixtureSpec, Node, NoisySpec, is_combined, parse

__all__ = ["check_held_out", "held_out", "inside"]

TRAINED_ON = ("train", "exploiter", "collusive")


def check_held_out(pools: Pools) -> None:
    """Check that no opponent of the shift pool is met in training, alone or inside another.

    Raises:
        RequestError: One is, or a name does not follow the grammar.
    """
    held = {name: one for one in pools.shift for name in held_out([one])}
    for pool in TRAINED_ON:
        for met in getattr(pools, pool):
            if shared := sorted(inside(met) & held.keys()):
                raise RequestError(
                    f"pools.{pool}: {met!r} meets {shared[0]!r}, which the shift pool holds out "
                    f"({held[shared[0]]!r}): take it out of one of them"
                )


def held_out(shift: Iterable[str]) -> frozenset[str]:
    """Return the opponents that a shift pool holds out, by their plain names."""
    return frozenset(name for one in shift for name in _played(_tree(one)))


def inside(spec: str) -> frozenset[str]:
    """Return the plain names of a policy and of all that it is made of."""
    return _inside(_tree(spec))


def _tree(spec: str) -> Node:
    # Names that are made of no others may hold spaces, as paths do.
    return parse(spec) if is_combined(spec) or spec.startswith("(") else Leaf(spec)


def _played(node: Node) -> frozenset[str]:
    whole = frozenset({_plain(node)})
    parts = node.parts if isinstance(node, MixtureSpec) else ()
    return whole.union(*(_played(part) for part in parts))


def _inside(node: Node) -> frozenset[str]:
    whole = frozenset({_plain(node)})
    if isinstance(node, NoisySpec):
        return whole | _inside(node.inner)
    if isinstance(node, MixtureSpec):
        return whole.union(*(_inside(part) for part in node.parts))
    kind, _, rest = node.text.partition(":")
    if kind == "strategist":
        rest = rest.partition(">")[2]
    return whole | inside(rest) if kind in ("coached", "strategist") and rest else whole


def _plain(node: Node) -> str:
    """Return the one name of an opponent that has several."""
    if isinstance(node, NoisySpec):
        return f"noisy:{node.rate!r}:{_plain(node.inner)}"
    if isinstance(node, MixtureSpec):
        weighed = zip(node.weights, node.parts, strict=True)
        return f"mixture:{'+'.join(f'{weight!r}*{_plain(part)}' for weight, part in weighed)}"
    return _run(node) or node.text.removeprefix("scripted:")


def _run(node: Leaf) -> str | None:
    """Return the name of a run's policy; None where the leaf names no folder."""
    path, at, step = node.text.rpartition("@")
    copy = bool(at) and step.isdigit() and not Path(node.text).is_dir()
    place = Path(path if copy else node.text)
    if not node.run or not place.is_dir():
        return None
    return f"frozen:{place.resolve()}{at + step if copy else ''}"
