"""The numbers on the reference pages: exact terms of every strategy, J*, and how metrics come about.

What takes minutes is kept in ``values.json`` beside the pages, under a key of what it depends on; everything
else is computed whenever the pages are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from equipoise.auditing.metrics import METRICS
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.solution import Solution, solution_of
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.opponents.registry import strategies
from equipoise.policies.registry import load_opponents, load_policy, strategies_of
from equipoise.types import Estimate

__all__ = ["SLOW", "TERMS", "Row", "key_of", "slow_values", "terms_of", "values_of"]

SLOW = ("split", "multi_issue", "commons")
"""Games whose J* or audits take longer than a test may."""
LARGE = ("multi_issue",)
"""Games in which one exact value takes seconds: their tables are kept too."""
TERMS = ("utility", "exploitability", "collusion", "externality", "safety")
Row = Mapping[str, float | None]


def values_of(game: Game, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return a game's numbers: ``terms`` by strategy, ``optimum``, ``status`` by metric.

    Args:
        game: The game.
        kept: What ``values.json`` holds of every slow game.

    Raises:
        RequestError: The game is slow, and what is kept of it is missing or of other rules.
    """
    if game.name not in SLOW:
        return {"terms": terms_of(game), "optimum": optimum_of(game), "status": status_of(game)}
    found = kept.get(game.name)
    if found is None or found["key"] != key_of(game):
        raise RequestError(
            f"values.json knows nothing of {game.name} as it is now: run `scripts/reference {game.name}`"
        )
    return {**found, "terms": found["terms"] if game.name in LARGE else terms_of(game)}


def slow_values(game: Game) -> dict[str, Any]:
    """Compute what ``values.json`` keeps of a slow game."""
    terms = terms_of(game) if game.name in LARGE else {}
    return {
        "key": key_of(game),
        "terms": terms,
        "optimum": optimum_of(game),
        "status": status_of(game),
    }


def key_of(game: Game) -> str:
    """Return what the numbers of a game depend on, apart from the code that computes them."""
    record, pools = game.info_record, default_pools(game.name)
    weights = record.weights
    return f"{record.key} {dict(pools)} {weights.e:g} {weights.c:g} {weights.x:g} {record.payoff_scale:g}"


def terms_of(game: Game, names: Collection[str] | None = None) -> dict[str, Row]:
    """Return the exact terms of J of every strategy of a game, or of those named."""
    solution = _solution(game)
    return {
        name: asdict(solution.terms(strategy))
        for name, strategy in strategies(game.name).items()
        if names is None or name in names
    }


def optimum_of(game: Game) -> float | None:
    """Return J*, or None where it is not known."""
    best = _solution(game).optimum
    return None if best is None else best.value


def status_of(game: Game) -> dict[str, tuple[str, str]]:
    """Return how each metric of the random policy comes about, computed and sampled."""
    policy = load_policy("scripted:random", game)
    computed = audit_game(game, policy, AuditConfig(episodes=2, exact=True)).metrics
    sampled = audit_game(game, policy, AuditConfig(episodes=2, exact=False)).metrics
    names = [*METRICS, *(name for name in computed if name not in METRICS)]
    return {name: (_kind(computed.get(name)), _kind(sampled.get(name))) for name in names}


def _solution(game: Game) -> Solution:
    objective = Objective.of(game.info_record, default_pools(game.name))
    names = [name for _, name in objective.streams]
    opponents = strategies_of(load_opponents(names, game), game.stage())
    assert opponents is not None
    return solution_of(game, objective, opponents)


def _kind(estimate: Estimate | None) -> str:
    return "n/a" if estimate is None else estimate.kind.value
