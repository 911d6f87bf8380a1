"""A trainer's folder: the last checkpoint, the best weights, and the metrics of every step.

A checkpoint is written beside the old one and renamed, so that one whole checkpoint exists at any moment.
The unit of resuming is a step: a step that was interrupted is done again from its start. Weights are
safetensors, everything else is JSON; nothing is ever unpickled.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.files import claim, write_text
from equipoise.rollout.transcript import append_lines

__all__ = ["CREDITED", "TrainerFolder"]

CREDITED = "credited.jsonl"
"""Some episodes of every step with their advantages: a transcript (``credited``)."""


class TrainerFolder:
    """The folder of one training run."""

    def __init__(self, folder: Path, request: Mapping[str, Any]) -> None:
        """Open or start a folder.

        Raises:
            RequestError: The folder holds a run with other settings.
        """
        self.folder = folder
        claim(folder, "request.json", request, "choose another folder")
        self._metrics, self._credited = folder / "metrics.jsonl", folder / CREDITED

    @property
    def best(self) -> Path:
        """Where the best weights are."""
        return self.folder / "best"

    @property
    def last(self) -> Path:
        """Where the last checkpoint is."""
        return self.folder / "checkpoint"

    def load(self) -> tuple[Path, dict[str, Any]] | None:
        """Return the last whole checkpoint and its state, or None; what was logged after it is dropped."""
        if not self.last.exists() and self.last.with_suffix(".old").exists():
            self.last.with_suffix(".old").rename(self.last)
        shutil.rmtree(self.last.with_suffix(".old"), ignore_errors=True)
        if not self.last.exists():
            self._metrics.unlink(missing_ok=True)
            self._credited.unlink(missing_ok=True)
            return None
        state = json.loads((self.last / "state.json").read_text(encoding="utf-8"))
        self._cut(int(state["metrics"]))
        self._cut_credited(int(state.get("credited", 0)))
        return self.last, state

    def save(self, write: Callable[[Path], Mapping[str, Any]]) -> None:
        """Write a checkpoint.

        Args:
            write: Fills the folder it is given and returns the state to keep as JSON.
        """
        part, old = self.last.with_suffix(".part"), self.last.with_suffix(".old")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        state = {**write(part), "metrics": len(self._lines()), "credited": self._size()}
        (part / "state.json").write_text(json.dumps(state), encoding="utf-8")
        shutil.rmtree(old, ignore_errors=True)
        if self.last.exists():
            self.last.rename(old)
        part.rename(self.last)
        shutil.rmtree(old, ignore_errors=True)

    def save_best(self, write: Callable[[Path], None]) -> None:
        """Replace the best weights."""
        part = self.best.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        write(part)
        shutil.rmtree(self.best, ignore_errors=True)
        part.rename(self.best)

    def log(self, row: Mapping[str, Any]) -> None:
        """Append one line of metrics."""
        with self._metrics.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def record(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Append episodes with their advantages and force them to disk."""
        if lines:
            append_lines(self._credited, lines)

    def metrics(self) -> list[dict[str, Any]]:
        """Return all lines of metrics."""
        return [json.loads(line) for line in self._lines()]

    def _size(self) -> int:
        return self._credited.stat().st_size if self._credited.exists() else 0

    def _cut_credited(self, size: int) -> None:
        if not size:
            self._credited.unlink(missing_ok=True)
        elif self._size() > size:
            os.truncate(self._credited, size)

    def _lines(self) -> list[str]:
        if not self._metrics.exists():
            return []
        lines = self._metrics.read_text(encoding="utf-8").splitlines(keepends=True)
        return [line for line in lines if line.endswith("\n")]

    def _cut(self, count: int) -> None:
        lines = self._lines()
        text = self._metrics.read_text(encoding="utf-8") if self._metrics.exists() else ""
        if text != "".join(lines[:count]):
            write_text(self._metrics, "".join(lines[:count]))
