"""``equipoise solve``: what is passed on, and the table over seeds."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from equipoise.auditing.result import AuditResult, GameResult
from equipoise.types import Estimate
from tests.cli.conftest import Run

BACKEND = "equipoise.training.solve"


def result(policy: str, u: float, best: float | None) -> GameResult:
    metrics = {
        "utility": Estimate.exact(u),
        "exploitability": Estimate.exact(0.25),
        "safety": Estimate.exact(2 * u),
        "best_response": None if best is None else Estimate.exact(best),
        "optimum": Estimate.exact(1.8799),
    }
    return GameResult("ipd", 1, policy, metrics, {}, {}, {})


FOUND = AuditResult(
    [
        result("optimum", 3.0, 3.25),
        result("pool/seed0", 1.0, 2.0),
        result("pool/seed1", 2.0, 4.0),
        result("pool+best_response/seed0", 1.5, None),
    ]
)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    calls: dict[str, Any] = {}

    def fake(game: Any, **given: Any) -> AuditResult:
        calls.update(given, game=game)
        sys.stdout.write("working\n")
        return FOUND

    monkeypatch.setitem(sys.modules, BACKEND, SimpleNamespace(solve=fake))
    return calls


def test_a_row_for_each_kind(run: Run, seen: dict[str, Any]) -> None:
    done = run("solve", "ipd")
    assert done.code == 0
    assert "ipd (version 1): J* = 1.8799; means, and min..max, of 2 seeds" in done.out
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in done.out.splitlines() if "│" in line]
    assert rows == [
        ["optimum", "3.0000", "0.2500", "6.0000", "3.2500"],
        [
            "pool",
            "1.5000 1.000..2.000",
            "0.2500 0.250..0.250",
            "3.0000 2.000..4.000",
            "3.0000 2.000..4.000",
        ],
        ["pool+best_response", "1.5000", "0.2500", "3.0000", "n/a"],
    ]


def test_defaults(run: Run, seen: dict[str, Any]) -> None:
    run("solve", "kuhn")
    assert seen["game"].name == "kuhn"
    assert (seen["exploiters"], seen["seeds"], seen["steps"], seen["out"]) == (("pool",), 1, None, None)
    assert seen["reporter"].quiet is False


@pytest.mark.parametrize(
    "kinds",
    [
        ("--exploiters", "none", "pool", "a,b"),
        ("--exploiters", "none", "-x", "pool", "--exploiters", "a,b", "-x", "none"),
    ],
)
def test_everything_is_passed_on(
    run: Run, seen: dict[str, Any], tmp_path: Path, kinds: tuple[str, ...]
) -> None:
    done = run(
        *("solve", "ipd", *kinds, "--seeds", "3", "--steps", "50", "--option", "rounds=2"),
        *("--out", tmp_path, "--quiet", "--json", "-"),
    )
    assert done.json == FOUND.to_json()
    assert done.err == "working\n"
    assert seen["game"].options.rounds == 2
    assert seen["exploiters"] == ("none", "pool", "a,b")
    assert (seen["seeds"], seen["steps"], seen["out"]) == (3, 50, tmp_path)
    assert seen["reporter"].quiet is True


def test_json_to_a_file(run: Run, seen: dict[str, Any], tmp_path: Path) -> None:
    done = run("solve", "ipd", "--json", tmp_path / "solve.json")
    assert "J*" in done.out
    assert AuditResult.load(tmp_path / "solve.json")["ipd"].policy == "optimum"
