"""Reports: one finding a rule, and one broken rule does not hide another."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from equipoise.progress import silent
from equipoise.testing.findings import (
    ConformanceError,
    NotApplicable,
    Report,
    Rule,
    Status,
    Violation,
    examine,
    shown,
)


@dataclass
class Bench:
    broken: dict[str, str] = field(default_factory=dict)


def _holds(bench: Bench) -> str:
    return "3 things"


def _breaks(bench: Bench) -> str:
    raise Violation("7 is odd", "use 8")


def _skips(bench: Bench) -> str:
    raise NotApplicable("nothing is even")


def _raises(bench: Bench) -> str:
    raise KeyError("two\nlines")


RULES: tuple[Rule[Bench], ...] = (
    Rule("holds", "it holds", _holds),
    Rule("breaks", "it is even", _breaks),
    Rule("skips", "it is skipped", _skips),
    Rule("raises", "what raises", _raises),
)


def report(**broken: str) -> Report:
    return examine("thing", RULES, Bench(broken), silent())


def test_every_rule_gets_a_finding_whatever_the_others_do() -> None:
    assert [tuple(one) for one in report().findings] == [
        ("holds", Status.OK, "3 things"),
        ("breaks", Status.FAILED, "7 is odd; use 8"),
        ("skips", Status.NOT_APPLICABLE, "nothing is even"),
        ("raises", Status.FAILED, "raised KeyError: 'two\\nlines'; what raises must not raise"),
    ]


def test_what_broke_while_setting_up_is_told_under_its_rule() -> None:
    found = report(holds="it fell; pick it up")["holds"]
    assert (found.status, found.detail) == (Status.FAILED, "it fell; pick it up")


def test_the_first_broken_rule_is_raised() -> None:
    with pytest.raises(ConformanceError, match=r"^thing breaks 'breaks': 7 is odd; use 8$") as caught:
        report().raise_if_failed()
    assert caught.value.rule == "breaks"
    fine = examine("thing", RULES[:1], Bench(), silent())
    assert fine.ok
    assert fine.raise_if_failed() is fine


def test_a_report_reads_as_one_line_a_rule() -> None:
    assert str(report()).splitlines()[:3] == [
        "thing",
        "holds   ok              3 things",
        "breaks  FAILED          7 is odd; use 8",
    ]


def test_values_are_shown_on_one_line_and_not_at_length() -> None:
    assert shown("a\nb") == "'a\\nb'"
    assert shown({"a": 1}) == "{'a': 1}"
    assert len(shown("x" * 1000)) == 161
    assert shown("x" * 1000).endswith("…")
