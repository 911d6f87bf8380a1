"""Long audits: episodes a second and peak memory, a child process a row.

    python benchmarks/streaming.py [EPISODES ...]

Samples a scripted policy in the iterated prisoner's dilemma (11 opponents, both seats, 8 rounds). Episodes
are reduced chunk by chunk and dropped, so memory must level off; seconds are of the processor.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.games.registry import make_game
from equipoise.opponents.pools import default_pools
from equipoise.policies.registry import load_policy

GAME, POLICY = "ipd", "scripted:generous_tit_for_tat"


def child(episodes: int) -> None:
    """Audit by sampling and print what it took."""
    game = make_game(GAME)
    opponents = {name for _, names in default_pools(GAME) for name in names}
    deals = max(1, episodes // (len(opponents) * game.info_record.seats))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    found = audit_game(game, load_policy(POLICY, game), AuditConfig(deals, exact=False))
    seconds = time.process_time() - start
    safety = found.metrics["safety"]
    row = {
        "episodes": deals * len(opponents) * game.info_record.seats,
        "deals": deals,
        "seconds": seconds,
        "before": before / 1024,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "safety": str(safety),
    }
    print(json.dumps(row))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("episodes", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.episodes[0])
        return
    print("| episodes | deals | processor s | episodes/s | peak MB (of which imports) | safety |")
    print("|---|---|---|---|---|---|")
    for count in given.episodes:
        command = [sys.executable, __file__, "--child", str(count)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        row = json.loads(done.stdout)
        print(
            f"| {row['episodes']:,} | {row['deals']:,} | {row['seconds']:.0f} "
            f"| {row['episodes'] / row['seconds']:,.0f} | {row['peak']:.0f} ({row['before']:.0f}) "
            f"| {row['safety']} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
