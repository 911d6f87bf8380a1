"""``equipoise compare`` on audits of scripted policies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

SMALL = ("--pool", "train=mixed_half", "--pool", "exploiter=always_defect", "--pool", "shift=", "--sample")


@pytest.fixture
def folders(run: Run, tmp_path: Path) -> tuple[str, str, str]:
    """Return audits of two policies on the same deals, and of the second on others."""
    places = []
    for name, policy, seed in (("a", "random", "0"), ("b", "always_cooperate", "0"), ("c", "random", "7")):
        places.append(str(tmp_path / name))
        asked = ("audit", "ipd", "-p", f"scripted:{policy}", "-n", "12", "--seed", seed, *SMALL)
        done = run(*asked, "--out", places[-1])
        assert done.code == 0, done.err
    return places[0], places[1], places[2]


def test_paired_differences_say_what_holds(run: Run, folders: tuple[str, str, str]) -> None:
    a, b, _ = folders
    done = run("compare", a, b, "--metric", "exploitability", "--metric", "safety", "--json", "-")
    assert (done.code, done.err) == (0, "")
    rows = {row["metric"]: row for row in done.json["differences"]}
    assert set(rows) == {"exploitability", "safety"}
    # Always cooperating is exploited by 5 a round, acting at random by 2.5.
    assert rows["exploitability"]["high"] < 0.0 < rows["safety"]["low"]
    assert rows["safety"]["test"]["pairing"] == "deal"
    shown = run("compare", a, b, "-m", "safety").out
    assert "paired differences (a minus b, same deals)" in shown
    assert "higher" in shown


def test_other_deals_are_compared_with_a_note_or_refused(run: Run, folders: tuple[str, str, str]) -> None:
    a, _, c = folders
    done = run("compare", a, c, "-m", "utility")
    assert done.code == 0
    assert "Not paired, other deals: ipd" in done.out
    assert "not settled" in done.out
    refused = run("compare", a, c, "--paired")
    assert refused.code == 2
    assert "were not sampled on the same deals" in refused.err


def test_wrong_requests(run: Run, folders: tuple[str, str, str], tmp_path: Path) -> None:
    a, b, _ = folders
    for arguments, message in (
        ((a, str(tmp_path / "none")), "does not exist"),
        ((a, b, "-m", "safty"), "did you mean 'safety'?"),
        ((a, b, "--a", "scripted:randm"), "did you mean 'scripted:random'?"),
        ((a, b, "--level", "1.5"), "level = 1.5"),
    ):
        done = run("compare", *arguments)
        assert done.code == 2
        assert message in done.err
