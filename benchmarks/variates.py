"""What control variates are worth: the variance of each metric's observations with and without them.

    python benchmarks/variates.py [--deals N]

Ratios below 1 are gains; 0.25 is worth four times as many deals. Audits start with nothing learned.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.games.registry import make_game
from equipoise.policies.registry import load_policy

PAIRS = (
    ("ipd", "random"),
    ("ipd", "generous_tit_for_tat"),
    ("kuhn", "random"),
    ("kuhn", "nash"),
    ("auction", "random"),
    ("auction", "shaded"),
    ("split", "random"),
    ("commons", "random"),
)
METRICS = ("utility", "welfare", "collusion", "externality", "regret")


def row(game: str, policy: str, deals: int) -> str:
    """Return a line of the table."""
    rules = make_game(game)
    plain = AuditConfig(deals, exact=False)
    first, second = (
        audit_game(rules, load_policy(f"scripted:{policy}", rules), config)
        for config in (plain, replace(plain, control_variates=True))
    )
    cells = []
    for metric in METRICS:
        a, b = first.measures[metric], second.measures[metric]
        spread = 0.0 if a is None else float(a.values.var())
        cells.append("n/a" if b is None or spread < 1e-12 else f"{float(b.values.var()) / spread:.2f}")
    halves = [one.settings["power"]["half_width"] for one in (first, second)]
    return f"| {game}, {policy} | {' | '.join(cells)} | {halves[0]:.3f} → {halves[1]:.3f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--deals", type=int, default=200)
    deals = parser.parse_args().deals
    print(f"| {deals} deals | {' | '.join(METRICS)} | safety ± |\n|---|{'---|' * len(METRICS)}---|")
    for game, policy in PAIRS:
        print(row(game, policy, deals), flush=True)


if __name__ == "__main__":
    main()
