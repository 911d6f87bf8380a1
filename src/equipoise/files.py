"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError

__all__ = ["appearing", "claim", "folder_name", "write_json", "write_text"]


def write_text(path: Path, text: str) -> None:
    """Write a file, all of it or nothing: a process killed at any moment leaves the old one or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def write_json(path: Path, data: Any) -> None:
    """Write JSON, indented, with a final newline (see :func:`write_text`)."""
    write_text(path, json.dumps(data, indent=1) + "\n")


def folder_name(text: str) -> str:
    """Return text as the name of one folder on any system: what might be a separator becomes ``_``."""
    return re.sub(r"[^\w.()=,+-]+", "_", text)


@contextmanager
def appearing(out: Path) -> Iterator[Path]:
    """Yield a folder that gets its name at the end, or is gone if the block fails.

    Raises:
        RequestError: The name is taken, by a file or a folder that is not empty, or cannot be written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RequestError(f"{str(out)!r} is taken: choose another --out")
    part = out.with_name(f"{out.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
    except OSError as error:
        raise RequestError(f"--out {str(out)!r} cannot be written ({error.strerror})") from None
    try:
        yield part
        if out.exists():
            out.rmdir()
        part.rename(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def claim(folder: Path, name: str, request: Any, way_out: str) -> bool:
    """Mark a folder as belonging to a request, or check that it does.

    Args:
        folder: The folder; made if it does not exist.
        name: The file that holds the request.
        request: What the folder is for, as JSON data.
        way_out: What to do if it belongs to something else, e.g. ``choose another --out``.

    Returns:
        Whether the folder was new.

    Raises:
        RequestError: The folder cannot be written, or holds files of something else or another request;
            the first key that differs is named.
    """
    path, wanted = folder / name, json.loads(json.dumps(request))
    if folder.exists() and not folder.is_dir():
        raise RequestError(f"{str(folder)!r} is a file, not a folder: {way_out}")
    if not path.exists():
        if folder.exists() and any(not one.name.endswith(".part") for one in folder.iterdir()):
            raise RequestError(f"{str(folder)!r} holds files of something else: {way_out}")
        try:
            write_json(path, wanted)
        except OSError as error:
            raise RequestError(f"{str(folder)!r} cannot be written ({error.strerror}): {way_out}") from None
        return True
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise RequestError(f"{str(path)!r} cannot be read: {way_out}") from None
    if found != wanted:
        raise RequestError(f"{str(folder)!r} was made with another {_difference(found, wanted)}: {way_out}")
    return False


def _difference(found: Any, wanted: Any, where: str = "") -> str:
    """Name the first place at which two JSON values differ, with both values."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in sorted({*found, *wanted}):
            if found.get(key) != wanted.get(key):
                return _difference(found.get(key), wanted.get(key), f"{where}.{key}" if where else key)
    return f"{where or 'request'} ({found!r}, now {wanted!r})"
