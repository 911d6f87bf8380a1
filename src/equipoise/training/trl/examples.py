"""Supervised examples, as ``equipoise data`` writes them, for TRL's SFT trainer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError
from equipoise.training.data import Example
from equipoise.training.dataset import row_of

__all__ = ["Examples", "read_examples", "rows_of"]

Examples = tuple[list[dict[str, Any]], list[dict[str, Any]]]
"""Rows to train on, and rows kept for validation."""


def read_examples(path: Path, game: str) -> Examples:
    """Read a file or folder that ``equipoise data`` wrote.

    Args:
        path: A JSONL file, or a folder of them in any of the layouts.
        game: ``id@version``; rows of other games are left out, and so is the split ``test``.

    Raises:
        RequestError: There is no such file, a line is no example, or none is left to train on.
    """
    files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    found: dict[str, list[dict[str, Any]]] = {}
    for file in files:
        for number, row in enumerate(_lines(file), start=1):
            try:
                if row["game"] == game:
                    found.setdefault(row["split"], []).append(_chat(row))
            except (KeyError, TypeError):
                raise RequestError(
                    f"{str(file)!r}, line {number} is no example: make the data with equipoise data"
                ) from None
    if not found.get("train"):
        raise RequestError(f"data = {str(path)!r} holds no examples of {game} to train on")
    return found["train"], found.get("validation", [])


def rows_of(examples: Iterable[Example]) -> Examples:
    """Return the rows of examples that were just made."""
    rows = [(row_of(example), example.held_out) for example in examples]
    return [_chat(row) for row, held in rows if not held], [_chat(row) for row, held in rows if held]


def _chat(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"prompt": row["prompt"], "completion": row["completion"]}


def _lines(file: Path) -> Sequence[Any]:
    try:
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError):
        raise RequestError(f"data = {str(file)!r} cannot be read as JSON lines") from None
