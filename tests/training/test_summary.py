"""What a run ends with: the tables, one verdict a trained policy, and where everything is."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from equipoise.auditing.result import AuditResult, Difference, GameResult
from equipoise.training.summary import Run
from equipoise.types import Estimate, Kind


def result(game: str, policy: str, safety: float) -> GameResult:
    metrics = {"utility": Estimate.exact(safety + 1.0), "safety": Estimate.exact(safety), "collusion": None}
    weights = {"e": 1.0, "c": 0.0, "x": 0.0, "scale": 1.0}
    return GameResult(game, 1, policy, metrics, {"train": {}}, weights, {"method": "exact"})


def sample(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, low, high, 0.95, 40, 20, Kind.SAMPLE)


def difference(game: str, a: str, b: str, estimate: Estimate, metric: str = "safety") -> Difference:
    return Difference(game, metric, a, b, estimate)


RESULTS = [result("ipd", name, 0.1 * i) for i, name in enumerate(("base", "sft", "sepo", "mine"))] + [
    result("kuhn", "base", -1.0),
    result("kuhn", "sepo", 0.125),
]
DIFFERENCES = [
    difference("ipd", "sft", "base", sample(0.5, 0.25, 0.75)),
    difference("ipd", "sepo", "base", sample(0.5, 0.25, 0.75)),
    difference("ipd", "sepo", "base", sample(-9.0, -9.5, -8.5), metric="utility"),
    difference("ipd", "sepo", "sft", sample(0.125, -0.5, 0.75)),
    difference("ipd", "mine", "base", sample(-0.5, -0.75, -0.25)),
    difference("ipd", "mine", "sft", Estimate.exact(0.0)),
    difference("ipd", "mine", "sepo", sample(3.0, 2.0, 4.0)),
    difference("kuhn", "sepo", "base", Estimate.exact(1.125)),
]


def run(folder: Path, results: Any = RESULTS, differences: Any = DIFFERENCES) -> Run:
    return Run(folder, AuditResult(results, differences), "smoke")


def text(one: Run) -> str:
    console = Console(width=400, record=True, file=io.StringIO())
    console.print(*one.render(), sep="\n")
    return console.export_text()


def test_verdicts_compare_what_was_trained_with_where_it_came_from(tmp_path: Path) -> None:
    start = "ipd: safety of"
    assert run(tmp_path).verdicts("ipd") == [
        f"{start} sepo, paired on the same deals: above base by 0.500 [0.250, 0.750]; "
        "not settled against sft by 0.125 [-0.500, 0.750]",
        f"{start} mine, paired on the same deals: below base by -0.500 [-0.750, -0.250]; "
        "equal to sft by 0.0000",
    ]
    assert run(tmp_path).verdicts("kuhn") == [
        "kuhn: safety of sepo, paired on the same deals: above base by 1.1250"
    ]
    assert run(tmp_path).verdicts("commons") == []


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        (sample(0.1, 0.0, 0.2), "not settled against"),
        (sample(-0.1, -0.2, 0.0), "not settled against"),
        (sample(0.1, 1e-9, 0.2), "above"),
        (sample(-0.1, -0.2, -1e-9), "below"),
        (Estimate.exact(1e-9), "above"),
        (Estimate.exact(-1e-9), "below"),
        (Estimate.exact(0.0), "equal to"),
    ],
)
def test_a_verdict_needs_an_interval_on_one_side(tmp_path: Path, estimate: Estimate, words: str) -> None:
    (line,) = run(tmp_path, RESULTS, [difference("ipd", "sepo", "base", estimate)]).verdicts("ipd")
    assert f": {words} base by " in line


def test_everything_is_shown_once_and_in_order(tmp_path: Path) -> None:
    shown = text(run(tmp_path))
    marks = [
        "ipd (version 1)",
        "ipd: safety of sepo",
        "ipd: safety of mine",
        "kuhn (version 1)",
        "kuhn: safety of sepo",
        "Intervals cover the evaluation noise of these trained policies, not the training seed.",
        f"run folder: {tmp_path}",
    ]
    places = [shown.index(mark) for mark in marks]
    assert places == sorted(places)
    assert all(shown.count(mark) == 1 for mark in marks)
    header = shown[places[0] : places[1]]
    assert all(name in header for name in ("base", "sft", "sepo", "mine"))
    assert "n/a" in header


def test_without_audits_only_the_folder_is_shown(tmp_path: Path) -> None:
    assert text(run(tmp_path, [], [])).strip() == f"run folder: {tmp_path}"


def test_markup_in_names_is_text(tmp_path: Path) -> None:
    folder = tmp_path / "[bold]x[/bold]"
    shown = text(run(folder, [result("ipd", "[red]mine[/red]", 1.0)], []))
    assert "[red]mine[/red]" in shown
    assert "[bold]x[/bold]" in shown


def test_the_json_is_the_audit_schema_with_the_name_of_the_recipe(tmp_path: Path) -> None:
    one = run(tmp_path)
    one.save()
    data = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert data == json.loads(json.dumps(one.to_json()))
    assert (data["schema"], data["recipe"]) == (1, "smoke")
    assert [(row["game"], row["policy"]) for row in data["results"]] == [(r.game, r.policy) for r in RESULTS]
    assert data["differences"][3] == {
        "game": "ipd",
        "metric": "safety",
        "a": "sepo",
        "b": "sft",
        "value": 0.125,
        "low": -0.5,
        "high": 0.75,
        "level": 0.95,
        "n": 40,
        "clusters": 20,
        "kind": "sample",
    }
    loaded = AuditResult.load(tmp_path / "summary.json")
    assert loaded.results == RESULTS
    assert loaded.differences == DIFFERENCES
    assert [file.name for file in tmp_path.iterdir()] == ["summary.json"]
