"""Families of games: names with a prefix, as ``openspiel:leduc_poker``, which a room further out makes.

Rules of others need libraries of others, so what makes such a game lives in the outermost ring, where this
one may not reach. The outer room says which prefix is its own and where its parts are; they are imported when
a name asks for them. ``equipoise/__init__.py`` registers the families that come with the package, so they are
known whatever part of it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

__all__ = ["Family", "family_of", "register_family"]


@dataclass(frozen=True, slots=True)
class Family:
    """Where the parts of a family are, as ``MODULE:NAME``.

    Attributes:
        make: A function (rest of the name, options) -> Game, or Task.
        renderer: A ``Renderer`` class that has words for any game of the family.
    """

    make: str
    renderer: str

    def load_game(self, name: str, options: Mapping[str, Any]) -> Any:
        """Return the game or task with a name, without the prefix, and options."""
        return resolve_name(self.make)(name, options)

    def load_renderer(self) -> Any:
        """Return what has words for the games of the family."""
        return resolve_name(self.renderer)()


_FAMILIES: dict[str, Family] = {}


def register_family(prefix: str, family: Family) -> None:
    """Let a family answer to all names that begin with ``PREFIX:``."""
    _FAMILIES[prefix] = family


def family_of(name: str) -> tuple[Family, str] | None:
    """Return the family a game's name belongs to with the rest of the name, or None."""
    prefix, colon, rest = name.partition(":")
    family = _FAMILIES.get(prefix) if colon else None
    return None if family is None else (family, rest)
