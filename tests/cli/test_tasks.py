"""Free-text tasks on the command line."""

from __future__ import annotations

import subprocess

from equipoise import api
from equipoise.cli.episode import lines
from tests.cli.conftest import COMMAND, Run

PLAY = ("play", "social", "-p", "scripted:sensible", "--opponent", "tough")


def test_a_dialogue_is_shown_turn_by_turn(run: Run) -> None:
    done = run(*PLAY, "-o", 'only=["last-carburettor"]')
    assert (done.code, done.err) == (0, "")
    shown = done.out.splitlines()
    assert shown[1:3] == ["seat 0: scripted:sensible (the policy)", "seat 1: scripted:tough"]
    assert any("last-carburettor Gwyn 0   " in line for line in shown)
    assert shown[-1].startswith("ended: ")


def test_a_seat_with_nobody_in_it_is_not_shown(run: Run) -> None:
    shown = run("play", "shop", "-p", "scripted:weak", "--opponent", "nobody").out
    assert "seat 0: scripted:weak (the policy)" in shown
    assert "nobody" not in "\n".join(shown.splitlines()[1:])
    assert "seat 1" not in shown


def test_what_somebody_says_stays_on_its_line() -> None:
    episode = api.play("social", lambda decision: "Hello.\n  seat 1   I accept.", "sensible")
    assert not any("\n" in line.plain for line in lines(episode))


def test_a_person_can_take_a_seat() -> None:
    command = [
        *COMMAND,
        "play",
        "social",
        "-p",
        "human",
        "--opponent",
        "generous",
        "-o",
        'only=["five-hives"]',
    ]
    done = subprocess.run(command, input="Hello.\n[leave]\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "You are Hamid. You talk to Greta." in done.stdout
    assert "ended: left" in done.stdout


def test_a_person_may_get_up_and_go() -> None:
    command = [*COMMAND, "play", "social", "-p", "human", "--opponent", "generous"]
    done = subprocess.run(command, input="Hello.\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "you left the game" in done.stderr


def test_the_actors_are_listed_with_their_pools(run: Run) -> None:
    rows = {row["name"]: row for row in run("opponents", "social", "--json", "-").json["opponents"]}
    assert rows["tough"]["pools"] == ["exploiter"]
    assert rows["weak"]["what it does"].startswith("Asks for little")
    assert run("games", "social").code == 0


def test_what_cannot_be_done_with_a_task_is_said_in_one_line(run: Run) -> None:
    done = run("solve", "social")
    assert done.code == 2
    assert "'social' is a free-text task" in done.err
    done = run("play", "social", "-p", "scripted:sensibl", "--opponent", "tough")
    assert done.code == 2
    assert "did you mean 'sensible'" in done.err
