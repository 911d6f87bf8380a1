"""A warm start that is interrupted goes on as if it had not been."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import equipoise.training.supervised as supervised
from equipoise.training.checkpoints import TrainerFolder
from equipoise.training.data import make_examples
from equipoise.training.sft import Sft
from tests.training.warmstarts import (
    IPD,
    SMALL,
    new_sft,
    scripted,
    validation,
)


class Killed(BaseException):
    """Stands for a process that ends here."""


def arm(monkeypatch: pytest.MonkeyPatch, when: int) -> Counter[str]:
    """End the ``when``-th time that something is about to change on disk or in memory; count all of them."""
    events: Counter[str] = Counter()

    def watch(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def call(*arguments: Any, **named: Any) -> Any:
            if events.total() == when:
                raise Killed
            events[name] += 1
            return real(*arguments, **named)

        monkeypatch.setattr(owner, name, call)

    for owner, names in (
        (Sft, ("_step",)),
        (TrainerFolder, ("log",)),
        (shutil, ("rmtree",)),
        (Path, ("rename", "replace")),
        (supervised, ("save_adapter",)),
    ):
        for name in names:
            watch(owner, name)
    return events


def content(folder: Path) -> dict[str, Any]:
    """What a run leaves behind, without times."""
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    state = json.loads((folder / "checkpoint" / "state.json").read_text(encoding="utf-8"))
    files = {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.suffix == ".safetensors" and file.parent.name in ("best", "checkpoint")
    }
    return {"files": files, "state": state, "rows": [{**row, "seconds": 0.0} for row in rows]}


def test_an_interruption_anywhere_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"steps": 2, "select_every": 1, "episodes": 12, "batch": 8}
    whole = tmp_path / "whole"
    with monkeypatch.context() as patched:
        events = arm(patched, -1)
        done = new_sft(folder=whole, **settings).run()
    expected = content(whole)
    assert len(expected["files"]) == 3
    # Every kind of event is met, in the first step and later ones.
    assert all(events[name] >= 2 for name in ("_step", "log", "save_adapter", "rename", "rmtree"))
    for when in range(events.total()):
        folder = tmp_path / "cut"
        with monkeypatch.context() as patched:
            arm(patched, when)
            with pytest.raises(Killed):
                new_sft(folder=folder, **settings).run()
        again = new_sft(folder=folder, **settings).run()
        assert content(folder) == expected, when
        assert (again.step, again.score) == (done.step, done.score)
        shutil.rmtree(folder)


def test_interrupted_twice_and_while_resuming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"steps": 4, "select_every": 2, "episodes": 12, "batch": 8}
    new_sft(folder=tmp_path / "whole", **settings).run()
    for when in (9, 12, 2):
        with monkeypatch.context() as patched:
            arm(patched, when)
            with pytest.raises(Killed):
                new_sft(folder=tmp_path / "cut", **settings).run()
    new_sft(folder=tmp_path / "cut", **settings).run()
    assert content(tmp_path / "cut") == content(tmp_path / "whole")


def test_early_stopping_is_not_forgotten_by_a_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"steps": 8, "select_every": 1, "patience": 3}
    scripted(monkeypatch, [1, 0], [5, 5])
    with pytest.raises(IndexError):
        new_sft(folder=tmp_path / "run", **settings).run()
    # Two evaluations are done, one of them without improvement: two more end it.
    scripted(monkeypatch, [0, 0, 9], [5, 5, 5])
    done = new_sft(folder=tmp_path / "run", **settings).run()
    assert len(done.history) == 4
    assert (done.step, done.score) == (1, 1)


def test_a_finished_run_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = new_sft(folder=tmp_path / "run").run()
    before = content(tmp_path / "run")
    events = arm(monkeypatch, -1)
    again = new_sft(folder=tmp_path / "run").run()
    assert again == first
    # At most an old checkpoint is looked for.
    assert set(events) <= {"rmtree"}
    assert content(tmp_path / "run") == before


def test_metrics_and_state_are_json(tmp_path: Path) -> None:
    def refuse(word: str) -> float:
        raise AssertionError(f"{word} is no JSON")

    one = new_sft(folder=tmp_path, episodes=2, validation=1e-9, steps=1, select_every=2)
    assert not validation(one)
    one.run()
    for line in (tmp_path / "metrics.jsonl").read_text(encoding="utf-8").splitlines():
        json.loads(line, parse_constant=refuse)
    json.loads((tmp_path / "checkpoint" / "state.json").read_text(encoding="utf-8"), parse_constant=refuse)


def test_another_seed_is_another_run() -> None:
    a, b = new_sft(seed=0, steps=2), new_sft(seed=1, steps=2)
    assert [e.action for e in a.examples] != [e.action for e in b.examples]
    assert a.run().history[0]["loss"] != b.run().history[0]["loss"]


def test_examples_are_those_of_the_data() -> None:
    one = new_sft(seed=3)
    other = make_examples(IPD, "paper", SMALL["episodes"], 3, SMALL["validation"])
    assert [(e.teacher, e.opponent, e.action, e.held_out) for e in one.examples] == [
        (e.teacher, e.opponent, e.action, e.held_out) for e in other
    ]
