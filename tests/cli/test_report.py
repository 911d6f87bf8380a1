"""``equipoise report``."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.report.material import many_folder


def test_a_page_is_written_with_figures_and_tables_beside_it(run: Run, tmp_path: Path) -> None:
    folder = many_folder(tmp_path / "audit", 9)
    out = tmp_path / "new" / "page.html"
    done = run(
        "report", folder, "--out", out, "--episodes", "5", "--title", "A <title>",
        "--figures", tmp_path / "f", "--tables", tmp_path / "t", "--quiet",
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert "5 of 9 episodes" in done.out
    page = out.read_text(encoding="utf-8")
    assert "<title>A &lt;title&gt;</title>" in page
    assert "5 of 9 recorded episodes" in page
    assert (tmp_path / "f" / "safety-ipd.svg").exists()
    assert {file.suffix for file in (tmp_path / "t").iterdir()} == {".csv", ".md", ".tex"}


def test_wrong_requests_are_refused_in_a_line(run: Run, tmp_path: Path) -> None:
    nothing = run("report", tmp_path / "nothing", "--quiet")
    assert nothing.code == 2
    assert "is no folder" in nothing.error
    empty = run("report", tmp_path, "--quiet")
    assert (empty.code, "holds none of audit.json" in empty.error) == (2, True)
    folder = run("report", tmp_path, "--out", tmp_path)
    assert (folder.code, "is a folder" in folder.error) == (2, True)
    assert run("report").code == 2
