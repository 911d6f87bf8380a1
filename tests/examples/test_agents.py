"""The agents of ``examples/`` play as their comments say, as programs and as servers."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import equipoise
from equipoise.games.registry import game_names
from equipoise.types import Episode

EXAMPLES = Path(__file__).parents[2] / "examples"
PYTHON = (sys.executable, str(EXAMPLES / "agent.py"))
NODE = ("node", str(EXAMPLES / "agent.mjs"))
AGENTS = [
    pytest.param(PYTHON, id="python"),
    pytest.param(
        NODE,
        id="node",
        marks=pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    ),
]
# Against suspicious_tit_for_tat, which begins with DEFECT and then copies: tit for tat falls into step with
# it, two tits for a tat forgives the first defection for good.
PLAYED = {
    "python": ["COOPERATE", "DEFECT", "COOPERATE", "DEFECT"],
    "node": ["COOPERATE", "COOPERATE", "COOPERATE", "COOPERATE"],
}


def moves(policy: str) -> list[object]:
    episode = equipoise.play("ipd", policy, "suspicious_tit_for_tat", options={"rounds": 4})
    own = own_turns(episode)
    assert all(turn.choice.validity.value == "valid" for turn in episode.turns)
    return own


def own_turns(episode: Episode) -> list[object]:
    return [turn.action for turn in episode.turns if turn.seat == episode.seat]


def expected(agent: tuple[str, str]) -> list[str]:
    return PLAYED["python" if agent is PYTHON else "node"]


@pytest.mark.parametrize("agent", AGENTS)
def test_as_a_program(agent: tuple[str, str]) -> None:
    assert moves(f"command:{' '.join(agent)}") == expected(agent)


@pytest.mark.parametrize("agent", AGENTS)
def test_as_a_server(agent: tuple[str, str]) -> None:
    with served(agent) as url:
        assert moves(url) == expected(agent)


@pytest.mark.parametrize("game", [*game_names(), "social"])
def test_in_every_game(game: str) -> None:
    opponent = {"ipd": "random", "kuhn": "random", "social": "weak"}.get(game, "random")
    episode = equipoise.play(game, f"command:{' '.join(PYTHON)}", opponent)
    assert {turn.choice.validity.value for turn in episode.turns if turn.seat == 0} == {"valid"}


@contextmanager
def served(agent: tuple[str, str]) -> Iterator[str]:
    """Run an agent as a server until the block ends."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    process = subprocess.Popen([*agent, str(port)])
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.kill()
        process.wait()
