"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

__all__ = ["write_json", "write_text"]


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
