"""Files appear whole or not at all, and a folder belongs to one request."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.files import claim, folder_name, write_json, write_text

WAY_OUT = "choose another folder"


def test_text_is_written_as_it_is_and_replaced(tmp_path: Path) -> None:
    file = tmp_path / "new" / "folder" / "file.txt"
    write_text(file, "für\nnow")
    assert file.read_text(encoding="utf-8") == "für\nnow"
    write_text(file, "")
    assert file.read_bytes() == b""
    assert [one.name for one in file.parent.iterdir()] == ["file.txt"]


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file.txt"
    write_text(file, "old")
    seen: list[str] = []

    def fail(descriptor: int) -> None:
        # All of the new text is on its way to the disk, the old file still stands.
        seen.append(file.read_text(encoding="utf-8"))
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_text(file, "new")
    assert seen == ["old"]
    assert file.read_text(encoding="utf-8") == "old"


def test_what_is_half_written_is_not_under_the_final_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file.txt"
    synced: list[bool] = []
    real = os.fsync

    def look(descriptor: int) -> None:
        synced.append(file.exists())
        real(descriptor)

    monkeypatch.setattr(os, "fsync", look)
    write_text(file, "text")
    assert synced == [False]
    assert file.exists()


def test_the_rest_of_a_killed_write_does_not_disturb(tmp_path: Path) -> None:
    (tmp_path / "file.txt.part").write_text("half of a much longer text", encoding="utf-8")
    write_text(tmp_path / "file.txt", "whole")
    assert (tmp_path / "file.txt").read_text(encoding="utf-8") == "whole"
    assert not (tmp_path / "file.txt.part").exists()


def test_json_is_indented_and_ends_with_a_newline(tmp_path: Path) -> None:
    data = {"b": [1, 2.5, None], "a": "ü"}
    write_json(tmp_path / "data.json", data)
    text = (tmp_path / "data.json").read_text(encoding="utf-8")
    assert json.loads(text) == data
    assert text.startswith('{\n "b": [\n')
    assert text.endswith("}\n")


def test_floats_survive_json_bit_for_bit(tmp_path: Path) -> None:
    values = [0.1, 1 / 3, 2.0**-1074, 1e308, -0.0, 0.1 + 0.2]
    write_json(tmp_path / "data.json", values)
    found = json.loads((tmp_path / "data.json").read_text(encoding="utf-8"))
    assert [value.hex() for value in found] == [value.hex() for value in values]


def test_a_folder_is_claimed_once(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "one"
    request = {"seed": 1, "rates": (0.5, 2), "names": {"a": None}}
    assert claim(folder, "request.json", request, WAY_OUT)
    assert not claim(folder, "request.json", request, WAY_OUT)
    # What JSON makes of a request is the same request.
    assert not claim(folder, "request.json", {"names": {"a": None}, "rates": [0.5, 2], "seed": 1}, WAY_OUT)
    assert json.loads((folder / "request.json").read_text(encoding="utf-8"))["rates"] == [0.5, 2]


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"a": 1, "b": {"c": [1, 2], "d": 4}}, "b.d (3, now 4)"),
        ({"a": 2, "b": {"c": [1, 2], "d": 4}}, "a (1, now 2)"),
        ({"a": 1, "b": {"c": [2, 1], "d": 3}}, "b.c ([1, 2], now [2, 1])"),
        ({"a": 1, "b": {"c": [1, 2]}}, "b.d (3, now None)"),
        ({"a": 1, "b": {"c": [1, 2], "d": 3}, "e": 5}, "e (None, now 5)"),
        ({"a": 1, "b": 7}, "b ({'c': [1, 2], 'd': 3}, now 7)"),
        ({"a": 1.5, "b": {"c": [1, 2], "d": 3}}, "a (1, now 1.5)"),
    ],
)
def test_another_request_is_refused_with_the_key_that_differs(
    tmp_path: Path, other: dict[str, Any], named: str
) -> None:
    claim(tmp_path, "request.json", {"a": 1, "b": {"c": [1, 2], "d": 3}}, WAY_OUT)
    before = (tmp_path / "request.json").read_bytes()
    with pytest.raises(RequestError) as caught:
        claim(tmp_path, "request.json", other, WAY_OUT)
    assert f"was made with another {named}: {WAY_OUT}" in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert (tmp_path / "request.json").read_bytes() == before


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(RequestError, match="holds files of something else: choose another folder"):
        claim(tmp_path, "request.json", {}, WAY_OUT)
    assert [one.name for one in tmp_path.iterdir()] == ["notes.txt"]


def test_the_rest_of_a_killed_claim_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "request.json.part").write_text('{"seed"', encoding="utf-8")
    assert claim(tmp_path, "request.json", {"seed": 1}, WAY_OUT)
    assert [one.name for one in tmp_path.iterdir()] == ["request.json"]


@pytest.mark.parametrize("content", [b"{", b"", b"\xff\xfe"], ids=["half", "empty", "binary"])
def test_a_damaged_request_is_refused_not_overwritten(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "request.json").write_bytes(content)
    with pytest.raises(RequestError, match="cannot be read: choose another folder"):
        claim(tmp_path, "request.json", {}, WAY_OUT)
    assert (tmp_path / "request.json").read_bytes() == content


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(RequestError, match="choose another folder"):
        claim(file, "request.json", {}, WAY_OUT)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("multi_issue", "multi_issue"),
        ("openspiel:liars_dice(numdice=2,dice_sides=3)", "openspiel_liars_dice(numdice=2,dice_sides=3)"),
        ("game(file=../../etc/x)", "game(file=.._.._etc_x)"),
        ("a b\\c\n*?d", "a_b_c_d"),
    ],
)
def test_a_name_becomes_the_name_of_one_folder(text: str, name: str) -> None:
    assert folder_name(text) == name
    assert len(Path(folder_name(text)).parts) == 1


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("equipoise.files.write_json", full)
    with pytest.raises(RequestError, match=r"cannot be written \(No space left on device\): choose another"):
        claim(tmp_path / "out", "request.json", {}, "choose another --out")
