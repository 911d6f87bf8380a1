"""Audits one policy in one game: exactly where that is asked for or cheap, by sampling otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.auditing.behaviour import LIMIT, Placed, behaviour
from equipoise.auditing.exact.compile import TooLargeError
from equipoise.auditing.exact.product import expected_features
from equipoise.auditing.exact.reply import WorstCase, worst_case
from equipoise.auditing.metrics import METRICS, Measure
from equipoise.auditing.opponents import Opponents
from equipoise.auditing.panel import Panel
from equipoise.auditing.result import GameResult
from equipoise.auditing.sampled import opponent_estimates, sampled_bounds, sampled_measures
from equipoise.auditing.solution import Solution, solution_of
from equipoise.auditing.store import AuditStore
from equipoise.auditing.tally import action_rates, exact_rates
from equipoise.errors import RequestError
from equipoise.games.base import Game, GameInfo, Weights
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
from equipoise.progress import Reporter, silent
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule
from equipoise.types import Episode, Estimate

__all__ = ["AuditConfig", "audit_game"]


ASKED, UNASKED = 20_000_000, 100_000
"""Steps that an exact value against one opponent may take, where exact values are asked for and where not."""

CHEAP = 30_000
"""Information states that a responder may have for its best reply to be computed unasked."""


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

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            RequestError: A value is out of range.
        """
        if self.episodes < 1:
            raise RequestError(f"episodes = {self.episodes}: play at least 1 deal per opponent")
        if not 0.0 < self.level < 1.0:
            raise RequestError(f"level = {self.level}: choose a confidence level between 0 and 1")


def audit_game(
    game: Game,
    policy: AnyPolicy,
    config: AuditConfig | None = None,
    reporter: Reporter | None = None,
    name: str | None = None,
    opponents: Opponents | None = None,
) -> GameResult:
    """Return what a policy does in a game.

    Args:
        game: The game.
        policy: The policy.
        config: How to audit.
        reporter: Shows progress.
        name: Name of the policy in the result (default: its own).
        opponents: The opponents of the pools (and others), where they are loaded already.

    Raises:
        RequestError: An opponent does not exist, or exact values were asked for and cannot be had.
    """
    config = config or AuditConfig()
    info = game.info_record
    pools = config.pools or default_pools(game.name)
    objective = Objective.of(info, pools, config.weights)
    met = (opponents or Opponents.named(pools, game, config.exact)).among(pools)
    strategies = met.strategies
    placed = behaviour(policy, game, config.exact) if strategies is not None else None
    solution = None if strategies is None else solution_of(game, objective, strategies)
    audit = _Audit(game, info, objective, config, solution, name or policy.name)
    if placed is not None and strategies is not None:
        try:
            return audit.exact(placed, strategies, policy)
        except TooLargeError:
            if config.exact:
                raise RequestError(f"{game.name} is too large for exact values: leave out --exact") from None
    return audit.sample(policy, met, reporter or silent())


