"""What a run shows: a table on a terminal, few lines elsewhere, nothing when quiet."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from equipoise.progress import Reporter, silent
from equipoise.training.live import LINES, cells, live

ROW: dict[str, Any] = {
    "step": 3,
    "sampled_utility": 2.123456,
    "exploitability": 0.5,
    "kl": 0.0123456,
    "invalid_rate": 0.125,
    "alarm": "text",
    "skipped": True,
    "episodes": 24,
}


class Terminal(io.StringIO):
    """A stream that passes for a terminal."""

    def isatty(self) -> bool:
        return True


def test_estimates_of_one_step_are_marked_and_exact_terms_are_not() -> None:
    assert cells(ROW, {}) == {"": {"u": "≈2.12", "e": "0.5", "KL": "0.0123", "invalid": "12.5 %"}}


def test_an_exact_term_stands_before_an_estimate() -> None:
    assert cells({"utility": 1.0, "sampled_utility": 2.0}, {})[""] == {"u": "1"}


def test_a_selection_score_stays_until_there_is_a_newer_one() -> None:
    first = cells({"loss": 1.0, "select_score": -0.5}, {})
    second = cells({"loss": 0.5}, first)
    assert second == {"": {"loss": "0.5", "selection": "-0.5"}}
    assert cells({"select_score": 0.25}, second)[""]["selection"] == "0.25"


def test_games_that_are_trained_together_have_a_row_each() -> None:
    found = cells({"ipd/safety": 1.0, "kuhn/safety": 0.125, "kl": 0.5}, {})
    assert found == {"ipd": {"J": "1"}, "kuhn": {"J": "0.125"}, "": {"KL": "0.5"}}


def test_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with live(Reporter(), "sepo kuhn", 200) as told:
        told(0)
        for _ in range(200):
            told(1, ROW)
    title, *lines = capsys.readouterr().err.splitlines()
    assert title == "sepo kuhn"
    assert len(lines) == LINES
    assert lines[0].startswith("sepo kuhn 10/200: u ≈2.12  e 0.5  KL 0.0123  invalid 12.5 %  (")
    assert lines[-1].endswith("(0 s left)")


def test_a_run_that_goes_on_counts_what_was_done_before(capsys: pytest.CaptureFixture[str]) -> None:
    with live(Reporter(), "sft", 4) as told:
        told(3)
        told(1, {"loss": 1.0})
    assert capsys.readouterr().err.splitlines()[1:] == ["sft 4/4: loss 1  (0 s left)"]


def test_nothing_when_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with live(silent(), "sepo", 1) as told:
        told(1, ROW)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("games", [("",), ("ipd", "kuhn")])
def test_a_table_above_the_bar_on_a_terminal(games: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    with live(Reporter(), "sepo [bold]", 4) as told:
        told(1, {f"{game}/{name}" if game else name: v for game in games for name, v in ROW.items()})
    text = shown.getvalue()
    for word in ("u", "≈2.12", "12.5 %", "KL", "sepo [bold]", "1/4", *games):
        assert word in text
    assert ("game" in text) == (len(games) > 1)
