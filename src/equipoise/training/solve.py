"""The tabular policy under the objective, and what is known exactly of the game."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from equipoise.auditing.exact.optimum import Optimum
from equipoise.auditing.opponents import Opponents
from equipoise.auditing.result import AuditResult, GameResult
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.solution import Solution, solution_of
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.tabular import TabularPolicy
from equipoise.progress import Reporter, silent
from equipoise.training.arena import Arena
from equipoise.training.config import SepoConfig
from equipoise.training.sepo import Sepo
from equipoise.training.table import SoftmaxTable, TabularLearner

__all__ = ["solve"]

KINDS = ("none", "pool", "pool+best_response")
SMALL = 1_000
"""Information states up to which a table gets the long training."""


def solve(
    game: Game,
    exploiters: Sequence[str] = ("pool",),
    seeds: int = 1,
    steps: int | None = None,
    out: Path | None = None,
    reporter: Reporter | None = None,
    pools: Pools | None = None,
) -> AuditResult:
    """Solve a game for its best policy, and train a table by exact gradient ascent.

    Args:
        game: The game.
        exploiters: What the exploiter pool holds in training, one table each: ``none``, ``pool``,
            ``pool+best_response`` or names of opponents, separated by commas. All are audited on the
            game's own pools.
        seeds: Tables a kind, from different random starts.
        steps: Steps of gradient ascent (default: by size of the game).
        out: Folder for the policies, to be used as ``tabular:FILE``.
        reporter: Shows progress.
        pools: The pools (default: the game's own).

    Returns:
        One result for the optimum (policy ``optimum``, where a table can hold it) and one a table
        (``KIND/seedN``).

    Raises:
        RequestError: The game is too large, or an opponent does not exist.
    """
    reporter = reporter or silent()
    pools = pools or default_pools(game.name)
    config = AuditConfig(exact=True, pools=pools)
    objective = Objective.of(game.info_record, pools)
    solution = _solution(game, objective)
    best = solution.optimum
    assert best is not None
    results: list[GameResult] = []
    if all(len(set(tree.keys)) == len(tree.keys) for tree in best.trees):
        # With noise the best plan may act on what it meant to do, which a table by state cannot hold.
        optimal = _optimal(game, best)
        _save(optimal, out, "optimum")
        results.append(audit_game(game, optimal, config, name="optimum"))
    for kind in exploiters:
        for seed in range(seeds):
            table = _train(game, objective, kind, seed, steps, reporter)
            _save(table, out, f"{re.sub(r'[^A-Za-z0-9]+', '_', kind)}-seed{seed}")
            results.append(audit_game(game, table, config, name=f"{kind}/seed{seed}"))
    return _finish(results, out)


def _solution(game: Game, objective: Objective) -> Solution:
    too_large = f"{game.name} with these options is too large to solve: audit it by sampling"
    if game.info_record.solution == "none":
        raise RequestError(too_large)
    strategies = Opponents.named(objective.pools, game, exact=True).strategies
    assert strategies is not None
    solution = solution_of(game, objective, strategies)
    if solution.trees is None:
        raise RequestError(too_large)
    return solution


def _train(
    game: Game, objective: Objective, kind: str, seed: int, steps: int | None, reporter: Reporter
) -> TabularPolicy:
    """Train one table; named exploiters replace the pool's."""
    if kind not in KINDS:
        names = tuple(name.strip() for name in kind.split(",") if name.strip())
        objective = replace(objective, pools=replace(objective.pools, exploiter=names))
        kind = "pool"
    trees = _solution(game, objective).trees
    assert trees is not None
    size = sum(len(tree.keys) for tree in trees)
    count = steps or (3000 if size <= SMALL else 300)
    config = SepoConfig(
        steps=count,
        gradient="exact",
        lr=30.0,
        lr_decay=0.01,
        kl=0.0,
        exploiters=kind,  # type: ignore[arg-type]
        select_every=max(1, count // 20),
        seed=seed,
    )
    table = SoftmaxTable.of(game.stage(), trees, seed)
    kept = [table.table()]

    def keep() -> None:
        kept[0] = table.table()

    title = f"table ({kind}, seed {seed})"
    arena = Arena(game, objective, table, config)
    Sepo(arena, TabularLearner(table), reporter=reporter, on_best=keep, title=title).run()
    return kept[0]


def _optimal(game: Game, best: Optimum) -> TabularPolicy:
    """Return the linear programme's policy as a table; uniform where no opponent leads."""
    from equipoise.auditing.exact.compile import compile_tree
    from equipoise.opponents.base import Uniform

    stage = game.stage()
    rows: dict[str, dict[object, float]] = {}
    for tree, plan in zip(best.trees, best.probabilities, strict=True):
        everywhere = compile_tree(stage, {"random": Uniform()}, tree.seat)
        for key, legal in zip(everywhere.keys, everywhere.legal, strict=True):
            rows.setdefault(stage.label(*key), dict.fromkeys(legal, 1.0 / len(legal)))
        for key, legal, row in zip(tree.keys, tree.legal, plan.tolist(), strict=True):
            rows[stage.label(*key)] = dict(zip(legal, row, strict=False))
    return TabularPolicy(stage.info_record.key, rows, "optimum")  # type: ignore[arg-type]


def _save(policy: TabularPolicy, out: Path | None, name: str) -> None:
    if out is not None:
        policy.save(out / f"{name}.json")


def _finish(results: list[GameResult], out: Path | None) -> AuditResult:
    found = AuditResult(results)
    if out is not None:
        found.save(out / "solve.json")
    return found
