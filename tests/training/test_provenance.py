"""What a result was made with is told, and nothing of the machine or its user."""

from __future__ import annotations

import getpass
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import equipoise.training.provenance as module
from equipoise.training.provenance import provenance

WORDS = {"linux", "darwin", "windows", "root", "local", "localhost", "user", "runner"}
"""Names of machines and users that may stand in versions by chance."""


def strings(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield str(key)
            yield from strings(value)
    elif isinstance(data, list):
        for value in data:
            yield from strings(value)
    elif isinstance(data, str):
        yield data


def git(*arguments: str, cwd: Path) -> str:
    identity = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "somebody"), ("EMAIL", "somebody@example.org"))
    }
    done = subprocess.run(
        ["git", "-c", "commit.gpgsign=false", *arguments],
        cwd=cwd,
        env={**os.environ, **identity},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


def test_versions_are_those_of_the_packages() -> None:
    found = provenance()
    assert set(found) == {"packages", "python", "system", "git"}
    assert {"equipoise", "numpy", "scipy", "pydantic"} <= set(found["packages"])
    for name, number in found["packages"].items():
        assert number == version(name)
    assert found["python"] == platform.python_version()
    assert found["system"].split() == [platform.system(), platform.machine()]


def test_packages_that_are_not_installed_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PACKAGES", ("numpy", "no-such-package-anywhere"))
    assert list(provenance()["packages"]) == ["numpy"]


def test_nothing_of_the_machine_is_in_it() -> None:
    found = provenance()
    assert json.loads(json.dumps(found)) == found
    private = {str(Path.home()), str(Path.cwd()), sys.prefix, socket.gethostname(), getpass.getuser()}
    for text in strings(found):
        assert os.sep not in text
        assert "@" not in text
        for word in private:
            assert word.lower() in WORDS or len(word) < 4 or word not in text


@needs_git
def test_the_commit_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git("init", "--quiet", cwd=tmp_path)
    (tmp_path / "recipe.toml").write_text("name = 'x'", encoding="utf-8")
    git("add", ".", cwd=tmp_path)
    git("commit", "--quiet", "--message", "first", cwd=tmp_path)
    monkeypatch.chdir(tmp_path)
    commit = git("rev-parse", "HEAD", cwd=tmp_path)
    assert provenance()["git"] == {"commit": commit, "clean": True}
    (tmp_path / "recipe.toml").write_text("name = 'y'", encoding="utf-8")
    assert provenance()["git"] == {"commit": commit, "clean": False}
    git("commit", "--quiet", "--all", "--message", "second", cwd=tmp_path)
    assert provenance()["git"] == {"commit": git("rev-parse", "HEAD", cwd=tmp_path), "clean": True}
    assert provenance()["git"]["commit"] != commit
    (tmp_path / "new.py").touch()
    assert provenance()["git"]["clean"] is False


@needs_git
def test_outside_of_git_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    assert provenance()["git"] is None


@needs_git
def test_a_repository_without_a_commit_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git("init", "--quiet", cwd=tmp_path)
    monkeypatch.chdir(tmp_path)
    assert provenance()["git"] is None


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError("git"),
        subprocess.TimeoutExpired("git", 10),
        subprocess.CalledProcessError(128, "git"),
    ],
    ids=["not installed", "hangs", "fails"],
)
def test_a_git_that_does_not_work_is_none(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*arguments: Any, **settings: Any) -> None:
        raise error

    monkeypatch.setattr(subprocess, "run", fail)
    assert provenance()["git"] is None
