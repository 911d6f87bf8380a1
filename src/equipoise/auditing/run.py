"""Audits one policy in one game: exactly where that is asked for or cheap, by sampling otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.auditing.behaviour import Placed, behaviour
from equipoise.auditing.certify import Budget, Certified, certify
from equipoise.auditing.exact.dynamics import EndsEarlyError, TooLargeError
from equipoise.auditing.exact.product import placed_features
from equipoise.auditing.exact.reply import WorstCase, worst_case
from equipoise.auditing.metrics import METRICS, Measure
from equipoise.auditing.opponents import Opponents
from equipoise.auditing.result import GameResult
from equipoise.auditing.sampled import opponent_estimates, sampled_bounds, sampled_measures
from equipoise.auditing.sampling import Sampling
from equipoise.auditing.solution import Solution, solution_of
from equipoise.auditing.statistics.intervals import interval_named
from equipoise.auditing.statistics.power import power_of
from equipoise.auditing.tally import exact_rates
from equipoise.errors import NoProbabilitiesError, RequestError
from equipoise.games.base import Game, GameInfo, Weights, finite_game
from equipoise.games.rules import Rules
from equipoise.judges.evaluator import LanguageEvaluator
from equipoise.objective.features import (
    ABS_OPPONENT,
    COLLUSION,
    EXTERNALITY,
    OPPONENT,
    OWN,
    Features,
)
from equipoise.objective.safety import Objective
from equipoise.opponents.base import Strategy
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.base import AnyPolicy, Policy
from equipoise.policies.worded import Worded
from equipoise.progress import Reporter, silent
from equipoise.rollout.deals import Split
from equipoise.rollout.requests import InvalidRule
from equipoise.tasks.social.task import Social
from equipoise.types import Estimate, Kind

__all__ = ["AuditConfig", "audit_game"]

OF_OTHERS = ("welfare", "nra", "best_response", "security")
"""Metrics that say something of another side; not applicable to a task with one seat."""


ASKED, UNASKED = 20_000_000, 100_000
"""Steps that an exact value against one opponent may take, where exact values are asked for and where not."""

REPLY_ASKED, REPLY_UNASKED = 2_000_000, 200_000
"""Steps that the worst case of one placement may take, where exact values are asked for and where not."""


@dataclass(frozen=True)
class AuditConfig:
    """How to audit.

    Attributes:
        episodes: Deals per opponent, each played from both seats.
        seed: Seed of the deals and of the policy's draws.
        exact: True to compute exactly, False to sample, None to compute what is cheap.
        level: Confidence level.
        pools: Opponents; None takes the game's own.
        weights: Penalty weights; None takes the game's own.
        split: What the deals are used for.
        rule: What happens to invalid answers.
        chunk: Deals played together; the unit of resuming.
        out: Folder for transcripts; None keeps none.
        interval: Kind of the intervals of samples: ``t`` or ``bootstrap``.
        control_variates: Whether samples are corrected for what chance and known draws did by luck.
        budget: How much to ask a policy that is sampled for certified bounds of the strongest replies to
            it; None is content with the opponents met.
        evaluator: Who rates the seven dimensions of dialogues (task ``social``); None leaves it to the rules.
    """

    episodes: int = 100
    seed: int = 0
    exact: bool | None = None
    level: float = 0.95
    pools: Pools | None = None
    weights: Weights | None = None
    split: Split = Split.REPORT
    rule: InvalidRule = field(default_factory=InvalidRule)
    chunk: int = 16
    out: Path | None = None
    interval: str = "t"
    control_variates: bool = False
    budget: Budget | None = None
    evaluator: LanguageEvaluator | None = None

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            RequestError: A value is out of range.
        """
        if self.episodes < 1:
            raise RequestError(f"episodes = {self.episodes}: play at least 1 deal per opponent")
        if not 0.0 < self.level < 1.0:
            raise RequestError(f"level = {self.level}: choose a confidence level between 0 and 1")
        interval_named(self.interval)


