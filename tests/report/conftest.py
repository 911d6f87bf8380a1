"""Reports that several tests look at, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.report.build import build_report
from equipoise.report.layout import Report
from equipoise.report.page.render import render
from tests.report.material import hostile_folder, real_folders


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Folders of real audits."""
    return real_folders(tmp_path_factory.mktemp("real"))


@pytest.fixture(scope="session")
def report(real: list[Path]) -> Report:
    """The report of real audits."""
    return build_report(real)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of an audit in which every text tries to become markup."""
    folder = hostile_folder(tmp_path_factory.mktemp("hostile") / "audit")
    page = folder.parent / "report.html"
    page.write_text(render(build_report([folder])), encoding="utf-8")
    return page
