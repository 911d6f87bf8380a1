"""A server of our own on the loopback interface that misbehaves on purpose.

A *script* says what to answer to the n-th request; without one, or past its end, ``usual`` answers.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Asked = dict[str, Any]


@dataclass(frozen=True)
class Say:
    """A response: status, body (JSON data, or bytes as they are), headers, and how it is sent."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0
    cut: bool = False


def chat(
    text: str | None, finish: str = "stop", usage: tuple[int, int] | None = (10, 2), **message: Any
) -> Say:
    """Return a well-formed completion."""
    body: Asked = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
    }
    if usage is not None:
        body["usage"] = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": sum(usage),
        }
    return Say(body)


def by_seed(asked: Asked) -> Say:
    """Cooperate or defect as the seed says: a model whose samples are its seeds."""
    return chat("COOPERATE" if asked.get("seed", 0) % 3 else "DEFECT")


@dataclass
class Server:
    """The running server: where it is, and what it was asked."""

    url: str
    asked: list[Asked]
    headers: list[dict[str, str]]
    times: list[float]
    most_open: int = 0
    open: int = 0
    dies_after: int | None = None


@contextmanager
def serve(script: Sequence[Say] = (), usual: Callable[[Asked], Say] = by_seed) -> Iterator[Server]:
    """Run a server until the block ends."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(state.asked)
                state.asked.append(asked)
                state.headers.append(dict(self.headers))
                state.times.append(time.monotonic())
                state.open += 1
                state.most_open = max(state.most_open, state.open)
            try:
                if state.dies_after is not None and number >= state.dies_after:
                    self.close_connection = True
                    return
                self._send(script[number] if number < len(script) else usual(asked))
            finally:
                with lock:
                    state.open -= 1

        def _send(self, say: Say) -> None:
            time.sleep(say.wait)
            body = say.body if isinstance(say.body, bytes) else json.dumps(say.body).encode()
            try:
                self.send_response(say.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body) + (100 if say.cut else 0)))
                for name, value in say.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                self.close_connection = True
            if say.cut:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            return

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            # Clients that go away in the middle are part of the tests.
            return

    server = Quiet(("127.0.0.1", 0), Handler)
    state = Server(f"http://127.0.0.1:{server.server_address[1]}", [], [], [])
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
