"""``equipoise play``: live, by hand and from transcripts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from equipoise import api
from equipoise.cli.episode import lines
from equipoise.rollout.transcript import append_episodes, episode_from_json
from equipoise.types import Choice, Episode, Generation, RoundOutcome, StopReason, Turn, Validity
from tests.cli.conftest import COMMAND, Run

HUMAN = ("-p", "human", "--opponent")


def shown(episode: Episode) -> str:
    return "\n".join(line.plain for line in lines(episode))


def test_an_episode_is_shown_round_by_round(run: Run) -> None:
    done = run("play", "ipd", "-p", "scripted:tit_for_tat", "--opponent", "always_defect", "-o", "rounds=2")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "play/always_defect/0/0/0: ipd@1 (rounds = 2), deal 0",
        "seat 0: scripted:tit_for_tat (the policy)",
        "seat 1: scripted:always_defect",
        "",
        "round 1",
        "  seat 0   -/-   COOPERATE   COOPERATE 1.00",
        "  seat 1   -/-   DEFECT      DEFECT 1.00",
        "  payoffs 0 : 5   totals 0 : 5",
        "",
        "round 2",
        "  seat 0   C/D   DEFECT      DEFECT 1.00",
        "  seat 1   D/C   DEFECT      DEFECT 1.00",
        "  payoffs 1 : 1   totals 1 : 6",
        "",
        "finished after 2 rounds: totals 1 : 6, per round 0.5 : 3",
    ]


def test_seat_deal_and_seed_choose_the_episode(run: Run) -> None:
    def episode(*extra: str) -> dict[str, Any]:
        arguments = ("play", "kuhn", "-p", "scripted:nash", "--opponent", "always_bet", "--json", "-")
        found: dict[str, Any] = run(*arguments, *extra).json["episode"]
        return found

    assert episode() == episode()
    assert episode("--seat", "1")["policies"] == ["scripted:always_bet", "scripted:nash"]
    assert episode("--deal", "1")["chance"] != episode()["chance"]
    assert episode("--seed", "1")["chance"] != episode()["chance"]


def test_the_json_is_the_episode_of_the_api(run: Run) -> None:
    done = run("play", "kuhn", "-p", "scripted:random", "--opponent", "nash", "--deal", "3", "--json", "-")
    assert done.json["schema"] == 1
    assert episode_from_json(done.json["episode"]) == api.play("kuhn", "scripted:random", "nash", deal=3)


def test_an_opponent_may_be_a_function(run: Run, policies: Path) -> None:
    spec = f"python:{policies}:mixed"
    done = run("play", "ipd", "-p", spec, "--opponent", spec)
    assert done.code == 0
    assert "COOPERATE 0.50, DEFECT 0.50" in done.out


def test_rules_and_settings_reach_the_game(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    def fake(*given: Any, **named: Any) -> Episode:
        seen.update(named, given=given)
        return _episode()

    monkeypatch.setattr("equipoise.api.play", fake)
    arguments = ("play", "ipd", "-p", "smollm2", "--opponent", "random")
    assert run(*arguments, "--mode", "free", "--retries", "0", "--on-invalid", "forfeit").code == 0
    assert (seen["given"], seen["mode"]) == (("ipd", "smollm2", "random"), "free")
    assert (seen["rule"].retries, seen["rule"].then) == (0, "forfeit")
    seen.clear()
    run(*arguments)
    assert seen["rule"] is None
    assert "temperature" not in seen


def test_a_person_plays_through_the_terminal(run: Run) -> None:
    done = run("play", "ipd", *HUMAN, "tit_for_tat", "-o", "rounds=3", stdin="COOPERATE\nd\nc\n")
    assert (done.code, done.err) == (0, "")
    assert "Round 1: you get 3 (payoffs 3 : 3, totals 3 : 3; you are seat 0)." in done.out
    assert "Round 2: you get 5 (payoffs 5 : 0, totals 8 : 3; you are seat 0)." in done.out
    assert done.out.splitlines()[-1] == "finished after 3 rounds: totals 8 : 8, per round 2.6667 : 2.6667"


def test_slips_are_asked_again_for_as_long_as_it_takes(run: Run) -> None:
    slips = "what\n\nmaybe\nno\n" * 5
    arguments = ("play", "ipd", *HUMAN, "always_defect", "-o", "rounds=1", "--json", "-")
    done = run(*arguments, stdin=f"{slips}c\n")
    (own,) = (turn for turn in done.json["episode"]["turns"] if turn["seat"] == 0)
    assert (own["action"], own["validity"], own["retries"]) == ("COOPERATE", "valid", 20)
    assert done.err.count("COOPERATE / DEFECT>") == 21
    forfeited = run(*arguments, "--retries", "1", "--on-invalid", "forfeit", stdin=slips).json["episode"]
    assert forfeited["stop"] == "forfeit"


def test_a_person_may_sit_in_the_second_seat(run: Run) -> None:
    done = run("play", "kuhn", *HUMAN, "always_bet", "--seat", "1", "-o", "rounds=1", stdin="fold\n")
    assert done.code == 0
    assert "you get -1 (payoffs 1 : -1, totals 1 : -1; you are seat 1)" in done.out


def test_ending_the_input_ends_the_game(run: Run) -> None:
    arguments = ("play", "ipd", *HUMAN, "tit_for_tat")
    done = run(*arguments, stdin="c\nc\n")
    assert done.code == 0
    assert done.err.strip() == "you left the game after 2 of 8 rounds"
    done = run(*arguments, "--json", "-", stdin="")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[-1].endswith("error: you left the game after 0 of 8 rounds")


def test_an_interrupt_ends_the_game(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("equipoise.policies.human.HumanPolicy.__init__.__defaults__", (interrupt, print))
    done = run("play", "ipd", *HUMAN, "tit_for_tat")
    assert (done.code, done.error) == (130, "you left the game after 0 of 8 rounds")


def test_a_process_plays_with_piped_input() -> None:
    command = [*COMMAND, "play", "ipd", *HUMAN, "grim_trigger", "-o", "rounds=2"]
    done = subprocess.run(
        command,
        input="d\nd\n",
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "80"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "totals 6 : 1" in done.stdout


def test_a_transcript_is_replayed(run: Run, tmp_path: Path) -> None:
    arguments = ("audit", "kuhn", "-p", "scripted:random", "--sample", "-n", "2", "--out", tmp_path)
    assert run(*arguments).code == 0
    file = tmp_path / "kuhn" / "policy" / "transcript.jsonl"
    first = run("play", "--replay", file)
    assert first.out.startswith("train/nash/0/0/0: kuhn@1, deal 0\n")
    assert first.out.count("payoffs") == 6
    other = run("play", "kuhn", "--replay", file, "--episode", "train/nash/1/1/0", "--json", "-")
    assert other.json["episode"]["deal"] == 1
    done = run("play", "--replay", file, "--episode", "train/nsh/0/0/0")
    assert done.code == 2
    assert "'train/nsh/0/0/0'" in done.error
    assert "try 'train/nash/0/0/0'" in done.error
    done = run("play", "ipd", "--replay", file)
    assert done.code == 2
    assert "kuhn@1, not of 'ipd'" in done.error


def _episode(**changes: Any) -> Episode:
    text = "[bold]I[/bold] think \x1b[2J:smiley:\nAction: [red]COOPERATE"
    made = Generation("action", (1,), (2,), (-0.1,), (1,), StopReason.FINISHED, text=text)
    fields: dict[str, Any] = {
        "id": "train/a/0/0/0",
        "game": "ipd@1",
        "options": {},
        "pool": "train",
        "opponent": "a",
        "seat": 0,
        "deal": 0,
        "split": "report",
        "rollout": 0,
        "policies": ("hf:[blue]x", "scripted:a"),
        "turns": (
            Turn(0, 0, 0, "-/-", "COOPERATE", Choice("COOPERATE", generations=(made,)), 1),
            Turn(1, 0, 0, "-/-", "DEFECT", Choice(None, Validity.TRUNCATED, detail="too long"), 2),
        ),
        "rounds": (RoundOutcome((0.0, 5.0)),),
        "stop": StopReason.FINISHED,
    }
    return Episode(**{**fields, **changes})


def test_text_of_models_is_data(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    append_episodes(file, [_episode()])
    done = run("play", "--replay", file)
    assert "    | [bold]I[/bold] think \\x1b[2J:smiley:" in done.out.splitlines()
    assert "    | Action: [red]COOPERATE" in done.out.splitlines()
    assert "seat 0: hf:[blue]x (the policy)" in done.out
    assert "\x1b" not in done.out


def test_failures_of_a_policy_are_shown() -> None:
    text = shown(_episode())
    assert "    valid after 2 tries" in text
    assert "    no valid answer after 3 tries (truncated: too long): DEFECT was played instead" in text


def test_only_the_likeliest_of_many_actions_are_shown() -> None:
    many = {number: (1 if number == 9 else 0.0) for number in range(1, 11)}
    turn = Turn(0, 0, 0, "-", 9, Choice(9, probabilities=many))
    text = shown(_episode(turns=(turn,)))
    assert "9 1.00, 1 0.00" in text
    assert text.count("0.00") == 5
    assert "4 more" in text


def test_an_episode_without_rounds() -> None:
    assert "forfeit before any round was over" in shown(
        _episode(turns=(), rounds=(), stop=StopReason.FORFEIT)
    )
