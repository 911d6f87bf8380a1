"""How fast the examples of scripted teachers are made and written, game by game, on one core.

    python benchmarks/data.py [--share S]

Sizes are the paper's: 32,000 examples over the dilemma, the auction, the pie and the shared resource, 7,000
of Kuhn poker and 4,000 of the negotiation over several items; S is the part of them that is made. Times are
processor seconds: playing the episodes, the rows with a checked reason, and both of it into files in the
layout of `datasets`, which the last two columns measure by themselves.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from equipoise.games.registry import make_game
from equipoise.training.data import Demonstrations, Shares
from equipoise.training.dataset import DataRequest, row_of, write_folder

SIZES = {
    "ipd": 8_000,
    "auction": 8_000,
    "split": 8_000,
    "commons": 8_000,
    "kuhn": 7_000,
    "multi_issue": 4_000,
}


def measure(name: str, size: int) -> tuple[float, float, float]:
    """Return the seconds of playing, of the rows, and of the whole folder with all its parts."""
    game = make_game(name)
    start = time.process_time()
    examples = list(Demonstrations(game, "balanced", 0).first_examples(size))
    played = time.process_time()
    for example in examples:
        row_of(example, reasons=True)
    said = time.process_time()
    request = DataRequest("balanced", examples=size, seed=1, shares=Shares(0.1, 0.1), reasons=True)
    with tempfile.TemporaryDirectory() as folder:
        write_folder([game], request, Path(folder) / "set", "datasets")
    return played - start, said - played, time.process_time() - said


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--share", type=float, default=1.0)
    share = parser.parse_args().share
    print("| game | examples | played/s | rows/s | written/s | seconds in all |")
    print("|---|---|---|---|---|---|")
    total = 0.0
    for name, full in SIZES.items():
        size = max(1, int(full * share))
        play, rows, whole = measure(name, size)
        total += whole
        rates = " | ".join(f"{size / seconds:,.0f}" for seconds in (play, rows, whole))
        print(f"| {name} | {size:,} | {rates} | {whole:.1f} |")
    print(f"| all | {int(sum(SIZES.values()) * share):,} | | | | {total:.1f} |")


if __name__ == "__main__":
    main()
