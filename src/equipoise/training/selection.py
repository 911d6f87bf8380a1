"""Scores weights on the select split, by the objective that they are trained on."""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.policies.base import Policy
from equipoise.rollout.deals import Split
from equipoise.training.arena import Arena
from equipoise.types import Estimate

__all__ = ["selection_score"]


def selection_score(arena: Arena, policy: Policy) -> float:
    """Return J of a policy: exact where its table is at hand, else from deals kept for selection."""
    # The fixed pools and a responder of the policy's own, whoever is met in training.
    exploiters, objective = arena.exploiters, arena.exploiters.objective
    book = exploiters.book
    if book is not None:
        if exploiters.wanted and exploiters.pool is not None:
            # The score is against a responder of its own: the one in force keeps its schedule.
            book = exploiters.reply(exploiters.pool, policy)[1]
        return book.terms(book.tabulate(policy), objective).safety
    settings = arena.config
    config = AuditConfig(
        episodes=settings.select_episodes,
        seed=settings.seed,
        exact=False,
        pools=objective.pools,
        weights=objective.weights,
        split=Split.SELECT,
        rule=arena.rule,
        chunk=settings.select_episodes,
    )
    return _charge(arena, audit_game(arena.game, policy, config, opponents=arena.met).metrics)


def _charge(arena: Arena, metrics: Mapping[str, Estimate | None]) -> float:
    """Return J of an audit, charged for what the run penalises."""
    safety, objective = metrics["safety"], arena.exploiters.objective
    assert safety is not None
    e, regret = metrics.get("exploitability"), metrics.get("regret")
    if objective.penalised == "opponent_advantage" or e is None or regret is None:
        return safety.value
    return safety.value + objective.weights.e * objective.scale * (e.value - regret.value)
