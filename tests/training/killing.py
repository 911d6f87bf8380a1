"""Runs a recipe in processes that are killed at random moments: ``python -m tests.training.killing …``.

A process of its own, which has loaded everything and computed nothing, forks one child a try, so that a try
costs no imports.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Sequence


def child(recipe: str, out: str, stages: Sequence[str]) -> int:
    """Start the run in a process and return its number."""
    number = os.fork()
    if number == 0:
        code = 1
        try:
            from equipoise.training.pipeline import run_recipe

            run_recipe(recipe, [f"out={out}"], stages)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return number


def ended(number: int, seconds: float) -> int | None:
    """Wait for a process at most so long; return its exit code, or None if it is still at work."""
    until = time.monotonic() + seconds
    while True:
        found, status = os.waitpid(number, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= until:
            return None
        time.sleep(0.005)


def main(recipe: str, whole: str, cut: str, stages: str, seed: str, tries: str) -> None:
    """Run once without interruption, then kill the same run again and again, and let it end."""
    import torch

    import equipoise.training.lora
    import equipoise.training.pipeline
    import equipoise.training.sft  # noqa: F401

    torch.set_num_threads(1)
    asked, rng, killed = stages.split(","), random.Random(int(seed)), 0
    began = time.monotonic()
    code = ended(child(recipe, whole, asked), 3600.0)
    length = time.monotonic() - began
    assert code == 0, code
    for _ in range(int(tries)):
        number = child(recipe, cut, asked)
        code = ended(number, rng.uniform(0.02, 0.4) * length)
        if code is not None:
            assert code == 0, code
            break
        os.kill(number, signal.SIGKILL)
        assert ended(number, 60.0) == -signal.SIGKILL
        killed += 1
    assert ended(child(recipe, cut, asked), 3600.0) == 0
    sys.stdout.write(json.dumps({"killed": killed, "seconds": length}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
