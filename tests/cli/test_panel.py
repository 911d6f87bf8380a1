"""``--panel`` and ``--wording`` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.prompts.registry import wordings
from tests.cli.conftest import Run

TINY = ("--policy", "tiny-random", "--threads", "1")


def test_a_panel_prints_one_table_and_one_line_and_adds_a_key_to_the_json(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "audit.json"
    done = run("audit", "kuhn", *TINY, "--panel", "--json", file)
    assert (done.code, done.err) == (0, "")
    assert "by wording" in done.out
    assert "metric" not in done.out
    assert done.out.splitlines()[-1].startswith("kuhn: safety between ")
    bare = run("audit", "kuhn", *TINY, "--panel", "--json", "-")
    assert bare.json["schema"] == 1
    assert [row["policy"] for row in bare.json["results"]] == [
        f"tiny-random [{name}]" for name in wordings("kuhn")
    ]
    safety = next(row for row in bare.json["spreads"] if row["metric"] == "safety")
    assert safety["lowest"]["wording"] in wordings("kuhn")
    assert safety["spread"]["kind"] == "exact"
    assert file.read_text(encoding="utf-8") == bare.out


def test_opponents_are_shown_by_wording_on_request(run: Run) -> None:
    done = run("audit", "kuhn", *TINY, "--panel", "--opponents")
    assert done.out.count("by opponent") == 8


def test_a_wording_is_a_setting_of_the_model(run: Run) -> None:
    plain = run("audit", "kuhn", *TINY, "--json", "-").json["results"]
    same = run("audit", "kuhn", *TINY, "--wording", "plain", "--json", "-").json["results"]
    other = run("audit", "kuhn", *TINY, "--wording", "anonymous", "--json", "-").json["results"]
    assert same == plain
    assert (plain[0]["policy"], other[0]["policy"]) == ("tiny-random", "tiny-random [anonymous]")
    assert plain[0]["metrics"] != other[0]["metrics"]


def test_an_episode_is_played_in_a_wording(run: Run) -> None:
    done = run(
        *("play", "kuhn", *TINY, "--wording", "anonymous", "--opponent", "nash", "--json", "-"),
    )
    turns = [turn for turn in done.json["episode"]["turns"] if turn["seat"] == 0]
    assert turns
    for turn in turns:
        assert turn["action"] in ("PASS", "BET", "CALL", "FOLD")
        assert turn["generations"][0]["text"] in ("A", "B", "C", "D")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("kuhn", *TINY, "--wording", "anonymos"),
            "unknown wording of kuhn 'anonymos': did you mean 'anonymous'?",
        ),
        (
            ("kuhn", "-p", "scripted:nash", "--panel"),
            "policy 'scripted:nash' reads no words, so it has no panel",
        ),
        (("kuhn", *TINY, "--panel", "--wording", "formal"), "wording 'formal': a panel has all wordings"),
        (("kuhn", *TINY, "--panel", "-b", "scripted:nash"), "leave out the baseline"),
    ],
)
def test_what_cannot_be_asked_for_is_said_in_one_line(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    done = run("audit", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.error
    assert run("play", "kuhn", *TINY, "--opponent", "nash", "--wording", "x").code == 2
