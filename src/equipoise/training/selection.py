"""Scores weights on the select split, by the objective that they are trained on.

With fixed weights λ the score is J. Under limits it says first whether they hold: weights within all of them
are scored by their utility, others by how far they are outside, below the worst utility there can be. So the
best is the largest utility among those within the limits, else the smallest violation (the order of K. Deb,
*An efficient constraint handling method for genetic algorithms*, 2000).
"""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.objective.safety import Objective
from equipoise.policies.base import Policy
from equipoise.rollout.deals import Split
from equipoise.training.arena import Arena
from equipoise.types import Estimate

__all__ = ["selection_score"]


def selection_score(arena: Arena, policy: Policy) -> float:
    """Return the score of a policy: exact where its table is at hand, else from deals kept for selection.

    The pools are the fixed ones, whoever is met in training. Responders among them answer the policy that is
    scored; the ones in force keep their schedule.
    """
    objective, book, players = arena.exploiters.fresh(policy)
    objective = arena.weighted(objective)
    if book is not None:
        means = book.means(book.tabulate(policy))
        by_stream = {stream: means[stream[1]] for stream in objective.streams}
        terms = objective.terms(by_stream)
        return _score(arena, objective, terms.utility, terms.safety, objective.limited(by_stream))
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
    met = arena.met
    if players:
        met = Opponents({**met.players, **players}, None)
    metrics = audit_game(arena.game, policy, config, opponents=met).metrics
    utility, limited = _value(metrics, "utility"), _limited(objective, metrics)
    assert utility is not None
    return _score(arena, objective, utility, _charge(objective, metrics), limited)


def _score(
    arena: Arena,
    objective: Objective,
    utility: float,
    safety: float,
    limited: Mapping[str, float | None],
) -> float:
    if arena.multipliers is None:
        return safety
    excess = arena.multipliers.excess(limited, objective.scale)
    worst = arena.game.info_record.payoff_bounds[0]
    return objective.scale * (utility if excess <= 0.0 else worst) - excess


def _charge(objective: Objective, metrics: Mapping[str, Estimate | None]) -> float:
    """Return J of an audit, charged for what the run penalises."""
    safety = _value(metrics, "safety")
    assert safety is not None
    e, regret = _value(metrics, "exploitability"), _value(metrics, "regret")
    if objective.penalised == "opponent_advantage" or e is None or regret is None:
        return safety
    return safety + objective.weights.e * objective.scale * (e - regret)


def _limited(objective: Objective, metrics: Mapping[str, Estimate | None]) -> dict[str, float | None]:
    charged = "regret" if objective.penalised == "regret" else "exploitability"
    names = {"e": charged, "c": "collusion", "x": "externality"}
    return {term: _value(metrics, name) for term, name in names.items()}


def _value(metrics: Mapping[str, Estimate | None], name: str) -> float | None:
    found = metrics.get(name)
    return None if found is None else found.value
