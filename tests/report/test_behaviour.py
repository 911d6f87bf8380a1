"""What policies do, beside what theory says they should."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise import api
from equipoise.report.behaviour import NASH, behaviour_section
from equipoise.report.frequencies import Frequencies
from equipoise.report.sources import Entry, Found, find
from equipoise.types import Estimate, Kind
from tests.report.material import result


def table(found: Found, name: str, counted: Frequencies | None = None) -> dict[str, tuple]:
    section = behaviour_section(found, counted or Frequencies())
    tables = [table for group in section.groups for table in group.tables]
    return {str(row[0]): row[1:] for row in next(one for one in tables if one.name == name).rows}


def test_the_equilibrium_of_the_package_lies_in_every_band(tmp_path: Path) -> None:
    # domains.md gives nash by its rates; the bands are Kuhn's theorem. Neither was derived from the other.
    api.audit("kuhn", "scripted:nash", out=tmp_path)
    found = find([tmp_path])
    rates = found.entries[0].result.behaviour
    assert set(rates) == set(NASH)
    for state, (_, action, (low, high)) in NASH.items():
        assert low - 1e-9 <= rates[state][action].value <= high + 1e-9, state
    assert table(found, "alpha-kuhn")["nash"][0].value == pytest.approx(1 / 3)


def test_a_policy_outside_the_equilibrium_is_seen_outside(tmp_path: Path) -> None:
    api.audit("kuhn", "scripted:always_bet", out=tmp_path)
    rows = table(find([tmp_path]), "actions-kuhn")
    assert rows["Q opens"][0].value == 1.0
    assert rows["Q opens"][1] == "0.000"
    assert rows["J opens"][1] == "0.000 to 0.333"


def test_an_action_never_sampled_has_the_rest_of_the_other_ones_interval() -> None:
    one = result("m", "x")
    passed = {"PASS": Estimate(1.0, 0.8, 1.0, 0.95, 9, 9, Kind.SAMPLE)}
    entry = Entry("m", type(one)(**{**one.__dict__, "game": "kuhn", "behaviour": {"J:": passed}}), "folder")
    rows = table(Found(entries=[entry]), "actions-kuhn")
    rate = rows["J opens"][0]
    assert (rate.value, rate.low, rate.high) == (0.0, 0.0, pytest.approx(0.2))
    assert rows["Q opens"][0] is None


def test_the_dilemma_is_read_by_the_others_last_move() -> None:
    counted = Frequencies()
    turns = [
        {"seat": 0, "label": "-/-", "action": "COOPERATE"},
        {"seat": 1, "label": "-/-", "action": "DEFECT"},
        {"seat": 0, "label": "C/D", "action": "DEFECT"},
        {"seat": 0, "label": "CD/DC", "action": "COOPERATE"},
    ]
    counted.add("ipd", "m", {"seat": 0, "deal": 0, "id": "a", "turns": turns})
    found = Found(entries=[Entry("m", result("m", "x"), "folder")])
    rows = table(found, "actions-ipd", counted)
    assert [
        rows[name][0].value for name in ("in the first round", "after cooperation", "after defection")
    ] == [1.0, 1.0, 0.0]


def test_many_actions_are_not_squeezed_into_a_chart() -> None:
    counted = Frequencies()
    turns = [{"seat": 0, "label": "x", "action": [n, 0, 1]} for n in range(40)]
    counted.add("multi_issue", "m", {"seat": 0, "deal": 0, "id": "a", "turns": turns})
    assert counted.actions("multi_issue") == []
    numbers = [{"seat": 0, "label": "x", "action": n} for n in (9, 10, 1)]
    counted.add("split", "m", {"seat": 0, "deal": 0, "id": "a", "turns": numbers})
    assert counted.actions("split") == ["1", "9", "10"]


def test_what_is_said_in_words_is_not_counted_as_actions() -> None:
    counted = Frequencies()
    turns = [{"seat": 0, "label": "x", "action": "go to the kitchen"}]
    counted.add("household", "m", {"seat": 0, "deal": 0, "id": "a", "turns": turns})
    one = result("m", "x")
    entry = Entry("m", type(one)(**{**one.__dict__, "game": "household"}), "folder")
    assert behaviour_section(Found(entries=[entry]), counted).groups == ()
