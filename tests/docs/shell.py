"""Runs the commands of pages in this process, in a folder of their own."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from glob import glob
from pathlib import Path
from typing import Any

import pytest
import typer

from equipoise.cli import main
from equipoise.cli.app import app
from equipoise.cli.values import overrides
from tests.docs.blocks import ROOT, words
from tests.docs.smaller import smaller
from tests.docs.table import Check, exempt
from tests.policies.endpoint.server import Asked, Say, by_seed, serve

ANSWERS = "\n".join(["PASS", "FOLD", "BET", "COOPERATE", "Liar", "1-1", "2-3", "[leave]", "look"] * 60)
"""What a person at the terminal types; a slip is asked again."""
PARTS = {
    "player": "def player(decision):\n    return dict.fromkeys(decision.legal, 1 / len(decision.legal))\n",
    "agent": "def agent(decision):\n    return decision.legal[0]\n",
    "sniper": "def sniper(decision):\n    return 'DEFECT' if decision.info['round'] > 5 else 'COOPERATE'\n",
    "plan": "def plan(decision):\n    return 'Cooperate.'\n",
    "MyGame": "from equipoise.games.ipd import PrisonersDilemma as MyGame\n",
}
"""Stand-ins for what a reader has in ``mine.py``, where the page does not show it."""


class Shell:
    """A folder, and a server at which every endpoint of the pages is to be found."""

    def __init__(self, folder: Path, server: str) -> None:
        self.folder, self.server = folder, server

    def write(self, name: str, text: str) -> None:
        """Write a file that a page shows, or the next piece of it."""
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(text)

    def furnish(self) -> None:
        """Complete ``mine.py``, and lay the examples of the repository beside it."""
        mine = self.folder / "mine.py"
        text = mine.read_text(encoding="utf-8") if mine.exists() else ""
        missing = (part for name, part in PARTS.items() if not re.search(rf"\b{name}\b", text))
        mine.write_text("\n\n".join([text, *missing]), encoding="utf-8")
        if not (self.folder / "examples").exists():
            (self.folder / "examples").symlink_to(ROOT / "examples")
        (self.folder / "golden").mkdir(exist_ok=True)

    def run(self, command: str, *, whole: bool = False) -> None:
        """Run a line of a page, or check it as the table of exceptions says.

        Args:
            command: The line as it is typed.
            whole: Whether to run it in its documented size.
        """
        for one in words(command):
            if not whole and (row := exempt(" ".join(one))):
                _check(one, row.check)
            else:
                self._run(one, whole)

    def _run(self, given: list[str], whole: bool) -> None:
        given, target = _redirected(given)
        with redirect_stdout(io.StringIO()) as out:
            if given[:2] == ["python", "-m"]:
                code = _module(given[2:])
            elif given[:2] == ["python", "-c"]:
                exec(compile(given[2], "<page>", "exec"), {})
                code = 0
            elif given[0] == "equipoise":
                code = main(
                    given[1:] if whole else [with_python(one) for one in smaller(given[1:], self.server)]
                )
            else:
                pytest.fail(f"no rule for {' '.join(given)!r}: run it, or give it a row in the table")
        assert code == 0, f"{' '.join(given)}: exit code {code}"
        if target is not None:
            (self.folder / target).write_text(out.getvalue(), encoding="utf-8")
        elif given[0] == "equipoise":
            assert out.getvalue().strip(), f"{' '.join(given)} prints nothing"


@contextmanager
def shell(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """Go into a folder in which no key, no terminal and no width of one is inherited."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "stdin", io.StringIO(ANSWERS))
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(folder / "datasets"))
    with serve(usual=_answer) as server:
        yield Shell(folder, server.url)


def _answer(asked: Asked) -> Say:
    """Play as a chat model, or as an agent that gets the whole question."""
    if "protocol" in asked:
        return Say({"id": asked["id"], "action": asked["legal"][0]})
    return by_seed(asked)


def _redirected(given: list[str]) -> tuple[list[str], str | None]:
    if ">" not in given:
        return given, None
    place = given.index(">")
    return given[:place], given[place + 1]


def _module(given: Sequence[str]) -> int:
    name, *rest = given
    found = [path for word in rest for path in (sorted(glob(word)) if "*" in word else [word])]
    if name == "equipoise":
        return main(found)
    module: Any = __import__(name, fromlist=["main"])
    return int(module.main(found))


def _check(given: list[str], check: Check) -> None:
    if check is Check.SCRIPT:
        script = ROOT / given[0]
        assert os.access(script, os.X_OK), f"{given[0]} cannot be started"
        subprocess.run(["bash", "-n", str(script)], check=True)
    elif check is Check.PARSED:
        _parse([re.sub(r"^RECIPE$", "smoke-think", word) for word in given])


def _parse(given: list[str]) -> None:
    """Hold the flags of a command, and the changes to its recipe, against what there is."""
    start = next(place for place, word in enumerate(given) if word == "equipoise")
    command: Any = typer.main.get_command(app)
    name, rest = given[start + 1], given[start + 2 :]
    command = command.commands[name]
    if hasattr(command, "commands"):
        name, *rest = rest
        command = command.commands[name]
    context = command.make_context(name, rest)
    if recipe := context.params.get("recipe"):
        changes = [text for text in context.params.get("changes") or () if "=" in text]
        _load(recipe, overrides(changes))


def with_python(text: str) -> str:
    """Let programs in Python be run by this one."""
    return text.replace("command:python ", f"command:{sys.executable} ")


def read_recipe(name: str, folder: Path) -> None:
    """Hold a recipe that a page shows against the settings that there are, and throw it away."""
    _load(name, ())
    (folder / name).unlink()


def _load(name: str, changes: Sequence[str]) -> None:
    from equipoise.training.epo.recipe import is_epo, load_epo
    from equipoise.training.recipe import load_recipe

    load = load_epo if is_epo(name, changes) else load_recipe
    assert load(name, changes).name


def read_json(text: str) -> Any:
    """Read a block of JSON; an ellipsis stands for what a page leaves out."""
    return json.loads(text.replace("…", ""))
