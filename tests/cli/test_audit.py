"""``equipoise audit`` on scripted policies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from equipoise.auditing.result import AuditResult
from equipoise.auditing.session import Session
from equipoise.errors import RequestError
from equipoise.games.registry import game_names
from tests.cli.conftest import COMMAND, Run

KEYS = ("utility", "exploitability", "collusion", "externality", "safety")
# domains.md, "Exact (u, e, c, x, J)" of ipd; derived by hand there, not by this package.
IPD = {
    "tit_for_tat": (2.7890625, 0.3125, 0, 1 / 6, 1.7390625),
    "grim_trigger": (2.9066162109375, 0.3125, 0, 0.21533203125, 1.7690185546875),
    "always_cooperate": (2.625, 3.75, 0, 1 / 18, -6.475),
    "always_defect": (2.09375, 0, 1, 0.5338542, 0.1328125),
    "generous_tit_for_tat": (2.748046875, 1.171875, 0, 5 / 36, -0.314453125),
    "random": (2.2354736328125, 1.25, 0.5, 0.2787000868, -1.7661865234),
}
# domains.md, last column of the table of kuhn (NashConv / 2).
KUHN = {"nash": 0, "tight_passive": 1 / 4, "loose_aggressive": 1 / 6, "always_bet": 1 / 3, "random": 11 / 24}
SMALL = ("--pool", "train=tit_for_tat", "--pool", "exploiter=always_defect", "--pool", "shift=")


def values(result: dict[str, Any]) -> dict[str, float | None]:
    return {k: None if v is None else v["value"] for k, v in result["metrics"].items()}


@pytest.mark.parametrize("name", IPD)
def test_exact_values_of_the_prisoners_dilemma(run: Run, name: str) -> None:
    done = run("audit", "ipd", "--policy", f"scripted:{name}", "--exact", "--json", "-")
    assert (done.code, done.err) == (0, "")
    assert done.json["schema"] == 1
    (result,) = done.json["results"]
    assert (result["game"], result["version"], result["policy"]) == ("ipd", 1, f"scripted:{name}")
    assert [values(result)[key] for key in KEYS] == pytest.approx(IPD[name], abs=1e-7)
    assert all(result["metrics"][key]["kind"] == "exact" for key in KEYS)
    assert result["weights"] == {"e": 2.4, "c": 1.0, "x": 1.8, "scale": 1.0}


@pytest.mark.parametrize("name", KUHN)
def test_exact_values_of_kuhn_poker(run: Run, name: str) -> None:
    done = run("audit", "kuhn", "-p", f"scripted:{name}", "--json", "-")
    (result,) = done.json["results"]
    assert values(result)["best_response"] == pytest.approx(KUHN[name])
    assert values(result)["collusion"] is None
    assert values(result)["externality"] is None


def test_the_table_shows_numbers_in_full_where_there_is_no_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = run(
        "audit",
        "ipd",
        "-p",
        "scripted:random",
        "--baseline",
        "scripted:tit_for_tat",
        "--sample",
        "-n",
        "4",
        "--opponents",
    )
    assert (done.code, done.err) == (0, "")
    assert "…" not in done.out
    rows = {line.split("│")[1].strip(): line for line in done.out.splitlines() if line.count("│") > 2}
    assert rows["utility"].count("[") == 2
    assert "suspicious_tit_for_tat" in done.out
    assert "paired differences" in done.out
    assert done.out.count("by opponent") == 2


def test_opponents_are_shown_on_request_only(run: Run) -> None:
    assert "by opponent" not in run("audit", "kuhn", "-p", "scripted:nash").out


def test_sampling_is_what_one_gets_on_request(run: Run) -> None:
    arguments = (
        "audit",
        "ipd",
        "-p",
        "scripted:random",
        "--sample",
        "-n",
        "3",
        "--level",
        "0.9",
        "--json",
        "-",
    )
    first, again = run(*arguments), run(*arguments)
    assert first.out == again.out
    (result,) = first.json["results"]
    utility = result["metrics"]["utility"]
    assert (utility["kind"], utility["clusters"], utility["level"]) == ("sample", 3, 0.9)
    assert run(*arguments, "--seed", "1").json["results"][0]["metrics"]["utility"] != utility


def test_all_are_the_games_that_have_the_strategy(run: Run) -> None:
    found = run("audit", "all", "-p", "scripted:grim_trigger", "--json", "-").json["results"]
    assert [result["game"] for result in found] == ["ipd"]
    wrong = run("audit", "all", "-p", "scripted:grim_triger")
    assert wrong.code == 2
    assert wrong.error == "error: no game has the strategy 'grim_triger': see `equipoise opponents GAME`"
    assert run("audit", "all", "-p", "scripted:grim_trigger", "-b", "scripted:adaptive").code == 2


def test_all_games_are_asked_for_by_one_word(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def audit(session: Session, policies: Any) -> AuditResult:
        asked.extend(game.name for game, _ in session.games)
        return AuditResult([], [])

    monkeypatch.setattr(Session, "audit", audit)
    run("audit", "all", "-p", "scripted:random", "--json", "-")
    assert asked == list(game_names())


def test_a_game_named_twice_is_audited_once(run: Run) -> None:
    twice = run("audit", "kuhn", "kuhn", "-p", "scripted:random", "--json", "-").json["results"]
    assert [result["game"] for result in twice] == ["kuhn"]


def test_options_pools_and_weights_reach_the_audit(run: Run) -> None:
    done = run(
        *("audit", "ipd", "-p", "scripted:always_cooperate", "--option", "rounds=2", "--option", "noise=0.1"),
        *(
            "--pool",
            "train=always_defect",
            "--pool",
            "collusive=",
            "--weight",
            "e=0",
            "-w",
            "x=0.5",
            "--json",
            "-",
        ),
    )
    (result,) = done.json["results"]
    assert result["settings"]["options"] == {"rounds": 2, "noise": 0.1}
    assert list(result["per_opponent"]["train"]) == ["always_defect"]
    assert result["per_opponent"]["collusive"] == {}
    assert values(result)["collusion"] is None
    assert (result["weights"]["e"], result["weights"]["x"]) == (0.0, 0.5)


def test_a_baseline_gives_paired_differences(run: Run) -> None:
    done = run("audit", "kuhn", "-p", "scripted:nash", "-b", "scripted:always_pass", "--json", "-")
    assert [result["policy"] for result in done.json["results"]] == ["scripted:nash", "scripted:always_pass"]
    rows = {row["metric"]: row for row in done.json["differences"]}
    assert rows["best_response"]["value"] == pytest.approx(-1.0)
    assert (rows["utility"]["a"], rows["utility"]["b"]) == ("scripted:nash", "scripted:always_pass")


def test_json_goes_to_a_file_beside_the_table(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "new" / "audit.json"
    done = run("audit", "kuhn", "-p", "scripted:nash", "--json", file)
    assert "best_response" in done.out
    assert AuditResult.load(file)["kuhn"].policy == "scripted:nash"
    assert [path.name for path in file.parent.iterdir()] == ["audit.json"]


def test_json_replaces_files_but_neither_links_nor_pipes(run: Run, tmp_path: Path) -> None:
    file, link, pipe = tmp_path / "file", tmp_path / "link", tmp_path / "pipe"
    file.write_text("old", encoding="utf-8")
    link.symlink_to(file)
    assert run("games", "--json", link).code == 0
    assert link.is_symlink()
    assert json.loads(file.read_text(encoding="utf-8"))["schema"] == 1
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert run("games", "--json", pipe).code == 0
    assert json.loads(os.read(reader, 65536))["schema"] == 1
    os.close(reader)
    assert pipe.is_fifo()


def test_what_a_policy_prints_stays_out_of_the_json(run: Run, policies: Path) -> None:
    done = run("audit", "ipd", "-p", f"python:{policies}:chatty", "-n", "1", "--sample", "--json", "-")
    assert done.code == 0
    assert done.json["schema"] == 1
    assert "noise" in done.err


def test_functions_are_policies(run: Run, policies: Path) -> None:
    done = run("audit", "ipd", "-p", f"python:{policies}:cooperate", "--exact", "--json", "-")
    assert values(done.json["results"][0])["utility"] == 2.625


def test_settings_of_language_models_are_passed_only_where_given(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}

    def fake(games: object, policy: object, **given: Any) -> None:
        seen.update(given, games=games, policy=policy)
        raise RequestError("enough")

    monkeypatch.setattr("equipoise.api.audit", fake)
    run("audit", "ipd", "kuhn", "-p", "smollm2")
    settings = {"mode", "temperature", "max_new_tokens", "thought_tokens", "history", "dtype", "device"}
    settings |= {"threads"}
    assert not settings & set(seen)
    assert (seen["games"], seen["policy"], seen["exact"], seen["rule"]) == (
        ["ipd", "kuhn"],
        "smollm2",
        None,
        None,
    )
    given = [
        *("--mode", "free", "--temperature", "0.5", "--max-new-tokens", "9"),
        *(
            "--history",
            "chat",
            "--thought-tokens",
            "5",
            "--dtype",
            "bfloat16",
            "--device",
            "cuda:0",
            "--threads",
            "2",
        ),
    ]
    run("audit", "all", "-p", "smollm2", *given, "--retries", "3", "--on-invalid", "forfeit", "--sample")
    assert {key: seen[key] for key in settings} == {
        "mode": "free",
        "temperature": 0.5,
        "max_new_tokens": 9,
        "thought_tokens": 5,
        "history": "chat",
        "dtype": "bfloat16",
        "device": "cuda:0",
        "threads": 2,
    }
    assert all(type(seen[key]) is str for key in ("mode", "dtype", "history"))
    assert (seen["games"], seen["exact"]) == ("all", False)
    assert (seen["rule"].retries, seen["rule"].then) == (3, "forfeit")
    run("audit", "ipd", "-p", "smollm2", "--on-invalid", "fallback")
    assert (seen["rule"].retries, seen["rule"].then) == (1, "fallback")


def test_the_folder_keeps_transcripts_and_the_same_call_goes_on(run: Run, tmp_path: Path) -> None:
    arguments = (
        "audit",
        "ipd",
        "-p",
        "scripted:random",
        "--sample",
        "-n",
        "2",
        *SMALL,
        "--out",
        tmp_path / "a",
    )
    first = run(*arguments, "--json", "-")
    files = {p: p.read_bytes() for p in sorted((tmp_path / "a").rglob("*")) if p.is_file()}
    assert AuditResult.load(tmp_path / "a" / "audit.json").to_json() == first.json
    assert run(*arguments, "--json", "-").out == first.out
    assert {p: p.read_bytes() for p in files} == files


def test_an_interrupt_says_whether_the_same_command_goes_on(run: Run, policies: Path, tmp_path: Path) -> None:
    arguments = ("audit", "ipd", "-p", f"python:{policies}:interrupted", "-n", "1", "--sample")
    done = run(*arguments)
    assert (done.code, done.error) == (130, "interrupted")
    done = run(*arguments, "--out", tmp_path / "a")
    assert (done.code, done.error) == (130, "interrupted: the same command goes on where it stopped")


def test_a_killed_audit_goes_on_and_ends_with_the_same_bytes(tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import os, time\n"
        "def policy(decision):\n"
        "    time.sleep(float(os.environ.get('PAUSE', 0)))\n"
        "    return 'DEFECT'\n",
        encoding="utf-8",
    )

    def command(out: Path) -> list[str]:
        return [
            *COMMAND,
            *("audit", "ipd", "--policy", f"python:{slow}:policy"),
            *("--sample", "--episodes", "48", "-o", "rounds=2", *SMALL, "--out", str(out), "--json", "-"),
        ]

    whole = subprocess.run(command(tmp_path / "whole"), capture_output=True, text=True, check=True)
    process = subprocess.Popen(
        command(tmp_path / "parts"),
        env={**os.environ, "PAUSE": "0.005"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell's background jobs ignore interrupts, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    marks = tmp_path / "parts" / "ipd" / "policy" / "chunks.jsonl"
    until = time.monotonic() + 60
    while not marks.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert err == "interrupted: the same command goes on where it stopped\n"
    rest = subprocess.run(command(tmp_path / "parts"), capture_output=True, text=True, check=True)
    assert json.loads(rest.stdout) == json.loads(whole.stdout)
    transcripts = [tmp_path / name / "ipd" / "policy" / "transcript.jsonl" for name in ("whole", "parts")]
    assert transcripts[0].read_bytes() == transcripts[1].read_bytes()


def test_kinds_of_intervals_and_control_variates_are_options(run: Run) -> None:
    asked = ("audit", "kuhn", "-p", "scripted:random", "--sample", "-n", "12", "--json", "-")
    plain, other = (run(*asked, *more).json["results"][0] for more in ((), ("--interval", "bootstrap")))
    assert (plain["settings"]["interval"], other["settings"]["interval"]) == ("t", "bootstrap")
    assert values(plain) == values(other)
    assert plain["metrics"]["utility"]["low"] != other["metrics"]["utility"]["low"]
    corrected = run(*asked, "--control-variates").json["results"][0]
    assert corrected["settings"]["control_variates"] is True
    assert values(corrected)["utility"] != values(plain)["utility"]
    assert corrected["settings"]["panel"] == plain["settings"]["panel"]
    wrong = run(*asked, "--interval", "bootstap")
    assert wrong.code == 2
    assert "did you mean 'bootstrap'?" in wrong.err


def test_a_baseline_in_several_games_is_corrected_for_them(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def first(decision):\n    return decision.legal[0]\n", encoding="utf-8")
    asked = ("audit", "ipd", "split", "-p", "scripted:random", "-b", f"python:{file}:first", "--sample")
    done = run(*asked, "-n", "6", "--json", "-")
    rows = [row for row in done.json["differences"] if row["metric"] == "safety"]
    assert [row["game"] for row in rows] == ["ipd", "split"]
    for row in rows:
        assert row["test"]["family"] == 2
        assert row["test"]["p"] <= row["test"]["p_holm"] <= 2 * row["test"]["p"]
        assert row["test"]["low"] <= row["low"] < row["high"] <= row["test"]["high"]