@dataclass(frozen=True)
class _Audit:
    game: Game
    info: GameInfo
    objective: Objective
    config: AuditConfig
    solution: Solution | None
    name: str

    def exact(
        self, placed: Sequence[Placed], strategies: Mapping[str, Strategy], policy: AnyPolicy
    ) -> GameResult:
        stage = self.game.stage()
        limit = ASKED if self.config.exact else UNASKED
        means = {
            name: np.mean([expected_features(stage, p.strategy, s, p.seat, limit) for p in placed], axis=0)
            for name, s in strategies.items()
        }
        measures = {k: None if v is None else Measure.exact(v) for k, v in self._values(means).items()}
        worst = _worst(stage, placed, LIMIT if self.config.exact else CHEAP)
        if worst is not None:
            measures["best_response"] = Measure.exact(worst.best_response)
            measures["security"] = Measure.exact(worst.security)
        rows = {name: self._exact_row(row) for name, row in means.items()}
        result = self._result(measures, {}, rows, {"method": "exact", "episodes": 0}, policy)
        return _with(result, behaviour=exact_rates(stage, placed))

    def sample(self, policy: AnyPolicy, opponents: Opponents, reporter: Reporter) -> GameResult:
        episodes = self._play(policy, opponents, reporter)
        panel = Panel.of(episodes)
        level = self.config.level
        replies = None if self.solution is None else self.solution.replies
        measures = sampled_measures(panel, self.objective, self.info, level, replies)
        if isinstance(policy, Policy) and policy.always_legal:
            measures["invalid_rate"] = Measure.exact(0.0)
        one_sided = sampled_bounds(panel, self.info, level)
        rows = {name: opponent_estimates(panel, name, self.info, level) for name in opponents.players}
        settings = {
            "method": "sample",
            "episodes": self.config.episodes,
            "seed": self.config.seed,
            "split": self.config.split.value,
            "covers": "evaluation noise of this one policy",
        }
        result = self._result(measures, one_sided, rows, settings, policy)
        return _with(result, behaviour=action_rates(episodes, level))

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

    def _play(self, policy: AnyPolicy, met: Opponents, reporter: Reporter) -> list[Episode]:
        config, opponents = self.config, met.players
        store = None
        if config.out is not None:
            store = AuditStore(config.out, self._request(policy, met.fingerprints))
            store.load_table(policy, opponents)
        blocks = [
            range(start, min(start + config.chunk, config.episodes))
            for start in range(0, config.episodes, config.chunk)
        ]
        done = 0 if store is None else store.chunks
        episodes = [] if store is None else store.read()
        total = config.episodes * len(opponents) * self.info.seats
        with reporter.task(f"audit {self.info.id}: {self.name}", total) as advance:
            advance(len(episodes))
            for block in blocks[done:]:
                played = play(self._requests(block, policy, opponents), config.rule, advance)
                fresh = [one.episode for one in played]
                if store is not None:
                    store.finish_chunk(fresh, policy, opponents)
                episodes += fresh
        return episodes

    def _requests(
        self, block: range, policy: AnyPolicy, opponents: Mapping[str, AnyPolicy]
    ) -> list[EpisodeRequest]:
        config = self.config
        pools = {name: pool for pool, names in reversed(list(self.objective.pools)) for name in names}
        return [
            EpisodeRequest(
                game=self.game,
                deal=Deal(config.seed, config.split, self.info.key, index),
                pool=pools[name],
                opponent=name,
                seat=seat,
                players=(policy, opponent) if seat == 0 else (opponent, policy),
            )
            for index in block
            for name, opponent in opponents.items()
            for seat in range(self.info.seats)
        ]

    def _request(self, policy: AnyPolicy, opponents: Mapping[str, str]) -> dict[str, Any]:
        config = self.config
        return {
            "game": self.info.key,
            "options": self.game.options.changed(),
            "policy": policy.name,
            "fingerprint": policy.fingerprint,
            "pools": {pool: list(names) for pool, names in self.objective.pools},
            "episodes": config.episodes,
            "seed": config.seed,
            "split": config.split.value,
            "chunk": config.chunk,
            "invalid": [config.rule.retries, config.rule.then, config.rule.fallback],
            **({"opponents": dict(opponents)} if opponents else {}),
        }

    def _result(
        self,
        measures: dict[str, Measure | None],
        one_sided: Mapping[str, Estimate],
        rows: Mapping[str, Mapping[str, Estimate | None]],
        settings: dict[str, Any],
        policy: AnyPolicy,
    ) -> GameResult:
        best = None if self.solution is None else self.solution.optimum
        level = self.config.level
        metrics: dict[str, Estimate | None] = {}
        for key in (*METRICS, *self.info.diagnostics):
            measure = measures.get(key)
            metrics[key] = one_sided.get(key) if measure is None else measure.estimate(level)
        metrics["optimum"] = None if best is None else Estimate.exact(best.value)
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
                "fingerprint": policy.fingerprint,
                "equipoise": version("equipoise"),
            },
            measures=measures,
        )


def _worst(stage: Game, placed: Sequence[Placed], limit: int) -> WorstCase | None:
    """Return the worst case averaged over placements, or None where the game is too large for it."""
    if stage.info_record.solution != "exact":
        return None
    try:
        return worst_case(stage, placed, limit)
    except TooLargeError:
        return None


def _with(result: GameResult, **changes: Any) -> GameResult:
    from dataclasses import replace

    return replace(result, **changes)