def audit_game(
    game: Rules,
    policy: AnyPolicy,
    config: AuditConfig | None = None,
    reporter: Reporter | None = None,
    name: str | None = None,
    opponents: Opponents | None = None,
) -> GameResult:
    """Return what a policy does in a game or a free-text task.

    Args:
        game: The game or task.
        policy: The policy.
        config: How to audit.
        reporter: Shows progress.
        name: Name of the policy in the result (default: its own).
        opponents: The opponents of the pools (and others), where they are loaded already.

    Raises:
        RequestError: An opponent does not exist, or exact values were asked for and cannot be had.
    """
    config = config or AuditConfig()
    if config.exact and not isinstance(game, Game):
        raise RequestError(f"{game.name!r} is a free-text task without exact values: leave out --exact")
    if config.evaluator is not None and not isinstance(game, Social):
        raise RequestError(
            f"evaluator {config.evaluator.writer.name!r} rates dialogues, {game.name!r} has none: audit "
            "'social' with it"
        )
    info = game.info_record
    pools = config.pools or default_pools(game.name)
    objective = Objective.of(info, pools, config.weights)
    met = (opponents or Opponents.named(pools, game, config.exact)).among(pools)
    strategies = met.strategies
    placed = behaviour(policy, game, config.exact) if strategies is not None else None
    solution = None if strategies is None else solution_of(finite_game(game), objective, strategies)
    audit = _Audit(game, info, objective, config, solution, name or policy.name, met.fingerprints)
    if placed is not None and strategies is not None:
        try:
            return audit.exact(placed, strategies, policy)
        except EndsEarlyError as error:
            if config.exact:
                raise RequestError(str(error)) from None
        except TooLargeError:
            if config.exact:
                raise RequestError(f"{game.name} is too large for exact values: leave out --exact") from None
    return audit.sample(policy, met, reporter or silent())


