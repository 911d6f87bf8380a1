"""What a report is made of: sections, groups in them, figures and tables in those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.report.drawing import Drawing
from equipoise.report.tables import Table
from equipoise.report.verdict import Glance, Verdict

__all__ = ["Figure", "GameVerdict", "Group", "Report", "Section", "places"]


@dataclass(frozen=True)
class Figure:
    """A drawing with its name as a file and a caption."""

    name: str
    drawing: Drawing
    caption: str = ""


@dataclass(frozen=True)
class Group:
    """Figures and tables that belong together, mostly those of a game."""

    title: str
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A section of the page; without groups it says in ``missing`` why there is nothing."""

    id: str
    title: str
    lead: str
    groups: tuple[Group, ...]
    missing: str = ""


@dataclass(frozen=True)
class GameVerdict:
    """What is said about a game: at a glance, a row a policy, and in words."""

    game: str
    title: str
    rules: str
    rows: tuple[tuple[str, tuple[Glance, ...]], ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True)
class Report:
    """A whole report, ready to be put on a page.

    Attributes:
        title: Its title.
        subtitle: What it is about.
        verdicts: What is said first.
        sections: The sections, in order.
        provenance: A group a folder: how its contents were made.
        episodes: Episodes to browse, as JSON data; None where there are none.
    """

    title: str
    subtitle: str
    verdicts: tuple[GameVerdict, ...]
    sections: tuple[Section, ...]
    provenance: tuple[Group, ...]
    episodes: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def figures(self) -> list[Figure]:
        """All figures, in order."""
        return [figure for section in self.sections for group in section.groups for figure in group.figures]

    @property
    def tables(self) -> list[Table]:
        """All tables, in order."""
        groups = [group for section in self.sections for group in section.groups]
        return [table for group in (*groups, *self.provenance) for table in group.tables]


def places(known: Sequence[str], names: Sequence[str]) -> dict[str, int]:
    """Return which series each name is, so that a policy has one colour in all figures of a game.

    Args:
        known: The policies of the game, in their order; what is called as they are is theirs.
        names: The names to place; others follow the known ones.
    """
    order = list(dict.fromkeys([*known, *names]))
    return {name: order.index(name) for name in names}
