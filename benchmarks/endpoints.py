"""What is promised of audits of endpoints, shown with a server process on the loopback interface.

    python benchmarks/endpoints.py audit     # all games, then a report: how long it takes
    python benchmarks/endpoints.py kill      # the server is killed in the middle, the same command goes on
    python benchmarks/endpoints.py caps      # what is spent beyond a cap
    python benchmarks/endpoints.py serve 8765

The server speaks the chat protocol of OpenAI and plays legal moves, drawn by the seed that comes with a
question. It bills 100 tokens a question. Needs the extras ``api`` and ``report``, and no torch.
"""

from __future__ import annotations

import json
import re
import resource
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

BILL = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}
OPEN = 4


def answer(text: str, seed: int) -> str:
    """Return a legal answer to a prompt in the plain wording."""
    asked = text.rpartition("hold the")[2]
    if offered := re.findall(r": (\w+) or (\w+)\?", asked):
        return f"Action: {offered[-1][seed % 2]}"
    if words := re.findall(r'"\w+: ([A-Z]\w*)"', text):
        return f"Action: {words[seed % len(words)]}"
    return f"Action: {'0 0 0' if 'three numbers' in text else 1 + seed % 5}"


class Handler(BaseHTTPRequestHandler):
    """Answers questions, and tells on GET how many there were."""

    protocol_version = "HTTP/1.1"
    asked = 0

    def do_GET(self) -> None:
        """Tell the number of questions."""
        self._send({"asked": Handler.asked})

    def do_POST(self) -> None:
        """Answer a question."""
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Handler.asked += 1
        text = "\n".join(str(message["content"]) for message in question["messages"])
        message = {"role": "assistant", "content": answer(text, int(question.get("seed") or 0))}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        kind = {"id": "c", "object": "chat.completion", "created": 0, "model": "loopback"}
        self._send({**kind, "choices": [choice], "usage": BILL})

    def _send(self, data: Any) -> None:
        body = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class Server:
    """The server in a process of its own."""

    def __init__(self, port: int) -> None:
        """Start it and wait until it listens."""
        self.port = port
        self._process = subprocess.Popen([sys.executable, __file__, "serve", str(port)])
        while True:
            try:
                self.asked()
            except OSError:
                time.sleep(0.05)
            else:
                return

    def asked(self) -> int:
        """Return how many questions it was asked."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/") as reply:
            return int(json.load(reply)["asked"])

    def kill(self) -> None:
        """Kill it: nothing is answered or closed properly."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()


@contextmanager
def server(port: int) -> Iterator[Server]:
    """Run a server for the time of the block."""
    one = Server(port)
    try:
        yield one
    finally:
        one.kill()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def command(port: int, *arguments: str) -> list[str]:
    """Return the command of an audit of the endpoint."""
    policy = f"openai:loopback@http://127.0.0.1:{port}/v1"
    return [sys.executable, "-m", "equipoise", "audit", *arguments, "--policy", policy]


def run(arguments: list[str], quiet: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a command; show it with its messages, exit code and time."""
    began = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(arguments, capture_output=True, text=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    print(f"$ {shlex.join(['equipoise', *arguments[3:]])}")
    said = done.stderr.strip().splitlines()
    print("\n".join(said if quiet else [*done.stdout.strip().splitlines(), *said]))
    print(
        f"exit code {done.returncode}, {time.perf_counter() - began:.1f} s, {own:.1f} s of the processor\n",
        flush=True,
    )
    return done


def audit() -> None:
    """Audit all games and write a report."""
    out = Path("endpoint-audit")
    with server(free_port()) as one:
        run(command(one.port, "all", "--out", str(out)))
        print(f"{one.asked()} questions\n")
    run([sys.executable, "-m", "equipoise", "report", str(out)])


def episodes(out: Path) -> list[dict[str, Any]]:
    """Return the episodes of an audit without the server's address."""
    found = []
    for file in sorted(out.rglob("transcript.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines()[1:]:
            found.append({**json.loads(line), "policies": None})
    return found


def kill() -> None:
    """Kill the server in the middle of an audit, and do the same command again."""
    with tempfile.TemporaryDirectory() as folder:
        games = ("ipd", "kuhn", "--episodes", "40", "--concurrency", str(OPEN), "--tries", "2")
        with server(free_port()) as one:
            run(command(one.port, *games, "--out", f"{folder}/whole"), quiet=True)
            total = one.asked()
        port = free_port()
        again = command(port, *games, "--out", f"{folder}/cut")
        with server(port) as one:
            cut = subprocess.Popen(again, stderr=subprocess.PIPE, text=True)
            while (before := one.asked()) < total // 2:
                time.sleep(0.02)
            one.kill()
            said = cut.communicate()[1]
        print(f"killed after {before} of {total} questions:\n{said.strip()}\nexit code {cut.returncode}\n")
        with server(port) as one:
            run(again, quiet=True)
            rest = one.asked()
        whole, resumed = episodes(Path(folder, "whole")), episodes(Path(folder, "cut"))
        ids = {(episode["game"], episode["id"]) for episode in resumed}
        print(f"{rest} more questions; {len(resumed)} episodes, {len(ids)} different")
        print(f"the same episodes as without the kill: {resumed == whole}")


def caps() -> None:
    """Run into caps on tokens and on costs with several open connections, twice each."""
    with tempfile.TemporaryDirectory() as folder:
        prices = Path(folder, "prices.toml")
        prices.write_text("[loopback]\ninput = 1000\noutput = 1000\n", encoding="utf-8")
        for name, flags in (
            ("tokens", ("--max-tokens-total", "20050")),
            ("cost", ("--max-cost", "20.05", "--prices", str(prices))),
        ):
            with server(free_port()) as one:
                arguments = command(one.port, "ipd", "--concurrency", str(OPEN), *flags)
                for _ in range(2):
                    run([*arguments, "--out", f"{folder}/{name}"], quiet=True)
                    beyond = one.asked() - 20050 / 100
                    print(f"{one.asked()} questions of 100 tokens: {beyond:+.1f} questions beyond the cap\n")


def main() -> None:
    """Do what is asked for."""
    what = sys.argv[1] if len(sys.argv) > 1 else "audit"
    if what == "serve":
        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
    {"audit": audit, "kill": kill, "caps": caps}[what]()


if __name__ == "__main__":
    main()
