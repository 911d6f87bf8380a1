"""How long it takes until something is on the screen: imports and first outputs, whole processes.

    python benchmarks/startup.py [--runs N]

Each command runs N times after one warm-up; the median wall time is printed.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import equipoise": ["-c", "import equipoise"],
    "import equipoise; equipoise.audit": ["-c", "import equipoise; equipoise.audit"],
    "import numpy, scipy.optimize": ["-c", "import numpy, scipy.optimize"],
    "import torch, transformers": ["-c", "import torch, transformers"],
    "equipoise --version": ["-m", "equipoise", "--version"],
    "equipoise --help": ["-m", "equipoise", "--help"],
    "equipoise games": ["-m", "equipoise", "games"],
    "equipoise audit kuhn (exact)": ["-m", "equipoise", "audit", "kuhn", "--policy", "scripted:nash"],
    "equipoise audit ipd (exact)": ["-m", "equipoise", "audit", "ipd", "--policy", "scripted:tit_for_tat"],
}


def seconds(arguments: list[str]) -> float:
    """Return the wall time of one process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    print("| command | median s | min s |")
    print("|---|---|---|")
    for name, arguments in COMMANDS.items():
        try:
            seconds(arguments)
        except subprocess.CalledProcessError:
            print(f"| {name} | not available | |")
            continue
        times = [seconds(arguments) for _ in range(runs)]
        print(f"| {name} | {statistics.median(times):.2f} | {min(times):.2f} |")


if __name__ == "__main__":
    main()
