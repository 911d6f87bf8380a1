"""``equipoise export``."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.training.lora import save_adapter
from tests.cli.conftest import Run
from tests.training.adapters import new_policy


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    save_adapter(new_policy().loaded.model, tmp_path / "adapter")
    return tmp_path / "adapter"


@pytest.mark.parametrize("kind", ["merged", "adapter"])
def test_exports_and_says_how_close_it_is(run: Run, adapter: Path, tmp_path: Path, kind: str) -> None:
    given = (
        "export",
        kind,
        adapter,
        "--out",
        tmp_path / "out",
        "--model",
        "tiny-random",
        "--prompts",
        "3",
        "-q",
    )
    done = run(*given)
    assert done.code == 0, done.err
    assert "largest difference on 3 prompts: logits" in done.out
    assert f"written: {tmp_path / 'out'}" in done.out
    assert (tmp_path / "out" / "equipoise.json").is_file()
    again = run(*given)
    assert again.code == 2
    assert "is taken: choose another --out" in again.error


def test_json(run: Run, adapter: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ("--model", "tiny-random", "--game", "kuhn", "--prompts", "2", "--json", "-", "-q")
    done = run("export", "merged", adapter, "--out", out, *options)
    assert done.code == 0, done.err
    assert done.json["kind"] == "merged"
    assert done.json["check"]["prompts"] == 2
    assert done.json["check"]["logits"] <= done.json["check"]["tolerance"] == 1e-3


def test_what_cannot_be_exported(run: Run, adapter: Path, tmp_path: Path) -> None:
    nothing = run("export", "merged", tmp_path / "none", "--out", tmp_path / "out")
    assert (nothing.code, "is no folder" in nothing.error) == (2, True)
    unnamed = run("export", "adapter", adapter, "--out", tmp_path / "out")
    assert (unnamed.code, "--model" in unnamed.error) == (2, True)
    strict = ("--model", "tiny-random", "--tolerance", "0", "--prompts", "2", "-q")
    refused = run("export", "merged", adapter, "--out", tmp_path / "out", *strict)
    assert (refused.code, "nothing was exported" in refused.error) == (1, True)
    assert not (tmp_path / "out").exists()
