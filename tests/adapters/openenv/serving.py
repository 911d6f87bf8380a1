"""A server of games on the loopback interface, and a player for both ends."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from importlib.util import find_spec
from typing import Any

import pytest

from equipoise.adapters.openenv import game_app
from equipoise.prompts.registry import get_renderer

needs_openenv = pytest.mark.skipif(
    find_spec("openenv") is None, reason="needs openenv: run scripts/adapters/openenv"
)


@contextmanager
def serve(game: str, **settings: Any) -> Iterator[str]:
    """Serve a game in a thread, and yield the server's address."""
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(game_app(game, **settings), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                time.sleep(0.01)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=30)


@contextmanager
def playing(game: str, **settings: Any) -> Iterator[Any]:
    """Serve a game, and yield a client of it."""
    from equipoise.adapters.openenv.client import GameEnv

    with serve(game, **settings) as url, GameEnv(base_url=url).sync() as client:
        yield client


def picked(info: Any, words: list[str]) -> str:
    """Return a legal word that looks random and depends on nothing but what is known."""
    known = json.dumps(info, sort_keys=True).encode()
    return words[int.from_bytes(blake2b(known, digest_size=4).digest(), "big") % len(words)]


def policy(game: str) -> Callable[[Any], Any]:
    """Return the same player as a function of decisions."""
    renderer = get_renderer(game)

    def play(decision: Any) -> Any:
        words = {renderer.say(action): action for action in decision.legal}
        return words[picked(dict(decision.info), list(words))]

    return play


def played(client: Any, answer: Callable[[Any], str], **task: Any) -> tuple[list[Any], Any]:
    """Play an episode; return what every step gave, and the state at the end."""
    from equipoise.adapters.openenv.models import GameAction

    result, steps = client.reset(**task), []
    while not result.done:
        result = client.step(GameAction(text=answer(result.observation)))
        steps.append(result)
    return steps, client.state()
