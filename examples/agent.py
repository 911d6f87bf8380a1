"""A complete agent in Python: one JSON line in, one JSON line out. It needs the standard library only.

    equipoise audit ipd --policy 'command:python examples/agent.py'

Started with a port it answers the same questions over HTTP instead:

    python examples/agent.py 8765
    equipoise audit ipd --policy http://127.0.0.1:8765/
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def decide(question):
    """Tit for tat in the dilemma, the first legal action everywhere else."""
    legal, other = question["legal"], question["info"].get("other", [])
    if legal is None:
        return {"id": question["id"], "text": "[none]"}
    if question["game"] == "ipd":
        return {"id": question["id"], "action": other[-1] if other else "COOPERATE"}
    return {"id": question["id"], "action": legal[0]}


class Handler(BaseHTTPRequestHandler):
    """Answers POST requests."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """Answer one question."""
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(decide(question)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        """Say nothing."""


def main():
    """Serve standard input, or a port."""
    if len(sys.argv) > 1:
        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(decide(json.loads(line))) + "\n")
        # Without this the answer stays in a buffer, and the question times out.
        sys.stdout.flush()


if __name__ == "__main__":
    main()
