"""Figures and tables of a report as files, for papers and slides."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.files import write_text
from equipoise.report.drawing import PALETTE, Disc, Drawing, Line, Mark, Rect, Text
from equipoise.report.drawing import Path as Curve
from equipoise.report.figures import NO_TRACES, STYLE, can_draw
from equipoise.report.layout import Figure
from equipoise.report.secrets import clean_text
from equipoise.report.tables import Table, csv_text, latex_text, markdown_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["write_figures", "write_tables"]

FORMATS = {"csv": csv_text, "md": markdown_text, "tex": latex_text}
DPI = 216
PER_INCH = 96.0
POINTS = 72.0 / PER_INCH
"""Points a pixel: what drawings measure in pixels matplotlib measures in points."""


def write_figures(figures: Iterable[Figure], folder: Path) -> list[Path]:
    """Write every drawing as SVG and, where matplotlib is installed, as PNG; return the files."""
    files = []
    png = can_draw()
    for name, figure in _named((figure.name, figure) for figure in figures):
        file = folder / f"{name}.svg"
        write_text(file, clean_text(figure.drawing.svg(alone=True)))
        files += [file, *([_png(figure.drawing, folder / f"{name}.png")] if png else [])]
    return files


def write_tables(tables: Iterable[Table], folder: Path) -> list[Path]:
    """Write every table as CSV, Markdown and LaTeX; return the files."""
    files = []
    for name, table in _named((table.name, table) for table in tables):
        for kind, text in FORMATS.items():
            file = folder / f"{name}.{kind}"
            write_text(file, clean_text(text(table)))
            files.append(file)
    return files


def _named(given: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Return things with names that are files on any system, each of its own."""
    found: dict[str, Any] = {}
    for name, thing in given:
        short = name[:100]
        free, number = short, 1
        while free.casefold() in found:
            number += 1
            free = f"{short}-{number}"
        found[free.casefold()] = (free, thing)
    return list(found.values())


def _png(drawing: Drawing, file: Path) -> Path:
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context(STYLE):
        canvas = Canvas(
            figsize=(drawing.width / PER_INCH, drawing.height / PER_INCH), facecolor=PALETTE["paper"]
        )
        axes: Axes = canvas.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        axes.set_xlim(0.0, drawing.width)
        axes.set_ylim(drawing.height, 0.0)
        for order, mark in enumerate(drawing.marks):
            _draw(axes, mark, order)
        part = file.with_name(f"{file.stem}.part.png")
        canvas.savefig(part, format="png", dpi=DPI, metadata=NO_TRACES["png"])
    return part.replace(file)


def _draw(axes: Any, mark: Mark, order: int) -> None:
    from matplotlib.patches import Circle, Rectangle

    colour = PALETTE[mark.role]
    match mark:
        case Line():
            style = (0, (3, 3)) if mark.dash else "-"
            axes.plot(
                (mark.x1, mark.x2),
                (mark.y1, mark.y2),
                color=colour,
                linewidth=mark.width * POINTS,
                linestyle=style,
                zorder=order,
            )
        case Rect():
            place = (mark.x, mark.y)
            axes.add_patch(
                Rectangle(
                    place,
                    mark.width,
                    mark.height,
                    facecolor=colour,
                    edgecolor="none",
                    alpha=mark.opacity,
                    zorder=order,
                )
            )
        case Disc():
            face = PALETTE["paper"] if mark.hollow else colour
            axes.add_patch(
                Circle(
                    (mark.x, mark.y),
                    mark.r,
                    facecolor=face,
                    edgecolor=colour,
                    linewidth=1.2 * POINTS,
                    zorder=order,
                )
            )
        case Curve():
            xs, ys = zip(*mark.points, strict=True)
            axes.plot(xs, ys, color=colour, linewidth=mark.width * POINTS, zorder=order)
        case Text():
            sides = {"start": "left", "middle": "center", "end": "right"}
            axes.text(
                mark.x,
                mark.y,
                clean_text(mark.text),
                color=colour,
                fontsize=mark.size * POINTS,
                ha=sides[mark.anchor],
                va="baseline",
                path_effects=_halo(mark),
                fontweight="bold" if mark.bold else "normal",
                zorder=order,
            )


def _halo(mark: Text) -> list[Any]:
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=3.0 * POINTS, foreground=PALETTE["paper"])] if mark.halo else []
