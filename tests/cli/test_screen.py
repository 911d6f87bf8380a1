"""What a terminal shows, tried on a pseudo-terminal of 80 columns."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable

import pytest

from tests.cli.conftest import COMMAND

pty = pytest.importorskip("pty")
Terminal = Callable[..., str]


@pytest.fixture
def terminal() -> Terminal:
    def run(*arguments: str, stdin: bytes = b"") -> str:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "40"},
            start_new_session=True,
        )
        os.close(theirs)
        os.write(ours, stdin)
        seen = b""
        while True:
            try:
                block = os.read(ours, 65536)
            except OSError:  # How Linux says that the other end is closed.
                break
            if not block:
                break
            seen += block
        os.close(ours)
        assert process.wait(timeout=60) == 0, seen
        return re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", seen.decode()).replace("\r", "")

    return run


def test_progress_is_a_bar_and_quiet_is_quiet(terminal: Terminal) -> None:
    arguments = ("audit", "kuhn", "-p", "scripted:random", "--sample", "-n", "4")
    assert re.search(r"audit kuhn: scripted:random ━+ +\d+/56", terminal(*arguments))
    assert "audit kuhn" not in terminal(*arguments, "--quiet")


def test_no_number_loses_its_end(terminal: Terminal) -> None:
    shown = terminal(
        *("audit", "ipd", "-p", "scripted:generous_tit_for_tat", "-b", "scripted:tit_for_tat"),
        *("--sample", "-n", "4", "--opponents", "-q"),
    )
    assert "…" not in shown
    rows = [line for line in shown.splitlines() if line.startswith("│ ipd ")]
    number = r"-?\d+\.\d{3} \[-?\d+\.\d{3}, -?\d+\.\d{3}\]|-?\d+\.\d{4}"
    assert all(re.search(number, row) for row in rows)
    assert len(rows) >= 10


def test_tables_of_words_are_folded(terminal: Terminal) -> None:
    shown = terminal("games")
    assert max(len(line) for line in shown.splitlines()) <= 80


def test_a_person_plays(terminal: Terminal) -> None:
    shown = terminal("play", "ipd", "-p", "human", "--opponent", "pavlov", "-o", "rounds=1", stdin=b"d\n")
    assert "you get 5" in shown
