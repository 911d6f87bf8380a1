"""Fenced blocks of the pages that users read, and the commands in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
GENERATED = "docs/reference/"
FENCE = re.compile(r"^```(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"\A# (?P<name>[\w-]+\.(?:py|toml))\b")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        page: The page's path from the root of the repository.
        line: The line of its first fence.
        language: What stands after the fence.
        text: What stands between the fences.
    """

    page: str
    line: int
    language: str
    text: str

    @property
    def file(self) -> str | None:
        """The file that the first line of the block says it is."""
        named = NAMED.match(self.text)
        return named["name"] if named else None

    @property
    def commands(self) -> list[str]:
        """What is typed: all of a shell's block, the lines after a prompt of a session's."""
        if self.language not in ("console", "bash"):
            return []
        lines = self.text.replace("\\\n", " ").splitlines()
        if self.language == "console":
            return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        return [line for line in lines if line.strip() and not line.startswith("#")]


def pages() -> list[str]:
    """Return the pages that people wrote."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    names = [path.relative_to(ROOT).as_posix() for path in found]
    return [name for name in names if not name.startswith(GENERATED)]


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, found.start()) + 1, found["language"], found["text"])
        for found in FENCE.finditer(text)
    ]


def words(command: str) -> Iterator[list[str]]:
    """Split a line into the words of its commands, as a shell would; ``>`` stays a word."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";>")
    lexer.whitespace_split = True
    one: list[str] = []
    for word in lexer:
        if word == ";":
            yield one
            one = []
        else:
            one.append(word)
    if one:
        yield one
