"""What ``scripts/release-check`` finds wrong with archives."""

from __future__ import annotations

import importlib.util
import subprocess
from types import ModuleType

import pytest

from tests.docs.blocks import ROOT

METADATA = "License-Expression: Apache-2.0\nRequires-Python: >=3.11\nRequires-Dist: numpy>=1.26\n"
INFO = "equipoise-0.1.0.dist-info/METADATA"


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("contents", ROOT / "scripts" / "release_contents.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def files() -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.removeprefix("src/") for name in listed.stdout.splitlines()} | {INFO}


def test_a_wheel_of_all_files_is_right(check: ModuleType, files: set[str]) -> None:
    assert check.wheel_faults(files, METADATA) == []


@pytest.mark.parametrize("name", ["py.typed", "recipes/quickstart.toml", "recipes/accelerate/ddp.yaml"])
def test_a_file_that_is_missing_is_named(check: ModuleType, files: set[str], name: str) -> None:
    assert check.wheel_faults(files - {f"equipoise/{name}"}, METADATA) == [
        f"the wheel lacks equipoise/{name}"
    ]


def test_tests_do_not_belong_into_a_wheel(check: ModuleType, files: set[str]) -> None:
    assert check.wheel_faults(files | {"tests/helpers.py"}, METADATA) == ["the wheel holds tests/helpers.py"]


def test_the_core_does_not_require_torch(check: ModuleType, files: set[str]) -> None:
    extra = 'Requires-Dist: torch>=2.6; extra == "train"\n'
    assert check.wheel_faults(files, METADATA + extra) == []
    faults = check.wheel_faults(files, METADATA + "Requires-Dist: torch>=2.6\n")
    assert faults == ["the core requires torch>=2.6"]


def test_a_source_archive_without_the_licence_is_refused(check: ModuleType) -> None:
    assert "the source archive lacks LICENSE" in check.sdist_faults({"pyproject.toml"})
