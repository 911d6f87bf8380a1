"""Figures as files: the same bytes for the same numbers.

Matplotlib is loaded when a figure is drawn and no earlier; where it is not installed, ``MISSING`` says so and
whoever asked goes on without a figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MISSING", "can_draw", "panels", "save"]

MISSING = "no figure: matplotlib is not installed (pip install 'equipoise[report]')"

STYLE: dict[str, Any] = {
    # Names of elements in an SVG are hashes with this salt, not random ones; text stays text.
    "svg.hashsalt": "equipoise",
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
}

NO_TRACES: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
"""Metadata that would tell when and with what a file was made."""


def can_draw() -> bool:
    """Tell whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


@contextmanager
def panels(rows: int, columns: int, size: tuple[float, float]) -> Iterator[tuple[Figure, Sequence[Any]]]:
    """Draw with the package's style, on a figure that no window will ever show.

    Args:
        rows: Rows of panels.
        columns: Columns of panels.
        size: Width and height in inches.

    Yields:
        The figure and its (rows, columns) axes; it may be saved inside the block only.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        axes: Any = figure.subplots(rows, columns, squeeze=False)
        yield figure, axes


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as SVG and PNG and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for kind, metadata in NO_TRACES.items():
        file = folder / f"{name}.{kind}"
        part = file.with_suffix(f".part.{kind}")
        figure.savefig(part, format=kind, dpi=150, metadata=metadata)
        files.append(part.replace(file))
    return files
