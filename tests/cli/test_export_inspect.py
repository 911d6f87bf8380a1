"""``equipoise export inspect``."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import equipoise
from tests.cli.conftest import Run

POOLS = {"train": ["random"], "exploiter": ["random"], "collusive": [], "shift": []}
needs_inspect = pytest.mark.skipif(
    find_spec("inspect_ai") is None, reason="needs inspect-ai: run scripts/adapters/inspect"
)


@pytest.fixture
def audited(tmp_path: Path) -> Path:
    equipoise.audit("ipd", "scripted:random", exact=False, episodes=1, pools=POOLS, out=tmp_path / "mine")
    return tmp_path / "mine"


def test_says_what_to_install(
    run: Run, audited: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    done = run("export", "inspect", audited, "--out", tmp_path / "logs")
    assert (done.code, "pip install 'equipoise[inspect]'" in done.error) == (2, True)
    assert not (tmp_path / "logs").exists()


@needs_inspect
def test_writes_beside_the_folder_and_says_where(run: Run, audited: Path, tmp_path: Path) -> None:
    done = run("export", "inspect", audited, "--limit", "1", "-q")
    assert done.code == 0, done.err
    assert "ipd@1, scripted:random: 1 of 2 episodes" in done.out
    assert (tmp_path / "mine-inspect" / "ipd-policy.eval").is_file()
    again = run("export", "inspect", audited, "-q")
    assert (again.code, "is taken: choose another --out" in again.error) == (2, True)


@needs_inspect
def test_json(run: Run, audited: Path, tmp_path: Path) -> None:
    done = run("export", "inspect", audited, "--out", tmp_path / "logs", "--json", "-", "-q")
    assert done.code == 0, done.err
    (log,) = done.json["logs"]
    assert (log["samples"], log["finished"]) == (2, True)
    assert Path(log["path"]).is_file()


@needs_inspect
def test_nothing_to_export(run: Run, tmp_path: Path) -> None:
    done = run("export", "inspect", tmp_path / "none", "-q")
    assert (done.code, "is no folder" in done.error) == (2, True)
