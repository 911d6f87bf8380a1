"""Figures and tables as files."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from equipoise.report import export
from equipoise.report.build import build_report
from equipoise.report.export import write_figures, write_tables
from equipoise.report.layout import Report
from tests.report.material import KEY, hostile_folder


def test_without_matplotlib_figures_are_svg_only(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "can_draw", lambda: False)
    files = write_figures(report.figures, tmp_path)
    assert len(files) == len(report.figures) > 10
    assert {file.suffix for file in files} == {".svg"}
    for file in files:
        ElementTree.fromstring(file.read_text(encoding="utf-8"))


def test_with_matplotlib_every_figure_is_png_too_with_the_same_bytes_each_time(
    report: Report, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    first, again = (write_figures(report.figures[:4], tmp_path / name) for name in ("a", "b"))
    assert [file.suffix for file in first] == [".svg", ".png"] * 4
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in again]
    assert first[1].read_bytes().startswith(b"\x89PNG")
    assert b"Matplotlib" not in first[1].read_bytes()


def test_every_table_is_written_in_three_forms(report: Report, tmp_path: Path) -> None:
    files = write_tables(report.tables, tmp_path)
    assert len(files) == len({file.name.casefold() for file in files}) == 3 * len(report.tables)
    assert (tmp_path / "metrics-ipd.csv").read_text(encoding="utf-8").startswith("metric,")


def test_names_of_files_are_harmless_and_files_hold_no_keys(tmp_path: Path) -> None:
    report = build_report([hostile_folder(tmp_path / "x")])
    files = write_tables(report.tables, tmp_path / "out") + write_figures([], tmp_path / "out")
    assert {file.parent for file in files} == {tmp_path / "out"}
    assert not any(KEY in file.read_text(encoding="utf-8") for file in files)
