"""Uses an installed core package, without any extra, for what the docs promise of it.

    python scripts/core_check.py

Each command runs in a process of its own, in an empty folder, as a user starts it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

MINE = """
def player(decision):
    return "COOPERATE" if "DEFECT" not in decision.info["other"] else "DEFECT"

def plan(decision):
    return "Hold firm."
"""
AGENT = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps({"id": question["id"], "action": question["legal"][0]}), flush=True)
"""
WORKS = (
    "--version",
    "--help",
    "games",
    "games ipd",
    "opponents kuhn",
    "models",
    "audit kuhn --policy scripted:random",
    "audit ipd --policy scripted:tit_for_tat --json result.json",
    "audit ipd --policy python:mine.py:player --baseline scripted:grim_trigger",
    "audit split --policy scripted:random --sample --episodes 4 --control-variates --out audits/a",
    "audit split --policy scripted:fair --sample --episodes 4 --out audits/b",
    "compare audits/a audits/b",
    "audit kuhn --policy scripted:nash --pool exploiter=mixture:always_bet+random",
    "audit kuhn --policy PROGRAM --episodes 2",
    "audit ipd --cross tit_for_tat always_defect",
    "solve kuhn --exploiters pool pool+best_response --steps 20 --out tables",
    "solve commons --abstraction stock --option rounds=2 --steps 5",
    "audit kuhn --policy tabular:tables/pool-seed0.json",
    "play kuhn --policy scripted:nash --opponent always_bet",
    "play social --policy scripted:sensible --opponent tough",
    "play social --policy strategist:python:mine.py:plan>scripted:weak --opponent tough",
    "play household --policy scripted:sensible --opponent nobody",
    "audit household --policy scripted:oracle --episodes 4",
    "data kuhn --recipe balanced --examples 10 --out kuhn.jsonl",
    "check ipd --policy python:mine.py:player --walks 2",
    "check kuhn --playthrough",
    "study credit --game kuhn --samples 2",
)
NEEDS = {
    "audit kuhn --policy smollm2": "equipoise[train]",
    "run quickstart": "equipoise[train]",
    "audit kuhn --policy openai:m@http://127.0.0.1:9/v1": "equipoise[api]",
    "audit openspiel:leduc_poker --policy scripted:random": "equipoise[exact]",
    "play shop --policy scripted:sensible --opponent nobody": "equipoise[envs]",
}
"""What needs an extra: it must be refused with one line that names it."""


def main() -> int:
    """Print what fails and return the exit code."""
    faults = [f"{name} is installed" for name in ("torch", "openai", "pyspiel") if find_spec(name)]
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "mine.py").write_text(MINE, encoding="utf-8")
        (here / "agent.py").write_text(AGENT, encoding="utf-8")
        for line in WORKS:
            done = _run(here, line)
            if done.returncode or not (done.stdout or "--json" in line):
                faults.append(f"equipoise {line}: exit code {done.returncode}: {done.stderr.strip()}")
        for line, extra in NEEDS.items():
            done = _run(here, line)
            said = done.stderr.strip()
            if done.returncode not in (1, 2) or extra not in said or len(said.splitlines()) != 1:
                faults.append(f"equipoise {line}: {done.returncode}, does not name {extra}: {said!r}")
        typed = subprocess.run(
            [
                sys.executable,
                "-c",
                "import equipoise, pathlib as p;"
                "assert (p.Path(equipoise.__file__).parent / 'py.typed').exists();"
                "print(equipoise.audit('kuhn', 'scripted:nash'))",
            ],
            cwd=here,
            capture_output=True,
            text=True,
            check=False,
        )
        if typed.returncode:
            faults.append(f"from Python: {typed.stderr.strip()}")
    for fault in faults:
        sys.stderr.write(f"error: {fault}\n")
    sys.stdout.write(f"{len(WORKS)} commands without an extra, {len(NEEDS)} refusals, {len(faults)} faults\n")
    return 1 if faults else 0


def _run(here: Path, line: str) -> subprocess.CompletedProcess[str]:
    words = [f"command:{sys.executable} agent.py" if word == "PROGRAM" else word for word in line.split()]
    program = [sys.executable, "-m", "equipoise", *words]
    return subprocess.run(program, cwd=here, capture_output=True, text=True, timeout=600, check=False)


if __name__ == "__main__":
    sys.exit(main())
