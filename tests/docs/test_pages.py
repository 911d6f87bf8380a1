"""Every command and snippet of the pages that users read does what they are told it does: it runs.

Blocks of a page share a folder and are run in order. A block whose first line is ``# NAME.py`` or
``# NAME.toml`` is that file. What is not run stands in ``table.py`` with its reason, and how commands are
made small in ``smaller.py``.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from equipoise.games import registry as games
from equipoise.opponents import pools
from equipoise.opponents import registry as opponents
from equipoise.prompts import registry as prompts
from tests.docs.blocks import Block, blocks, pages, words
from tests.docs.shell import PARTS, Shell, read_json, read_recipe, shell, with_python
from tests.docs.smaller import smaller_recipe, smaller_text
from tests.docs.table import AS_WRITTEN, COMPILED, EXCEPTIONS, exempt

LANGUAGES = {"", "bash", "console", "json", "python", "text", "toml"}
BEFORE = {
    "docs/openspiel.md": (
        "import pyspiel\nfrom open_spiel.python import policy\n"
        "theirs = policy.TabularPolicy(pyspiel.load_game('leduc_poker'))\n"
    ),
}
"""What a page's code takes from the reader."""
ALL = [block for page in pages() for block in blocks(page)]


@pytest.fixture(autouse=True)
def registries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget afterwards what a page registers."""
    for module, name in (
        (games, "_GAMES"),
        (prompts, "_RENDERERS"),
        (pools, "_POOLS"),
        (opponents, "_STRATEGIES"),
    ):
        monkeypatch.setattr(module, name, dict(getattr(module, name)))


@pytest.mark.parametrize("page", [page for page in pages() if blocks(page)])
def test_what_a_page_says_can_be_done(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    space = vars(module)
    with shell(tmp_path, monkeypatch) as here:
        for block in blocks(page):
            _lay_out(block, here)
        here.furnish()
        for name, part in PARTS.items():
            exec(part, space) if name != "sniper" else None
        exec(BEFORE.get(page, ""), space)
        for block in blocks(page):
            _perform(block, here, space)


def _lay_out(block: Block, here: Shell) -> None:
    """Write the file that a block is."""
    if block.file is not None:
        here.write(block.file, smaller_recipe(block.text) if block.language == "toml" else block.text)


def _perform(block: Block, here: Shell, space: dict[str, Any]) -> None:
    assert block.language in LANGUAGES, f"{block.page}:{block.line}: which language is {block.language!r}?"
    if block.language == "toml":
        if "name" in tomllib.loads(block.text):
            here.write("recipe.toml", block.text)
            read_recipe("recipe.toml", here.folder)
    elif block.language == "json":
        read_json(block.text)
    elif block.language == "python":
        known = set(space)
        code = compile(smaller_text(with_python(block.text)), f"{block.page}:{block.line}", "exec")
        if not any(words in block.text for words in COMPILED):
            exec(code, space)
        for name in set(space) - known:
            if name.startswith("test_"):
                space[name]()
    for command in block.commands:
        here.run(command)


def test_every_exception_names_a_documented_command() -> None:
    typed = [" ".join(one) for block in ALL for command in block.commands for one in words(command)]
    named = {row for one in typed if (row := exempt(one))}
    assert named == set(EXCEPTIONS)
    assert all(any(words in block.text for block in ALL) for words in COMPILED)


@pytest.mark.slow
@pytest.mark.parametrize("start", AS_WRITTEN)
def test_commands_run_as_they_are_written(
    start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [c.split("#")[0].strip() for block in ALL for c in block.commands if c.startswith(start)]
    assert found, f"no page has {start!r} any more"
    with shell(tmp_path, monkeypatch) as here:
        here.furnish()
        here.run(min(found, key=len), whole=True)
