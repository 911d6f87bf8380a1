"""Credit estimators, measured against the exact gradient of J.

Tables with random logits play batches as training does (``Arena.collect``); every estimator credits the same
episodes, and the gradients it gives the table are compared with the exact one. The all-actions gradient
branches off these episodes. Several tables are studied as
one long vector of logits: a batch is one step of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.exact.tree import Tree
from equipoise.auditing.opponents import Opponents
from equipoise.auditing.solution import solution_of
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.objective.credit import Estimator
from equipoise.objective.penalties import CONSTANT, ESTIMATORS
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.progress import Reporter, silent
from equipoise.training.agreement import cosine, projection, variance_ratio
from equipoise.training.arena import Arena
from equipoise.training.batch import Batch, SampledStep, sampled_batch
from equipoise.training.branching import branch_off, group_weights
from equipoise.training.config import SepoConfig
from equipoise.training.exact_gradient import Book, exact_batch
from equipoise.training.study_result import CreditRow, CreditStudy
from equipoise.training.table import SoftmaxTable, TabularLearner
from equipoise.types import Estimate

__all__ = ["SMALL", "study_credit"]

Array = NDArray[np.float64]

SMALL: Mapping[str, Mapping[str, Any]] = {
    "kuhn": {"rounds": 1},
    "ipd": {"rounds": 3},
    "split": {"rounds": 2},
    "commons": {"rounds": 2},
}
"""Options that make games small enough to measure much with few episodes."""

SAMPLES: Mapping[str, int] = {"kuhn": 600, "ipd": 300}
TABLES = 2
"""Tables with random logits."""
DEALS, ROLLOUTS, BRANCHES = 4, 8, 8
ALL_ACTIONS, REFERENCE = "all_actions", "per_pool"
LEVEL = 0.95
LARGEST = 1_000
"""Information states a table may have."""
EXPLOIT = ("exploitability",)


@dataclass(frozen=True)
class _Subject:
    """A table, what trains it, and its exact gradients."""

    arena: Arena
    learner: TabularLearner
    gates: dict[str, float]
    exact: Array
    exploit: Array

    def gradient(self, batch: Batch) -> Array:
        """Return the ascent direction of all logits as one vector."""
        rows, ascent, _ = self.learner.gradient(batch)
        found = np.zeros(self.learner.policy.mask.shape)
        np.add.at(found, rows, ascent)
        return found[self.learner.policy.mask]


@dataclass(frozen=True)
class _Count:
    """What gradients took: episodes, and questions to the policy."""

    episodes: int = 0
    questions: int = 0

    def __add__(self, other: _Count) -> _Count:
        return _Count(self.episodes + other.episodes, self.questions + other.questions)


def study_credit(
    game: Game,
    samples: int | None = None,
    seed: int = 0,
    estimators: Mapping[str, Estimator] | None = None,
    reporter: Reporter | None = None,
) -> CreditStudy:
    """Measure credit estimators on independent batches of a game.

    Args:
        game: The game; small enough for the exact gradient.
        samples: Batches (default: 600 in kuhn, 300 elsewhere).
        seed: Seed of the tables' logits, of the deals and of the policies' draws.
        estimators: The estimators by name; variances are relative to ``per_pool``, if it is among them, at
            equally many questions to the policy. Left out, all there are and the all-actions gradient.
        reporter: Shows progress.

    Raises:
        RequestError: The game is too large, or there are too few batches for an interval.
    """
    batches = SAMPLES.get(game.name, 300) if samples is None else samples
    if batches < 2:
        raise RequestError(f"samples = {batches}: an interval needs at least 2 batches")
    subjects = _subjects(game, seed)
    branched = estimators is None
    measured = ESTIMATORS if estimators is None else estimators
    found, counts = _gradients(subjects, batches, measured, branched, reporter or silent())
    exact = np.concatenate([[one.exact, one.exploit] for one in subjects], axis=1)
    rows = []
    for name, (whole, exploit) in found.items():
        count = counts[name]
        # Nothing about a penalty that cancels is sampled: its part of the gradient is 0, not about 0.
        still = name in CONSTANT and not exploit.any()
        rows.append(
            CreditRow(
                game.name,
                name,
                batches,
                cosine(whole, exact[0], LEVEL, count.episodes),
                projection(whole, exact[0], LEVEL, count.episodes),
                _zero(exact[1]) if still else projection(exploit, exact[1], LEVEL, count.episodes),
                _ratio(name, found, counts),
            )
        )
    norms = np.linalg.norm(exact, axis=1)
    return CreditStudy(rows, {game.name: _settings(game, seed, counts, norms.tolist())})


def _ratio(name: str, found: Mapping[str, Array], counts: Mapping[str, _Count]) -> Estimate | None:
    if REFERENCE not in found:
        return None
    own, base = counts[name], counts[REFERENCE]
    cost = own.questions / base.questions
    return variance_ratio(found[name][0], found[REFERENCE][0], LEVEL, own.episodes, cost)


def _zero(exact: Array) -> Estimate | None:
    return Estimate.exact(0.0) if exact.any() else None


def _settings(game: Game, seed: int, counts: Mapping[str, _Count], norms: Sequence[float]) -> dict[str, Any]:
    return {
        "version": game.info_record.version,
        "options": game.options.changed(),
        "seed": seed,
        "tables": TABLES,
        "deals": DEALS,
        "rollouts": ROLLOUTS,
        "branches": BRANCHES,
        "episodes": min(count.episodes for count in counts.values()),
        "questions": {name: count.questions for name, count in counts.items()},
        "gradient_norm": norms[0],
        "exploit_norm": norms[1],
    }


def _gradients(
    subjects: Sequence[_Subject],
    batches: int,
    estimators: Mapping[str, Estimator],
    branched: bool,
    reporter: Reporter,
) -> tuple[dict[str, Array], dict[str, _Count]]:
    """Return (2, B, P) for each estimator, the gradients and their exploit components; and what they took."""
    size = sum(len(one.exact) for one in subjects)
    names = [*estimators, *([ALL_ACTIONS] if branched else [])]
    found = {name: np.zeros((2, batches, size)) for name in names}
    counts = {name: _Count() for name in names}
    with reporter.task(f"credit study {subjects[0].arena.game.name}", batches) as advance:
        for number in range(batches):
            parts = [
                _measure(one, number * len(subjects) + k, estimators, branched)
                for k, one in enumerate(subjects)
            ]
            for name in names:
                found[name][:, number] = np.concatenate([rows[name][0] for rows in parts], axis=1)
                for rows in parts:
                    counts[name] += rows[name][1]
            advance(1)
    return found, counts


def _measure(
    one: _Subject, step: int, estimators: Mapping[str, Estimator], branched: bool
) -> dict[str, tuple[Array, _Count]]:
    """Return for each estimator (2, P) gradients of a step, and what they took."""
    played, groups = one.arena.collect(one.learner.policy, step)
    objective, independent = one.arena.objective, one.arena.game.info_record.independent_rounds
    count = _Count(len(played), sum(len(single.decisions) for single in played))
    found = {}
    for name, assign in estimators.items():
        credits = [assign(groups, objective, one.gates, independent, part) for part in (None, EXPLOIT)]
        batches = [sampled_batch(SampledStep(played, groups, credit, 1.0)) for credit in credits]
        found[name] = (np.array([one.gradient(batch) for batch in batches]), count)
    if branched:
        weights, exploit = (group_weights(groups, objective, one.gates, part) for part in (None, EXPLOIT))
        requests = one.arena.requests(one.learner.policy, step)
        tree = branch_off(requests, played, one.learner.policy, one.arena.config.branches, weights)
        batches = [tree.batch(tree.values(part), 1.0) for part in (weights, exploit)]
        taken = count + _Count(tree.count, tree.asked)
        found[ALL_ACTIONS] = (np.array([one.gradient(batch) for batch in batches]), taken)
    return found


def _subjects(game: Game, seed: int) -> list[_Subject]:
    """Return the tables, with random logits of spread 1."""
    objective = Objective.of(game.info_record, replace(default_pools(game.name), shift=()))
    opponents = Opponents.named(objective.pools, game, None)
    trees = _trees(game, objective, opponents)
    book = Book(trees)
    subjects = []
    for number in range(TABLES):
        learner = TabularLearner(SoftmaxTable.of(game.stage(), trees, seed * TABLES + number))
        config = SepoConfig(
            deals=DEALS, rollouts=ROLLOUTS, branches=BRANCHES, scale="none", gates="exact", seed=seed
        )
        arena = Arena(game, objective, learner.policy, config, opponents)
        table = book.tabulate(learner.policy)
        step = exact_batch(book, table, objective)
        one = _Subject(arena, learner, step.gates, np.zeros(0), np.zeros(0))
        exploit = exact_batch(book, table, objective, EXPLOIT).batch
        subjects.append(replace(one, exact=one.gradient(step.batch), exploit=one.gradient(exploit)))
    return subjects


def _trees(game: Game, objective: Objective, opponents: Opponents) -> tuple[Tree, ...]:
    trees = None
    if opponents.strategies is not None:
        trees = solution_of(game, objective, opponents.strategies).trees
    if trees is None or sum(len(tree.keys) for tree in trees) > LARGEST:
        raise RequestError(
            f"{game.name} with these options has no exact gradient of at most {LARGEST} information states: "
            "take fewer rounds (--option rounds=2) or another game"
        )
    return trees