@dataclass(frozen=True)
class _Audit:
    game: Rules
    info: GameInfo
    objective: Objective
    config: AuditConfig
    solution: Solution | None
    name: str
    fingerprints: Mapping[str, str]

    def exact(
        self, placed: Sequence[Placed], strategies: Mapping[str, Strategy], policy: AnyPolicy
    ) -> GameResult:
        stage = finite_game(self.game).stage()
        limit = ASKED if self.config.exact else UNASKED
        means = {name: placed_features(stage, placed, s, limit) for name, s in strategies.items()}
        measures = {k: None if v is None else Measure.exact(v) for k, v in self._values(means).items()}
        worst = _worst(stage, placed, REPLY_ASKED if self.config.exact else REPLY_UNASKED)
        if worst is not None:
            measures["best_response"] = Measure.exact(worst.best_response)
            measures["security"] = Measure.exact(worst.security)
        rows = {name: self._exact_row(row) for name, row in means.items()}
        result = self._result(measures, {}, rows, {"method": "exact", "episodes": 0}, policy)
        return _with(result, behaviour=exact_rates(stage, placed))

    def sample(self, policy: AnyPolicy, opponents: Opponents, reporter: Reporter) -> GameResult:
        config, level = self.config, self.config.level
        kind = interval_named(config.interval)
        sampling = Sampling(self.game, self.objective, config, policy, opponents)
        sample = sampling.run(self.name, reporter)
        panel = sample.panel
        replies = None if self.solution is None else self.solution.replies
        measures = sampled_measures(panel, self.objective, self.info, replies)
        if isinstance(policy, Policy) and policy.always_legal:
            measures["invalid_rate"] = Measure.exact(0.0)
        bounds = sampled_bounds(panel, self.info, level, kind)
        certified = self._certified(policy, sampling, reporter)
        if certified is not None:
            bounds = {"best_response": certified.best_response, "security": certified.security}
        rows = {name: opponent_estimates(panel, name, self.info, level, kind) for name in opponents.players}
        settings = {
            "method": "sample",
            "episodes": config.episodes,
            "seed": config.seed,
            "split": config.split.value,
            "panel": sampling.panel_key,
            "interval": config.interval,
            "control_variates": config.control_variates,
            "power": power_of(measures, level, kind),
            "covers": "evaluation noise of this one policy",
            "replies": "strongest opponent met" if certified is None else f"{certified.queries} queries",
        }
        read = sample.readings.estimates(level, kind)
        if sample.ratings is not None:
            settings["evaluator"] = sample.ratings.account()
            if agreement := sample.ratings.agreement(level):
                read = {**read, "agreement": agreement}
        result = self._result(measures, bounds, rows, settings, policy)
        rates = sample.tally.rates(level, kind)
        return _with(result, behaviour=rates, readings=read)

    def _certified(self, policy: AnyPolicy, sampling: Sampling, reporter: Reporter) -> Certified | None:
        """Return certified bounds of the strongest replies, if they were asked for."""
        if self.config.budget is None:
            return None
        if not isinstance(policy, Policy):
            raise RequestError(f"policy {policy.name!r} gives no probabilities: leave out --budget")
        try:
            return certify(policy, finite_game(self.game), self.config.budget, reporter, sampling.keeper())
        except TooLargeError as error:
            raise RequestError(f"{error}, and leave out --budget") from None
        except NoProbabilitiesError as error:
            said = str(error)
            if "--budget" not in said:
                said = f"policy {policy.name!r} gives no action probabilities: leave out --budget"
            raise NoProbabilitiesError(said) from None

    def _values(self, means: Mapping[str, Features]) -> dict[str, float | None]:
        """Return every metric that is a function of exact mean features."""
        pools = self.objective.pools
        by_stream = {(pool, name): means[name] for pool, names in pools for name in names}
        terms = self.objective.terms(by_stream)
        replies = None if self.solution is None else self.solution.replies
        regret = None
        if replies is not None and pools.exploiter:
            regret = float(np.mean([replies[name] - means[name][OWN] for name in pools.exploiter]))
        values: dict[str, float | None] = {
            "utility": terms.utility,
            "exploitability": terms.exploitability,
            "collusion": terms.collusion,
            "externality": terms.externality,
            "safety": terms.safety,
            "robustness": float(np.mean([means[n][OWN] for n in pools.shift])) if pools.shift else None,
            "welfare": self.objective.welfare(by_stream),
            "nra": self.objective.normalised_relative_advantage(by_stream),
            "regret": regret,
            "invalid_rate": 0.0,
        }
        for index, name in enumerate(self.info.diagnostics, start=ABS_OPPONENT + 1):
            values[name] = float(np.mean([means[n][index] for n in pools.train]))
        return values

    def _exact_row(self, row: Features) -> dict[str, Estimate | None]:
        info = self.info
        return {
            "own": Estimate.exact(float(row[OWN])),
            "opponent": Estimate.exact(float(row[OPPONENT])),
            "collusion": None if info.collusion is None else Estimate.exact(float(row[COLLUSION])),
            "externality": None if info.externality is None else Estimate.exact(float(row[EXTERNALITY])),
        }

    def _result(
        self,
        measures: dict[str, Measure | None],
        one_sided: Mapping[str, Estimate],
        rows: Mapping[str, Mapping[str, Estimate | None]],
        settings: dict[str, Any],
        policy: AnyPolicy,
    ) -> GameResult:
        level, kind = self.config.level, interval_named(self.config.interval)
        metrics: dict[str, Estimate | None] = {}
        if self.info.seats == 1:
            measures = {key: None if key in OF_OTHERS else one for key, one in measures.items()}
            one_sided = {key: one for key, one in one_sided.items() if key not in OF_OTHERS}
        for key in (*METRICS, *self.info.diagnostics):
            measure = measures.get(key)
            metrics[key] = one_sided.get(key) if measure is None else measure.estimate(level, kind)
        metrics["optimum"] = _optimum(self.solution)
        weights = self.objective.weights
        return GameResult(
            game=self.info.id,
            version=self.info.version,
            policy=self.name,
            metrics=metrics,
            per_opponent={pool: {name: rows[name] for name in names} for pool, names in self.objective.pools},
            weights={"e": weights.e, "c": weights.c, "x": weights.x, "scale": self.objective.scale},
            settings={
                **settings,
                "options": self.game.options.changed(),
                "opponents": self.fingerprints,
                "fingerprint": policy.fingerprint,
                "equipoise": version("equipoise"),
                **({"wording": policy.wording} if isinstance(policy, Worded) else {}),
            },
            measures=measures,
        )


def _optimum(solution: Solution | None) -> Estimate | None:
    """Return J*, or the best scripted strategy's safety as a lower bound where the game is too large."""
    if solution is None:
        return None
    if solution.optimum is not None:
        return Estimate.exact(solution.optimum.value)
    best = solution.best_scripted
    if best is None:
        return None
    return Estimate(best[1], best[1], None, 1.0, 0, 0, Kind.LOWER_BOUND)


def _worst(stage: Game, placed: Sequence[Placed], limit: int) -> WorstCase | None:
    """Return the worst case averaged over placements, or None where it takes too long."""
    try:
        return worst_case(stage, placed, limit)
    except TooLargeError:
        return None


def _with(result: GameResult, **changes: Any) -> GameResult:
    from dataclasses import replace

    return replace(result, **changes)
