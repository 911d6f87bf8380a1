"""What a best response takes from tables trained on fixed pools, on themselves and on their past.

    python -m benchmarks.self_play [--seeds N]

From the root of the repository; prints the table of docs/training.md. Kuhn poker, exact gradient, 400 steps
from random logits; best_response in chips a hand, of the last weights, mean over seeds.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.training.arena import Arena
from equipoise.training.config import SepoConfig
from equipoise.training.sepo import Sepo
from equipoise.training.stages import new_table
from equipoise.training.table import TabularLearner

STEPS, SPREAD = 400, 0.3
OWN = {"train": ["self"]}
RUNS: dict[str, dict[str, Any]] = {
    "the game's pools": {},
    "the game's pools, self in train besides": {"pools": {"train": [*default_pools("kuhn").train, "self"]}},
    'train = ["self"]': {"pools": OWN},
    'train = ["self"], league every 10, keep 40': {"pools": OWN, "league": {"every": 10, "keep": 40}},
    'train = ["self"], league every 20, keep 10': {"pools": OWN, "league": {"every": 20, "keep": 10}},
    "the game's pools, league every 20, keep 10, among the exploiters": {
        "league": {"every": 20, "keep": 10, "pool": "exploiter"}
    },
    "the game's pools and a best responder": {"exploiters": "pool+best_response"},
}


def best_response(seed: int, settings: dict[str, Any]) -> float:
    """Train one table and return what a best response takes from it."""
    game = make_game("kuhn")
    table = new_table(game, seed)
    noise = np.random.default_rng(seed).normal(size=table.mask.shape)
    table.logits = np.where(table.mask, SPREAD * noise, -np.inf)
    common = {"steps": STEPS, "gradient": "exact", "lr": 10.0, "lr_decay": 0.01, "kl": 0.0}
    config = SepoConfig(**{**common, "select_every": STEPS, **settings})
    objective = Objective.of(game.info_record, default_pools("kuhn"))
    Sepo(Arena(game, objective, table, config), TabularLearner(table)).run()
    found = audit_game(game, table.table(), AuditConfig(exact=True)).metrics["best_response"]
    assert found is not None
    return found.value


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = parser.parse_args().seeds
    for name, settings in RUNS.items():
        values = [best_response(seed, settings) for seed in range(seeds)]
        each = ", ".join(f"{value:.3f}" for value in values)
        sys.stdout.write(f"| {name} | {np.mean(values):.3f} | {each} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
