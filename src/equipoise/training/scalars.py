"""Metrics for TensorBoard, where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["Scalars"]


class Scalars:
    """Writes the numbers of each step as TensorBoard scalars; does nothing without a folder or torch."""

    def __init__(self, folder: Path | None) -> None:
        """Take the folder of the event files."""
        self._folder = folder
        self._writer: Any = None

    def add(self, row: Mapping[str, Any]) -> None:
        """Write every number of a row at its step."""
        writer = self._open(int(row["step"]))
        if writer is None:
            return
        for name, value in row.items():
            if name != "step" and isinstance(value, int | float):
                writer.add_scalar(name, value, int(row["step"]))

    def close(self) -> None:
        """Flush and close."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _open(self, step: int) -> Any:
        # Loading torch takes seconds: whoever trains a table has no need of it.
        if self._folder is None or "torch" not in sys.modules:
            return None
        if self._writer is None:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                self._folder = None
                return None
            self._writer = SummaryWriter(str(self._folder), purge_step=step)
        return self._writer
