"""``equipoise run``, ``train`` and ``sft``: what is passed on, and what is shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from equipoise.errors import EquipoiseError
from tests.cli.conftest import Run

PIPELINE = "equipoise.training.pipeline"


class FakeRun:
    def render(self) -> list[str]:
        return ["first [bold]table", "second"]

    def to_json(self) -> dict[str, Any]:
        return {"schema": 1, "results": []}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []

    def fake(recipe: str, overrides: Any, stages: Any, reporter: Any, games: Any) -> FakeRun:
        found.append((recipe, tuple(overrides), stages, reporter.quiet, games))
        sys.stdout.write("working\n")
        if recipe == "fails":
            raise EquipoiseError("the work failed")
        if recipe == "interrupted":
            raise KeyboardInterrupt
        return FakeRun()

    monkeypatch.setitem(sys.modules, PIPELINE, SimpleNamespace(run_recipe=fake))
    return found


@pytest.mark.parametrize(
    ("command", "stages"),
    [("run", ("audit", "sft", "sepo")), ("train", ("sft", "sepo")), ("sft", ("sft",))],
)
def test_recipes_are_run_in_stages(
    run: Run, calls: list[tuple[Any, ...]], command: str, stages: tuple[str, ...]
) -> None:
    done = run(command, "quickstart", "out=runs/a", "sepo.lr=-1e-3", "--quiet")
    assert done.code == 0
    assert calls == [("quickstart", ("out=runs/a", "sepo.lr=-1e-3"), stages, True, None)]
    assert done.out == "working\nfirst [bold]table\nsecond\n"
    assert done.err == ""


@pytest.mark.parametrize(
    ("given", "stages"), [(["sepo"], ("sepo",)), (["sft"], ("sft",)), (["sepo", "sft"], ("sepo", "sft"))]
)
def test_stages_one_by_one(
    run: Run, calls: list[tuple[Any, ...]], given: list[str], stages: tuple[str, ...]
) -> None:
    options = [part for stage in given for part in ("--stage", stage)]
    assert run("train", "quickstart", *options, "seed=1").code == 0
    assert calls == [("quickstart", ("seed=1",), stages, False, None)]


@pytest.mark.parametrize("command", ["run", "train", "sft"])
def test_games_are_named_one_after_the_other_or_one_by_one(
    run: Run, calls: list[tuple[Any, ...]], command: str
) -> None:
    for given in (
        ("--games", "ipd", "kuhn", "out=runs/a"),
        ("out=runs/a", "--games", "ipd", "kuhn"),
        ("-g", "ipd", "-g", "kuhn", "out=runs/a"),
    ):
        assert run(command, "quickstart", *given).code == 0
        assert calls.pop()[1::3] == (("out=runs/a",), ["ipd", "kuhn"])
    # Without the flag a bare word is no game.
    done = run(command, "quickstart", "kuhn")
    assert (done.code, done.error) == (2, "error: override 'kuhn': write it as key=value")


def test_json(run: Run, calls: list[tuple[Any, ...]], tmp_path: Path) -> None:
    done = run("run", "quickstart", "--json", "-")
    assert done.json == {"schema": 1, "results": []}
    assert "working" in done.err
    done = run("sft", "quickstart", "--json", tmp_path / "run.json")
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["schema"] == 1
    assert "second" in done.out


@pytest.mark.parametrize("command", ["run", "train", "sft"])
def test_failures_and_interrupts(run: Run, calls: list[tuple[Any, ...]], command: str) -> None:
    done = run(command, "fails")
    assert (done.code, done.error) == (1, "error: the work failed")
    done = run(command, "interrupted")
    assert (done.code, done.error) == (130, "interrupted: the same command goes on where it stopped")
