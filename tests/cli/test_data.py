"""``equipoise data``: what is passed on, what is shown, and what is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.training.teachers import teacher_games
from tests.cli.conftest import Run


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_one_game_into_one_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "new" / "ipd.jsonl"
    done = run("data", "ipd", "--recipe", "paper", "--out", file, "-n", "6", "-o", "rounds=2", "--seed", "3")
    assert (done.code, done.err) == (0, "data ipd\n")
    assert "written to" in done.out
    assert f"{file}" in done.out
    assert len(rows(file)) == 12
    assert {row["episode"] for row in rows(file)} == set(range(6))


def test_json_is_the_card(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    done = run(
        *("data", "split", "--recipe", "balanced", "--out", file, "--examples", "30", "--reasons"),
        *("--validation", "0.2", "--test", "0.2", "--quiet", "--json", "-"),
    )
    card = done.json
    assert (card["schema"], card["recipe"], card["reasons"], card["out"]) == (1, "balanced", True, str(file))
    assert card["shares"] == {"validation": 0.2, "test": 0.2}
    assert card["games"]["split"]["examples"] == 30
    assert {row["split"] for row in rows(file)} <= {"train", "validation", "test"}
    assert all("\nAction: " in row["completion"][0]["content"] for row in rows(file))


@pytest.mark.parametrize("recipe", ["paper", "balanced"])
def test_all_games_into_a_folder(run: Run, tmp_path: Path, recipe: str) -> None:
    out = tmp_path / "set"
    done = run("data", "all", "--recipe", recipe, "--out", out, "-n", "3", "--validation", "0", "--quiet")
    assert done.code == 0
    names = teacher_games(recipe)
    assert {path.name for path in out.iterdir()} == {
        *(f"{name}.jsonl" for name in names),
        *("README.md", "card.json", "request.json"),
    }
    told = "left out, as recipe paper has no teachers: commons" in done.out
    assert told == (recipe == "paper")
    card = json.loads((out / "card.json").read_text(encoding="utf-8"))
    assert tuple(card["games"]) == names
    for name in names:
        assert name in done.out


def test_the_layout_of_datasets(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "set"
    done = run("data", "kuhn", "--recipe", "paper", "--format", "datasets", "--out", out, "-n", "30", "-q")
    assert done.code == 0
    assert {path.name for path in (out / "kuhn").iterdir()} == {"train.jsonl", "validation.jsonl"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("data", "ipd", "--recipe", "papper"), "unknown teacher recipe 'papper': did you mean 'paper'?"),
        (("data", "kuhm", "--recipe", "paper"), "unknown game 'kuhm': did you mean 'kuhn'?"),
        (("data", "al", "--recipe", "paper"), "unknown game 'al'"),
        (("data", "all", "--recipe", "both"), "unknown teacher recipe 'both'"),
        (
            ("data", "commons", "--recipe", "paper"),
            "commons is not a game of the paper: use the recipe balanced",
        ),
        (("data", "ipd", "--recipe", "paper", "-n", "0"), "0"),
        (("data", "ipd", "--recipe", "paper", "--examples", "0"), "0"),
        (("data", "ipd", "--recipe", "paper", "-n", "2", "--examples", "3"), "are two sizes: give one"),
        (("data", "ipd", "--recipe", "paper", "--validation", "1.5"), "validation = 1.5"),
        (("data", "ipd", "--recipe", "paper", "--test", "nan"), "test = nan"),
        (("data", "ipd", "--recipe", "paper", "--validation", "0.6", "--test", "0.4"), "nothing to train on"),
        (("data", "ipd", "--recipe", "paper", "--format", "csv"), "csv"),
        (
            ("data", "ipd", "--recipe", "paper", "-o", "round=3"),
            "unknown option 'round': did you mean 'rounds'?",
        ),
        (("data", "all", "--recipe", "paper", "-o", "rounds=3"), "--option 'rounds=3' belongs to one game"),
        (("data", "ipd"), "recipe"),
    ],
)
def test_wrong_requests_are_one_line(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = run(*arguments, "--out", tmp_path / "x.jsonl", "--quiet")
    assert done.code == 2
    assert message in done.error
    assert done.out == ""
    assert list(tmp_path.iterdir()) == []


def test_places_that_are_taken_are_refused(run: Run, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("mine", encoding="utf-8")
    paper = ("--recipe", "paper", "-n", "2", "--quiet", "--out")
    for arguments, message in (
        (("data", "ipd", *paper, tmp_path), "is no file that could be replaced: name another"),
        (("data", "ipd", *paper, notes), "holds something else than such data: name another file"),
        (("data", "ipd", *paper, notes / "x.jsonl"), "is a file, not a folder"),
        (("data", "all", *paper, notes), "is a file, not a folder"),
        (("data", "all", *paper, tmp_path), "holds files of something else: choose another --out"),
        (("data", "ipd", "--format", "datasets", *paper, notes), "is a file, not a folder"),
    ):
        done = run(*arguments)
        assert (done.code, message in done.error) == (2, True), done.err
    assert notes.read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [notes]
