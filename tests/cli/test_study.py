"""``equipoise study credit``: what is asked for, shown and kept."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from equipoise.progress import Reporter
from equipoise.training import study
from equipoise.training.study_result import CreditRow, CreditStudy
from equipoise.types import Estimate
from tests.cli.conftest import Run


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []

    def fake(game: Any, samples: Any, seed: int, *, reporter: Reporter) -> CreditStudy:
        sys.stdout.write("working\n")
        changed = game.options.changed()
        calls.append(
            {"game": game.name, "options": changed, "samples": samples, "seed": seed, "quiet": reporter.quiet}
        )
        one = Estimate.exact(float(len(calls)))
        settings = {
            "version": 1,
            "options": changed,
            "episodes": 9,
            "gradient_norm": 0.5,
            "exploit_norm": 0.25,
        }
        return CreditStudy([CreditRow(game.name, "per_pool", 7, one, one, None, one)], {game.name: settings})

    monkeypatch.setattr(study, "study_credit", fake)
    return calls


def test_both_small_games_by_default(run: Run, seen: list[dict[str, Any]]) -> None:
    done = run("study", "credit")
    assert done.code == 0
    assert seen == [
        {"game": "kuhn", "options": {"rounds": 1}, "samples": None, "seed": 0, "quiet": False},
        {"game": "ipd", "options": {"rounds": 3}, "samples": None, "seed": 0, "quiet": False},
    ]
    text = " ".join(done.out.split())
    assert "kuhn (version 1, rounds = 1): 7 batches, 9 episodes" in text
    assert "norm of the exact gradient: 0.5000, of its exploit component: 0.2500" in text
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in done.out.splitlines() if "│" in line]
    assert rows == [
        ["per_pool", "1.0000", "1.0000", "n/a", "1.0000"],
        ["per_pool", "2.0000", "2.0000", "n/a", "2.0000"],
    ]


def test_everything_is_passed_on(run: Run, seen: list[dict[str, Any]], tmp_path: Path) -> None:
    done = run(
        *("study", "credit", "--game", "ipd", "-n", "30", "--seed", "4", "--option", "rounds=2"),
        *("--json", "-", "--out", tmp_path / "kept", "--quiet"),
    )
    assert (done.code, done.err) == (0, "working\n")
    assert seen == [{"game": "ipd", "options": {"rounds": 2}, "samples": 30, "seed": 4, "quiet": True}]
    assert done.json == json.loads((tmp_path / "kept" / "credit.json").read_text(encoding="utf-8"))
    assert [(row["game"], row["credit"], row["samples"]) for row in done.json["results"]] == [
        ("ipd", "per_pool", 7)
    ]


def test_a_folder_belongs_to_one_study(run: Run, seen: list[dict[str, Any]], tmp_path: Path) -> None:
    arguments = ("study", "credit", "--game", "kuhn", "--out", tmp_path / "kept", "-q")
    assert run(*arguments).code == run(*arguments).code == 0
    other = run(*arguments, "--seed", "1")
    assert other.code == 2
    assert "made with another seed (0, now 1): choose another out folder" in other.error
    assert len(seen) == 2


def test_a_folder_gets_a_figure_or_a_word_on_why_not(
    run: Run, seen: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("equipoise.report.figures.find_spec", lambda name: None)
    done = run("study", "credit", "--game", "kuhn", "--out", tmp_path / "bare", "-q")
    assert done.code == 0
    assert "no figure: matplotlib is not installed (pip install 'equipoise[report]')" in done.out
    assert sorted(p.name for p in (tmp_path / "bare").iterdir()) == ["credit.json", "credit.request.json"]
    assert "no figure" not in run("study", "credit", "--game", "kuhn", "-q").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--game", "khun"), "unknown game 'khun': did you mean 'kuhn'?"),
        (("--option", "rounds=2"), "--option belongs to one game: name it with --game"),
        (("--game", "kuhn", "--option", "hands=2"), "hands"),
        (("--seed", "-1"), "-1"),
    ],
)
def test_wrong_requests(run: Run, seen: list[dict[str, Any]], arguments: Any, message: str) -> None:
    done = run("study", "credit", *arguments)
    assert done.code == 2
    assert message in done.error
    assert not seen


def test_a_game_without_an_exact_gradient(run: Run) -> None:
    done = run("study", "credit", "--game", "kuhn", "--option", "memory=true", "-q")
    assert done.code == 2
    assert "kuhn with these options has no exact gradient of at most 1000 information states" in done.error


def test_it_runs(run: Run) -> None:
    done = run("study", "credit", "--game", "kuhn", "--samples", "2", "--json", "-", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert [row["credit"] for row in done.json["results"]] == [
        *("per_pool", "per_rollout", "shared", "all_actions")
    ]
    assert done.json["results"][2]["exploit_projection"] == Estimate.exact(0.0).to_json()


def test_without_a_command_it_says_what_there_is(run: Run) -> None:
    done = run("study")
    assert "credit" in done.out + done.err
