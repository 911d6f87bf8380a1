"""Services that show the numbers of a run: the same rows that ``metrics.jsonl`` and TensorBoard get.

Both are packages of their own, loaded when a run names them. Keys are theirs to find (``wandb login``,
``WANDB_API_KEY``, ``HF_TOKEN``): none is read, stored or shown here. Besides the numbers they are given the
settings of the run; wandb adds packages and machine by itself.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from equipoise.errors import EquipoiseError, RequestError

__all__ = ["PROJECT", "Board", "Boards", "check_boards"]

Board = Literal["trackio", "wandb"]
PROJECT = "equipoise"
"""The project that runs stand in; ``WANDB_PROJECT`` and ``TRACKIO_PROJECT`` are not asked."""


def check_boards(names: Sequence[Board]) -> None:
    """Check that what is named is installed.

    Raises:
        RequestError: It is not.
    """
    for name in names:
        if find_spec(name) is None:
            raise RequestError(
                f"report_to = [{name!r}]: {name} is not installed, pip install {name}, or leave it out"
            )


class Boards:
    """Sends the numbers of each step to the services that are named; to none by default."""

    def __init__(
        self, names: Sequence[Board], folder: Path | None, title: str, settings: Mapping[str, Any]
    ) -> None:
        """Take what to send; nothing is opened before the first row.

        Args:
            names: The services, each once.
            folder: The run's folder: runs of one folder are one run there too. None sends nothing.
            title: What the run is called.
            settings: Settings of the run, sent along.

        Raises:
            RequestError: A service is not installed.
        """
        self._names = tuple(dict.fromkeys(names)) if folder is not None else ()
        check_boards(self._names)
        self._folder, self._title, self._settings = folder, title, dict(settings)
        self._open: list[Any] = []

    def add(self, row: Mapping[str, Any]) -> None:
        """Send every number of a row at its step.

        Raises:
            EquipoiseError: A service does not take it.
        """
        numbers = {
            name: value for name, value in row.items() if name != "step" and isinstance(value, int | float)
        }
        for name, module in zip(self._names, self._start(), strict=True):
            try:
                module.log(numbers, step=int(row["step"]))
            except Exception as error:
                raise _failed(name, error) from error

    def close(self) -> None:
        """Send what is left and end."""
        for module in self._open:
            module.finish()
        self._open = []

    def _start(self) -> list[Any]:
        if not self._open:
            self._open = [self._init(name) for name in self._names]
        return self._open

    def _init(self, name: Board) -> Any:
        assert self._folder is not None
        place = self._folder.resolve()
        identity = hashlib.sha256(str(place).encode()).hexdigest()[:12]
        given: dict[str, Any] = {"project": PROJECT, "config": self._settings, "resume": "allow"}
        try:
            module = importlib.import_module(name)
            if name == "wandb":
                # What is sent waits in the run's folder, where the service is told to be offline. It would
                # also send all that the command prints, and print over the live view itself.
                own = {"console": "off", "silent": True}
                module.init(name=self._title, id=identity, dir=str(place), settings=own, **given)
            else:
                # A run has no id besides its name there.
                module.init(name=f"{self._title} {identity}", **given)
        except Exception as error:
            raise _failed(name, error) from error
        return module


def _failed(name: str, error: Exception) -> EquipoiseError:
    said = " ".join(str(error).split()) or type(error).__name__
    return EquipoiseError(f"report_to = [{name!r}]: {said[:300]}; mend it, or leave {name} out of report_to")
