"""Runs commands in this process, with streams and exit code kept apart."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from equipoise.cli import main

COMMAND = (sys.executable, "-c", "import sys; from equipoise.cli import main; sys.exit(main())")
"""The command line in a process of its own, as the installed script starts it."""


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The only line on standard error."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        return lines[0]


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def call(*arguments: str | Path, stdin: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return call


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    """A file of policy functions, right and wrong ones."""
    file = tmp_path / "mine.py"
    file.write_text(
        "def cooperate(decision):\n"
        "    return 'COOPERATE'\n"
        "def mixed(decision):\n"
        "    return {'COOPERATE': 0.5, 'DEFECT': 0.5}\n"
        "def chatty(decision):\n"
        "    print('noise')\n"
        "    return 'DEFECT'\n"
        "def illegal(decision):\n"
        "    return 'BETRAY'\n"
        "def lossy(decision):\n"
        "    return {'COOPERATE': 0.5, 'DEFECT': 0.25}\n"
        "def broken(decision):\n"
        "    raise LookupError('first line\\nsecond line')\n"
        "def interrupted(decision):\n"
        "    raise KeyboardInterrupt\n"
        "number = 7\n",
        encoding="utf-8",
    )
    return file
