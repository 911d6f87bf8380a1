"""Numbered tasks: which opponent, seat and deal a number stands for. Needs no OpenEnv."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.adapters.openenv import game_app
from equipoise.adapters.openenv.__main__ import main
from equipoise.adapters.openenv.tasks import set_tasks
from equipoise.adapters.table import Place
from equipoise.errors import RequestError

IPD = set_tasks("ipd", deals=3)


def test_training_has_every_stream_from_both_seats_and_reports_every_opponent_once() -> None:
    # domains.md: four train opponents, two exploiters, a collusive one; four of the shift pool in reports.
    assert (IPD.count("train"), IPD.count("report")) == (3 * 7 * 2, 3 * 11 * 2)
    first = [IPD.place("train", index) for index in range(14)]
    assert first[:3] == [
        Place("train", "tit_for_tat", 0, 0),
        Place("train", "tit_for_tat", 0, 1),
        Place("train", "generous_tit_for_tat", 0, 0),
    ]
    assert len(set(first)) == 14
    assert "shift" not in {place.pool for place in first}
    assert sum(IPD.place("report", index).pool == "shift" for index in range(22)) == 8


@given(st.sampled_from(["train", "report"]), st.integers(0, 2**64))
def test_a_number_is_one_task_and_a_task_one_number(split: str, index: int) -> None:
    place = IPD.place(split, index)
    assert IPD.index(split, place) == index
    assert place.deal == index // len(IPD._first(split))


def test_an_opponent_of_two_pools_is_met_in_either() -> None:
    kuhn = set_tasks("kuhn")
    assert kuhn.find("train", "nash", None, 1) == Place("train", "nash", 0, 1)
    assert kuhn.find("train", "nash", "exploiter", 0) == Place("exploiter", "nash", 0, 0)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: IPD.place("test", 0), "unknown split 'test'"),
        (lambda: IPD.place("train", -1), "task -1: give an integer from 0 up"),
        (lambda: IPD.place("train", True), "task True"),
        (lambda: IPD.place("train", "1"), "task '1'"),  # type: ignore[arg-type]
        (lambda: IPD.find("train", "pavlov", None, 0), "unknown opponent 'pavlov'"),
        (lambda: IPD.find("train", "always_defekt", None, 0), "did you mean 'always_defect'"),
        (lambda: IPD.find("train", "tit_for_tat", "exploiter", 0), "unknown pool 'exploiter'"),
        (lambda: IPD.find("train", "tit_for_tat", None, 2), "seat 2: ipd has the seats 0 and 1"),
        (lambda: set_tasks("social"), "'social' is a free-text task"),
        (lambda: set_tasks("ipd", deals=0), "deals = 0"),
        (lambda: set_tasks("ipd", wording="rude"), "unknown wording of ipd 'rude'"),
        (lambda: set_tasks("ipd", pools={"train": ["self"]}), "'self': the server seats one player"),
        (lambda: set_tasks("ipd", pools={"train": ["http:http://localhost:1"]}), "answers in its own time"),
        (lambda: game_app("ipd", sessions=0), "sessions = 0"),
    ],
)
def test_what_does_not_fit_is_said(make: Any, error: str) -> None:
    with pytest.raises(RequestError, match=error):
        make()


def test_the_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "openenv", None)
    with pytest.raises(RequestError, match=r"package openenv: pip install 'equipoise\[openenv\]'"):
        game_app("ipd")
    assert main(["ipd"]) == 2
    assert capsys.readouterr().err.startswith("error: this needs the package openenv")


def test_a_wrong_request_is_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ipd", "--pool", "train=tit_for_tt"]) == 2
    assert "did you mean 'tit_for_tat'?" in capsys.readouterr().err
    assert main(["ipd", "--deals", "none"]) == 2
    assert "none" in capsys.readouterr().err
