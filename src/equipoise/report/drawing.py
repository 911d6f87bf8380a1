"""Drawings: lines, rectangles, discs and text in roles, put on a page as SVG or into a file.

A chart says *what role* a mark plays (``ink``, ``rule``, the third series …), never its colour: on the page
colours come from the style sheet, so that a drawing follows its light and dark side; in a file they come from
``PALETTE``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

__all__ = [
    "PALETTE",
    "SERIES",
    "Anchor",
    "Disc",
    "Drawing",
    "Line",
    "Mark",
    "Path",
    "Rect",
    "Text",
    "fitted",
    "width_of",
]

PALETTE: Mapping[str, str] = {
    "paper": "#ffffff",
    "ink": "#1c1f24",
    "soft": "#5c6370",
    "rule": "#d9dce1",
    "fill": "#0072b2",
    "against": "#b8480a",
    "s0": "#0072b2",
    "s1": "#b8480a",
    "s2": "#007a5a",
    "s3": "#a8457f",
    "s4": "#8a6a00",
    "s5": "#3f74aa",
    "s6": "#6b6f78",
}
"""Colours of a drawing in a file: Okabe and Ito's, darkened until thin lines and words read on white."""

SERIES = tuple(role for role in PALETTE if role[0] == "s" and role[1:].isdigit())
"""Roles of series, in the order they are given out."""

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line; ``hint`` is shown where a pointer rests on it."""

    x1: float
    y1: float
    x2: float
    y2: float
    role: str = "ink"
    width: float = 1.0
    dash: bool = False


@dataclass(frozen=True, slots=True)
class Rect:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    role: str = "fill"
    opacity: float = 1.0
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Disc:
    """A disc, or a ring if it is hollow."""

    x: float
    y: float
    r: float
    role: str = "s0"
    hollow: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; y is its baseline, and a halo of paper keeps lines out of it."""

    x: float
    y: float
    text: str
    role: str = "ink"
    size: float = 11.0
    anchor: Anchor = "start"
    bold: bool = False
    hint: str = ""
    halo: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    role: str = "s0"
    width: float = 1.6
    hint: str = ""


Mark = Line | Rect | Disc | Text | Path


@dataclass
class Drawing:
    """Marks on an area.

    Attributes:
        title: What is drawn, for those who do not see it too.
        description: What it shows, in a sentence, for those who do not see it.
        width: Width in pixels.
        height: Height in pixels.
        marks: The marks, the lowest first.
    """

    title: str
    description: str
    width: float
    height: float
    marks: list[Mark] = field(default_factory=list)

    def add(self, *marks: Mark) -> None:
        """Put marks on top."""
        self.marks += marks

    def svg(self, alone: bool = False) -> str:
        """Return the drawing as SVG; ``alone`` as a file, with colours and a background of its own."""
        body = "".join(_svg(mark) for mark in self.marks)
        width, height = _n(self.width), _n(self.height)
        box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        words = f"<title>{_t(self.title)}</title><desc>{_t(self.description)}</desc>"
        if not alone:
            return f'<svg class="chart" {box} role="img" aria-label="{_t(self.title)}">{words}{body}</svg>'
        style = "".join(
            f".f-{role}{{fill:{colour}}}.k-{role}{{stroke:{colour}}}" for role, colour in PALETTE.items()
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" '
            f'font-family="Helvetica, Arial, sans-serif">{words}<style>{style}</style>'
            f'<rect class="f-paper" width="100%" height="100%"/>{body}</svg>\n'
        )


def width_of(text: str, size: float = 11.0) -> float:
    """Return about how wide a text is, in the widest of the usual sans-serif faces."""
    narrow = sum(sign in "ilj.,:;|!'()[] " for sign in text)
    wide = sum(sign in "mwMW%—" or sign.isupper() for sign in text)
    return size * (0.37 * narrow + 0.80 * wide + 0.64 * (len(text) - narrow - wide))


def fitted(text: str, room: float, size: float = 11.0) -> str:
    """Return a text cut, with an ellipsis, to what fits."""
    if width_of(text, size) <= room:
        return text
    while text and width_of(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def spread_labels(places: Sequence[float], gap: float) -> list[float]:
    """Return heights for labels near the given ones, none closer than ``gap`` to another."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    found = [0.0] * len(places)
    last = float("-inf")
    for index in order:
        last = max(places[index], last + gap)
        found[index] = last
    return found


def _svg(mark: Mark) -> str:
    match mark:
        case Line():
            dash = ' stroke-dasharray="3 3"' if mark.dash else ""
            return (
                f'<line class="k-{mark.role}" x1="{_n(mark.x1)}" y1="{_n(mark.y1)}" x2="{_n(mark.x2)}" '
                f'y2="{_n(mark.y2)}" stroke-width="{_n(mark.width)}"{dash}/>'
            )
        case Rect():
            opacity = f' fill-opacity="{_n(mark.opacity)}"' if mark.opacity < 1.0 else ""
            return (
                f'<rect class="f-{mark.role}" x="{_n(mark.x)}" y="{_n(mark.y)}" width="{_n(mark.width)}" '
                f'height="{_n(mark.height)}"{opacity}>{_hint(mark.hint)}</rect>'
            )
        case Disc():
            look = f"f-paper k-{mark.role}" if mark.hollow else f"f-{mark.role}"
            edge = ' stroke-width="1.6"' if mark.hollow else ""
            return (
                f'<circle class="{look}" cx="{_n(mark.x)}" cy="{_n(mark.y)}" r="{_n(mark.r)}"{edge}>'
                f"{_hint(mark.hint)}</circle>"
            )
        case Text():
            anchor = f' text-anchor="{mark.anchor}"' if mark.anchor != "start" else ""
            weight = ' font-weight="600"' if mark.bold else ""
            halo = ' stroke-width="3" stroke-linejoin="round" paint-order="stroke"' if mark.halo else ""
            look = f"f-{mark.role} k-paper" if mark.halo else f"f-{mark.role}"
            return (
                f'<text class="{look}" x="{_n(mark.x)}" y="{_n(mark.y)}" font-size="{_n(mark.size)}"'
                f"{anchor}{weight}{halo}>{_t(mark.text)}{_hint(mark.hint)}</text>"
            )
        case Path():
            points = " ".join(f"{_n(x)},{_n(y)}" for x, y in mark.points)
            return (
                f'<polyline class="k-{mark.role}" points="{points}" fill="none" '
                f'stroke-width="{_n(mark.width)}" stroke-linejoin="round">{_hint(mark.hint)}</polyline>'
            )


def _hint(text: str) -> str:
    return f"<title>{_t(text)}</title>" if text else ""


def _n(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _t(text: str) -> str:
    # Control characters are not allowed in XML at all.
    return escape("".join(sign if sign.isprintable() else " " for sign in text))
