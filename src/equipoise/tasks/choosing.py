"""Which scenarios a task deals, by its options ``split``, ``families`` and ``only``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from equipoise.errors import RequestError, unknown

__all__ = ["choose", "of_split"]


class Split(Protocol):
    """A scenario that stands in a split."""

    @property
    def id(self) -> str:
        """Its identifier."""
        ...

    @property
    def split(self) -> str:
        """Its split."""
        ...


class Kin(Split, Protocol):
    """A scenario that is of a family too."""

    @property
    def family(self) -> str:
        """Its family."""
        ...


S = TypeVar("S", bound=Split)
K = TypeVar("K", bound=Kin)


def of_split(among: Sequence[S], split: str, only: Iterable[str], noun: str) -> tuple[S, ...]:
    """Return the scenarios of a split, or of all splits those that are named.

    Args:
        among: All scenarios.
        split: The split; not looked at where ``only`` names scenarios.
        only: Identifiers to keep; all of the split if empty.
        noun: What one of them is called.

    Raises:
        RequestError: A scenario does not exist.
    """
    wanted, known = tuple(only), {one.id: one for one in among}
    for name in wanted:
        if name not in known:
            raise unknown(noun, name, known)
    return tuple(known[name] for name in wanted) or tuple(one for one in among if one.split == split)


def choose(
    among: Sequence[K], split: str, families: Iterable[str], only: Iterable[str], noun: str
) -> tuple[K, ...]:
    """Return the scenarios of a split (see :func:`of_split`) of some families; of all if none is named.

    Raises:
        RequestError: A scenario does not exist, or none is left.
    """
    kept = tuple(families)
    left = tuple(one for one in of_split(among, split, only, noun) if not kept or one.family in kept)
    if not left:
        raise RequestError(f"no {noun} is left of split {split!r} and families {list(kept)}: ask for more")
    return left
