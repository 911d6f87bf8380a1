"""A trainer's folder: one whole checkpoint at any moment, and metrics up to it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.training.checkpoints import TrainerFolder

REQUEST = {"game": "kuhn@1", "config": {"steps": 3, "lr": 0.1}}


def writing(step: int) -> Callable[[Path], Mapping[str, Any]]:
    def write(folder: Path) -> Mapping[str, Any]:
        (folder / "weights.json").write_text(str(step), encoding="utf-8")
        return {"step": step}

    return write


def step_of(store: TrainerFolder) -> int | None:
    found = store.load()
    if found is None:
        return None
    folder, state = found
    assert (folder / "weights.json").read_text(encoding="utf-8") == str(state["step"])
    return int(state["step"])


class TestRequest:
    def test_the_same_may_come_back(self, tmp_path: Path) -> None:
        TrainerFolder(tmp_path / "run", REQUEST)
        TrainerFolder(tmp_path / "run", REQUEST)

    @pytest.mark.parametrize(
        ("other", "key"),
        [
            ({**REQUEST, "game": "ipd@1"}, "game"),
            ({"game": "kuhn@1", "config": {"steps": 4, "lr": 0.1}}, r"config\.steps \(3, now 4\)"),
            ({**REQUEST, "new": 1}, "new"),
        ],
    )
    def test_another_is_refused_and_named(self, tmp_path: Path, other: dict[str, Any], key: str) -> None:
        TrainerFolder(tmp_path / "run", REQUEST)
        with pytest.raises(RequestError, match=rf"made with another {key}.*choose another folder"):
            TrainerFolder(tmp_path / "run", other)

    def test_a_folder_of_something_else_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").write_text("draft", encoding="utf-8")
        with pytest.raises(RequestError, match="holds files of something else"):
            TrainerFolder(tmp_path, REQUEST)
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_a_broken_request_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "request.json").write_text("{", encoding="utf-8")
        with pytest.raises(RequestError, match="cannot be read: choose another folder"):
            TrainerFolder(tmp_path, REQUEST)


class TestCheckpoint:
    def test_the_last_one_comes_back(self, tmp_path: Path) -> None:
        store = TrainerFolder(tmp_path, REQUEST)
        assert step_of(store) is None
        for step in (1, 2):
            store.save(writing(step))
            assert step_of(TrainerFolder(tmp_path, REQUEST)) == step
        assert {path.name for path in tmp_path.iterdir()} == {"request.json", "checkpoint"}

    def test_one_that_was_not_finished_does_not_count(self, tmp_path: Path) -> None:
        store = TrainerFolder(tmp_path, REQUEST)
        store.save(writing(1))

        def broken(folder: Path) -> Mapping[str, Any]:
            (folder / "weights.json").write_text("half", encoding="utf-8")
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.save(broken)
        again = TrainerFolder(tmp_path, REQUEST)
        assert step_of(again) == 1
        again.save(writing(2))
        assert step_of(again) == 2

    def test_between_two_the_old_one_stands(self, tmp_path: Path) -> None:
        store = TrainerFolder(tmp_path, REQUEST)
        store.save(writing(1))
        store.last.rename(store.last.with_suffix(".old"))  # killed before the new one was put in place
        assert step_of(TrainerFolder(tmp_path, REQUEST)) == 1
        # Killed before the old one was cleared away: the new one counts.
        store.save(writing(2))
        shutil.copytree(store.last, store.last.with_suffix(".old"))
        assert step_of(TrainerFolder(tmp_path, REQUEST)) == 2
        store.save(writing(3))
        assert step_of(store) == 3

    def test_nothing_is_left_of_an_interrupted_save(self, tmp_path: Path) -> None:
        store = TrainerFolder(tmp_path, REQUEST)
        store.save(writing(1))
        shutil.copytree(store.last, store.last.with_suffix(".old"))
        assert step_of(TrainerFolder(tmp_path, REQUEST)) == 1
        assert {path.name for path in tmp_path.iterdir()} == {"request.json", "checkpoint"}


class TestBest:
    def test_it_is_replaced_as_a_whole(self, tmp_path: Path) -> None:
        store = TrainerFolder(tmp_path, REQUEST)
        for name in ("a", "b"):
            store.save_best(lambda folder, name=name: (folder / name).touch())  # type: ignore[misc]
            assert [path.name for path in store.best.iterdir()] == [name]
        assert not store.best.with_suffix(".part").exists()


class TestMetrics:
    def log(self, store: TrainerFolder, *steps: int) -> None:
        for step in steps:
            store.log({"step": step, "value": step / 3})

    def test_they_come_back_exactly(self, tmp_path: Path) -> None:
        store = TrainerFolder(tmp_path, REQUEST)
        self.log(store, 1, 2)
        assert store.metrics() == [{"step": 1, "value": 1 / 3}, {"step": 2, "value": 2 / 3}]

    def test_those_after_the_checkpoint_are_dropped(self, tmp_path: Path) -> None:
        store = TrainerFolder(tmp_path, REQUEST)
        self.log(store, 1, 2)
        store.save(writing(2))
        self.log(store, 3, 4)
        again = TrainerFolder(tmp_path, REQUEST)
        assert step_of(again) == 2
        assert [row["step"] for row in again.metrics()] == [1, 2]
        self.log(again, 3)
        assert [row["step"] for row in again.metrics()] == [1, 2, 3]

    def test_without_a_checkpoint_all_are(self, tmp_path: Path) -> None:
        store = TrainerFolder(tmp_path, REQUEST)
        self.log(store, 1)
        assert step_of(TrainerFolder(tmp_path, REQUEST)) is None
        assert TrainerFolder(tmp_path, REQUEST).metrics() == []

    def test_a_line_that_was_cut_off_does_not_count(self, tmp_path: Path) -> None:
        store = TrainerFolder(tmp_path, REQUEST)
        self.log(store, 1)
        with (tmp_path / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write('{"step": 2, "va')
        assert [row["step"] for row in store.metrics()] == [1]

    def test_going_on_after_a_line_that_was_cut_off(self, tmp_path: Path) -> None:
        store = TrainerFolder(tmp_path, REQUEST)
        self.log(store, 1)
        store.save(writing(1))
        with (tmp_path / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write('{"step": 2, "va')
        again = TrainerFolder(tmp_path, REQUEST)
        assert step_of(again) == 1
        self.log(again, 2)
        assert [row["step"] for row in again.metrics()] == [1, 2]
