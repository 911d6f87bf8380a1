"""``equipoise ablate``: what is asked for, and what is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from equipoise.progress import Reporter
from equipoise.training.ablations import run as backend
from equipoise.training.ablations.result import METRICS, Ablation, AblationRow
from equipoise.types import Estimate
from tests.cli.conftest import Run


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[Any, ...]]:
    calls: list[tuple[Any, ...]] = []

    def fake(recipe: str, overrides: Any, rows: Any, games: Any, seeds: int, reporter: Reporter) -> Ablation:
        calls.append((recipe, tuple(overrides), tuple(rows), tuple(games), seeds, reporter.quiet))
        one = dict.fromkeys(METRICS, Estimate.exact(0.5))
        found = [AblationRow("kuhn", "full", None, (0,), one), AblationRow("kuhn", "exact", "too [large]")]
        return Ablation("mine", tmp_path, found, 0.95)

    monkeypatch.setattr(backend, "ablate", fake)
    return calls


def test_everything_is_passed_on(run: Run, seen: list[tuple[Any, ...]]) -> None:
    given = ("--rows", "shared, exact", "--games", "kuhn,ipd", "--seeds", "3", "-q")
    assert run("ablate", "mine.toml", "seed=4", *given).code == 0
    assert run("ablate", "ablate-table").code == 0
    assert seen == [
        ("mine.toml", ("seed=4",), ("shared", "exact"), ("kuhn", "ipd"), 3, True),
        ("ablate-table", (), (), (), 5, False),
    ]


def test_a_table_a_game_with_reasons(run: Run, seen: list[tuple[Any, ...]]) -> None:
    out = run("ablate", "mine").out
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if "│" in line]
    assert rows == [["full", *["0.5000"] * 6, ""], ["exact", *["n/a"] * 7]]
    assert "exact is not applicable: too [large]" in out
    assert "Student's 95% interval over seeds" in " ".join(out.split())


def test_json_alone_on_standard_output(run: Run, seen: list[tuple[Any, ...]]) -> None:
    data = run("ablate", "mine", "--json", "-").json
    assert data["schema"] == 1
    assert [row["not_applicable"] for row in data["results"]] == [None, "too [large]"]


def test_what_is_wrong_is_one_line(run: Run) -> None:
    done = run("ablate", "ablate-table", "--rows", "shard")
    assert (done.code, done.error) == (2, "error: unknown row 'shard': did you mean 'shared'?")
