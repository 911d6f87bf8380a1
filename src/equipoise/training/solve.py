"""The tabular policy under the objective, and what is known exactly of the game."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from equipoise.auditing.exact.compile import compile_tree
from equipoise.auditing.exact.optimum import Optimum
from equipoise.auditing.exact.tree import Tree
from equipoise.auditing.opponents import Opponents
from equipoise.auditing.result import AuditResult, GameResult
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.solution import Solution, solution_of
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.opponents.base import Uniform
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.abstractions.registry import abstraction_names, abstraction_of
from equipoise.policies.tabular import TabularPolicy
from equipoise.progress import Reporter
from equipoise.training.arena import Arena
from equipoise.training.config import SepoConfig, exploiter_kind
from equipoise.training.sepo import Sepo
from equipoise.training.table import SoftmaxTable, TabularLearner
from equipoise.training.tabular import everywhere
from equipoise.types import Action

__all__ = ["solve"]

SMALL = 1_000
"""Information states up to which a table gets the long training."""
SAMPLED = 200
"""Steps where the gradient is sampled."""


def solve(
    game: Game,
    exploiters: Sequence[str] = ("pool",),
    seeds: int = 1,
    steps: int | None = None,
    out: Path | None = None,
    reporter: Reporter | None = None,
    pools: Pools | None = None,
    abstraction: str | None = None,
) -> AuditResult:
    """Solve a game for its best policy, and train a table by exact gradient ascent.

    Args:
        game: The game.
        exploiters: What the exploiter pool holds in training, one table each: ``none``, ``pool``, that with
            ``+best_response``, ``+library_response`` or ``+league`` (see ``SepoConfig``), or names of
            opponents, separated by commas. All are audited on the game's own pools.
        seeds: Tables a kind, from different random starts.
        steps: Steps of gradient ascent (default: by size of the game).
        out: Folder for the policies, to be used as ``tabular:FILE``.
        reporter: Shows progress.
        pools: The pools (default: the game's own).
        abstraction: Name of the state abstraction whose keys are the rows of the tables; games that are too
            large to solve then train by sampled gradient, and have no optimum to show.

    Returns:
        One result for the optimum (policy ``optimum``, where a table can hold it) and one a table
        (``KIND/seedN``).

    Raises:
        RequestError: The game is too large, or an opponent does not exist.
    """
    reporter = reporter or Reporter(quiet=True)
    pools = pools or default_pools(game.name)
    objective = Objective.of(game.info_record, pools)
    if abstraction is not None:
        abstraction_of(game, abstraction)
    solution = _solution(game, objective, abstraction)
    config = AuditConfig(exact=None if solution is None else True, pools=pools)
    best = None if solution is None else solution.optimum
    everybody = None if best is None else everywhere(game.stage())
    results: list[GameResult] = []
    if best is not None and all(len(set(tree.keys)) == len(tree.keys) for tree in best.trees):
        # With noise the best plan may act on what it meant to do, which a table by state cannot hold.
        optimal = _optimal(game, best, everybody)
        _save(optimal, out, "optimum")
        results.append(audit_game(game, optimal, config, name="optimum"))
    for kind in exploiters:
        for seed in range(seeds):
            silent = abstraction is None and everybody is None
            table = _train(game, objective, kind, seed, steps, reporter, abstraction, silent)
            table = _filled(table, game, everybody if abstraction is None else None)
            _save(table, out, f"{re.sub(r'[^A-Za-z0-9]+', '_', kind)}-seed{seed}")
            results.append(audit_game(game, table, config, name=f"{kind}/seed{seed}"))
    return _finish(results, out)


def _solution(game: Game, objective: Objective, abstraction: str | None) -> Solution | None:
    """Return what is known exactly of a game; None where it is too large, which needs an abstraction.

    Raises:
        RequestError: It is too large and there is no abstraction.
    """
    if game.info_record.solution == "exact":
        strategies = Opponents.named(objective.pools, game, exact=True).strategies
        assert strategies is not None
        solution = solution_of(game, objective, strategies)
        if solution.trees is not None:
            return solution
    if abstraction is not None:
        return None
    names = abstraction_names(game.name)
    way_out = f"train a table with the abstraction {names[0]!r}, or " if names else ""
    raise RequestError(f"{game.name} with these options is too large to solve: {way_out}audit it by sampling")


def _train(
    game: Game,
    objective: Objective,
    kind: str,
    seed: int,
    steps: int | None,
    reporter: Reporter,
    abstraction: str | None,
    silent: bool,
) -> TabularPolicy:
    """Train one table; named exploiters replace the pool's."""
    if kind != "none" and kind.split("+")[0] != "pool":
        names = tuple(name.strip() for name in kind.split(",") if name.strip())
        objective = replace(objective, pools=replace(objective.pools, exploiter=names, shift=()))
        kind = "pool"
    try:
        kind = exploiter_kind(kind)
    except ValueError as error:
        raise RequestError(f"exploiters = {kind!r}: {error}") from None
    solution = _solution(game, objective, abstraction)
    trees = None if solution is None else solution.trees
    config = _settings(trees, kind, seed, steps)
    stage = game.stage()
    if abstraction is not None:
        table = SoftmaxTable.abstract(stage, abstraction_of(stage, abstraction), seed)
    else:
        assert trees is not None
        if "+" in kind:
            # A responder may lead the policy to where no opponent of the pool does.
            trees = (
                *trees,
                *(compile_tree(stage, {"random": Uniform()}, s) for s in {t.seat for t in trees}),
            )
        table = SoftmaxTable.of(stage, trees, seed)
    kept = [table.table(silent)]

    def keep() -> None:
        kept[0] = table.table(silent)

    title = f"table ({kind}, seed {seed})"
    arena = Arena(game, objective, table, config)
    Sepo(arena, TabularLearner(table), reporter=reporter, on_best=keep, title=title).run()
    return kept[0]


def _settings(trees: Sequence[Tree] | None, kind: str, seed: int, steps: int | None) -> SepoConfig:
    """Return settings for a table: exact steps where there are trees, else sampled ones."""
    if trees is None:
        count = steps or SAMPLED
        return SepoConfig(
            steps=count,
            lr=1.0,
            kl=0.0,
            rollouts=8,
            exploiters=kind,
            select_every=max(1, count // 5),
            select_episodes=60,
            seed=seed,
        )
    count = steps or (3000 if sum(len(tree.keys) for tree in trees) <= SMALL else 300)
    return SepoConfig(
        steps=count,
        gradient="exact",
        lr=30.0,
        lr_decay=0.01,
        kl=0.0,
        exploiters=kind,
        select_every=max(1, count // 20),
        seed=seed,
    )


def _optimal(game: Game, best: Optimum, everybody: Sequence[Tree] | None) -> TabularPolicy:
    """Return the linear programme's policy as a table; uniform where no opponent leads."""
    stage = game.stage()
    rows: dict[str, dict[Action, float]] = {}
    for tree in everybody or ():
        for key, legal in zip(tree.keys, tree.legal, strict=True):
            rows.setdefault(stage.label(*key), dict.fromkeys(legal, 1.0 / len(legal)))
    for tree, plan in zip(best.trees, best.probabilities, strict=True):
        for key, legal, row in zip(tree.keys, tree.legal, plan.tolist(), strict=True):
            rows[stage.label(*key)] = dict(zip(legal, row, strict=False))
    return TabularPolicy(stage.info_record.key, rows, "optimum", silent=everybody is None)


def _filled(table: TabularPolicy, game: Game, everybody: Sequence[Tree] | None) -> TabularPolicy:
    """Return a table with a uniform row where no opponent of the training leads, held-out ones may."""
    stage = game.stage()
    rows = dict(table.table)
    for tree in everybody or ():
        for key, legal in zip(tree.keys, tree.legal, strict=True):
            rows.setdefault(stage.label(*key), dict.fromkeys(legal, 1.0 / len(legal)))
    if len(rows) == len(table.table):
        return table
    return TabularPolicy(stage.info_record.key, rows, table.name)


def _save(policy: TabularPolicy, out: Path | None, name: str) -> None:
    if out is not None:
        policy.save(out / f"{name}.json")


def _finish(results: list[GameResult], out: Path | None) -> AuditResult:
    found = AuditResult(results)
    if out is not None:
        found.save(out / "solve.json")
    return found
