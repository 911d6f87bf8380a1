"""Times exact audits, and best replies by belief beside the tree of histories they stand for.

python benchmarks/exact.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from equipoise.auditing.exact.beliefs import beliefs
from equipoise.auditing.exact.compile import TooLargeError, compile_tree
from equipoise.auditing.exact.reply import best_reply
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.games.registry import game_names, make_game
from equipoise.objective.features import OWN, feature_count
from equipoise.opponents.registry import get_strategy
from equipoise.policies.scripted import StrategyPolicy

PAIRS = (
    ("ipd", "tit_for_tat"),
    ("ipd", "random"),
    ("split", "complement"),
    ("commons", "reciprocal"),
    ("auction", "adaptive"),
)
LIMIT = 100_000
T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what the work returns, and the processor seconds it took."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def audits() -> None:
    """Print how long exact audits of the random strategy take."""
    print("| game | `audit --exact` of `random`, s |")
    print("|---|---|")
    for name in game_names():
        game = make_game(name)
        policy = StrategyPolicy(get_strategy(name, "random"))
        _, seconds = timed(lambda game=game, policy=policy: audit_game(game, policy, AuditConfig(exact=True)))
        print(f"| {name} | {seconds:.1f} |")


def replies() -> None:
    """Print nodes and times of best replies."""
    print("\n| best reply to | beliefs | s | histories | s | value |")
    print("|---|---|---|---|---|---|")
    for name, opponent in PAIRS:
        game, strategy = make_game(name), get_strategy(name, opponent)
        reward = np.zeros(feature_count(game.info_record))
        reward[OWN] = 1.0
        graph, seconds = timed(lambda g=game, s=strategy: beliefs(g, s, 1))
        value = graph.best(reward)
        row = f"| {name} {opponent} | {graph.nodes:,} | {seconds:.3f} |"
        try:
            tree, seconds = timed(lambda g=game, s=strategy: compile_tree(g, {"it": s}, 1, LIMIT))
        except TooLargeError:
            print(f"{row} > {LIMIT:,} | n/a | {value:.4f} |")
            continue
        same = best_reply(tree, tree.payoff[:, 0, OWN])[0]
        assert abs(same - value) < 1e-9
        print(f"{row} {len(tree.keys):,} | {seconds:.2f} | {value:.4f} |")


if __name__ == "__main__":
    audits()
    replies()
