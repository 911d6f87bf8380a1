"""Alarms on both sides of their thresholds, and the limits that stop a run."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise.errors import EquipoiseError
from equipoise.progress import Reporter
from equipoise.training.alarms import ALARMS, Watch
from equipoise.training.config import SepoConfig


class Notes(Reporter):
    """Keeps what is shown."""

    def __init__(self) -> None:
        super().__init__(quiet=True)
        self.lines: list[str] = []

    def note(self, text: str) -> None:
        self.lines.append(text)


def watch(**settings: Any) -> tuple[Watch, Notes]:
    notes = Notes()
    return Watch(SepoConfig(**settings), notes), notes


def looked(row: dict[str, Any]) -> list[str]:
    one, _ = watch()
    row = {"step": 1, **row}
    one.look(row)
    return list(row.get("alarms", []))


SIDES = [
    ("equal rewards", "dead_keys", 0.94, 0.95),
    ("entropy collapse", "entropy", 0.021, 0.02),
    ("entropy collapse", "token_entropy", 0.021, 0.02),
    ("far from the reference", "kl", 1.99, 2.0),
    ("far from the reference", "token_kl", 0.49, 0.5),
    ("invalid answers", "invalid_rate", 0.19, 0.2),
    ("truncated answers", "truncation_rate", 0.09, 0.1),
    ("lengths at the budget", "budget_rate", 0.49, 0.5),
]


@pytest.mark.parametrize(("name", "metric", "well", "ill"), SIDES)
def test_an_alarm_holds_from_its_threshold_on(name: str, metric: str, well: float, ill: float) -> None:
    assert looked({metric: well}) == []
    assert looked({metric: ill}) == [name]


def test_every_threshold_is_tested() -> None:
    assert {(name, metric) for name, metric, _, _ in SIDES} == {
        (alarm.name, metric) for alarm in ALARMS for metric in alarm.limits
    }


def test_what_is_measured_a_token_counts_before_what_is_measured_a_decision() -> None:
    """Long thoughts have much entropy and divergence in sum, whatever they have a token."""
    assert looked({"kl": 50.0, "token_kl": 0.1}) == []
    assert looked({"entropy": 3.0, "token_entropy": 0.01}) == ["entropy collapse"]


@pytest.mark.parametrize("row", [{}, {"entropy": None, "kl": None}, {"exploitability": None}], ids=str)
def test_what_is_not_measured_raises_no_alarm(row: dict[str, Any]) -> None:
    assert looked(row) == []


def test_it_is_shown_once_with_its_number_a_cause_and_a_way_out() -> None:
    one, notes = watch()
    rows = [{"step": step, "invalid_rate": rate} for step, rate in ((1, 0.1), (2, 0.5), (3, 0.6), (4, 0.0))]
    for row in rows:
        one.look(row)
    (line,) = notes.lines
    assert line.startswith("alarm at step 2: invalid answers (invalid_rate 0.5 >= 0.2). ")
    (alarm,) = [alarm for alarm in ALARMS if alarm.name == "invalid answers"]
    assert alarm.cause in line
    assert alarm.way_out in line
    assert [row.get("alarms") for row in rows] == [None, ["invalid answers"], ["invalid answers"], None]
    # A run that goes on does not say it again.
    again, notes = watch()
    again.resume(rows)
    row = {"step": 5, "invalid_rate": 0.9, "kl": 3.0}
    again.look(row)
    assert [line.split(" (")[0] for line in notes.lines] == ["alarm at step 5: far from the reference"]
    assert row["alarms"] == ["far from the reference", "invalid answers"]


def test_games_that_are_trained_together_have_alarms_of_their_own() -> None:
    assert looked({"kuhn/invalid_rate": 0.1, "ipd/invalid_rate": 0.15}) == []
    # Rates of others, such as frozen copies, are not the policy's.
    assert looked({"past_invalid_rate": 0.9}) == []
    one, notes = watch()
    row = {"step": 3, "kl": 0.1, "ipd/dead_keys": 1.0, "kuhn/dead_keys": 0.2, "kuhn/invalid_rate": 0.5}
    one.look(row)
    assert row["alarms"] == ["ipd/equal rewards", "kuhn/invalid answers"]
    assert [line.split(" (")[0] for line in notes.lines] == [
        "alarm at step 3: ipd/equal rewards",
        "alarm at step 3: kuhn/invalid answers",
    ]


def test_a_gap_between_sampler_and_trainer_stops_the_run() -> None:
    one, _ = watch(max_sampler_gap=0.1)
    one.check_gap({"step": 1, "sampler_gap": 0.1})
    one.check_gap({"step": 1})
    with pytest.raises(EquipoiseError, match=r"step 7: .* differ by 0\.101 .*max_sampler_gap = 0\.1"):
        one.check_gap({"step": 7, "sampler_gap": 0.101})
    with pytest.raises(EquipoiseError, match="differ by inf"):
        one.check_gap({"step": 7, "sampler_gap": float("inf")})


def test_skipped_steps_stop_the_run_once_there_are_too_many() -> None:
    one, _ = watch(max_skipped=1)
    rows: list[dict[str, Any]] = [{"step": n + 1, "skipped": s} for n, s in enumerate((1.0, 0.0, 1.0))]
    one.check_skipped([])
    one.check_skipped(rows[:1])
    one.check_skipped(rows[:2])
    with pytest.raises(EquipoiseError, match=r"step 3: .* 2 steps were skipped \(max_skipped = 1\)"):
        one.check_skipped(rows)
    # Once it goes on, it goes on.
    one.check_skipped([*rows, {"step": 4, "skipped": 0.0}])
