"""Writes a report: the page, and figures and tables beside it if asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from equipoise.files import write_text
from equipoise.progress import Reporter, silent
from equipoise.report.build import EPISODES, build_report
from equipoise.report.export import write_figures, write_tables
from equipoise.report.figures import can_draw
from equipoise.report.page.render import render

__all__ = ["write_report"]


def write_report(
    folders: Sequence[str | Path],
    out: str | Path = "report.html",
    *,
    episodes: int | None = None,
    title: str | None = None,
    figures: str | Path | None = None,
    tables: str | Path | None = None,
    reporter: Reporter | None = None,
) -> list[str]:
    """Write the report of folders of audits, runs, ablations and cross-play.

    Args:
        folders: The folders.
        out: The page.
        episodes: Episodes to hold for browsing, at most (default: 5000).
        title: Title of the page.
        figures: Folder for the figures as SVG and, with matplotlib, PNG.
        tables: Folder for the tables as CSV, Markdown and LaTeX.
        reporter: Says what is being done.

    Returns:
        What was written, a line each.

    Raises:
        RequestError: A folder holds nothing to report, a file of it is broken, or jinja2 is not installed.
    """
    reporter = reporter or silent()
    reporter.note(f"reading {len(folders)} folder{'s' if len(folders) > 1 else ''}")
    report = build_report(folders, EPISODES if episodes is None else episodes, title)
    page = render(report)
    write_text(Path(out), page)
    held = (
        "no episodes"
        if report.episodes is None
        else (f"{report.episodes['shown']} of {report.episodes['total']} episodes")
    )
    lines = [f"{out}: {len(page.encode()) / 1e6:.1f} MB, {len(report.figures)} figures, {held}"]
    if figures is not None:
        found = write_figures(report.figures, Path(figures))
        note = "" if can_draw() else " (no PNG: matplotlib is not installed, pip install 'equipoise[report]')"
        lines.append(f"{figures}: {len(found)} files{note}")
    if tables is not None:
        lines.append(f"{tables}: {len(write_tables(report.tables, Path(tables)))} files")
    return lines
