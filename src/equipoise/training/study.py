"""Credit estimators, measured against the exact gradient of J.

Tables with random logits play batches as training does (``Arena.collect``); every estimator credits the same
episodes, and the gradients it gives the table are compared with the exact one. Several tables are studied as
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
DEALS, ROLLOUTS = 4, 8
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


def study_credit(
    game: Game,
    samples: int | None = None,
    seed: int = 0,
    estimators: Mapping[str, Estimator] = ESTIMATORS,
    reporter: Reporter | None = None,
) -> CreditStudy:
    """Measure credit estimators on independent batches of a game.

    Args:
        game: The game; small enough for the exact gradient.
        samples: Batches (default: 600 in kuhn, 300 elsewhere).
        seed: Seed of the tables' logits, of the deals and of the policies' draws.
        estimators: The estimators by name; variances are relative to ``per_pool``, if it is among them.
        reporter: Shows progress.

    Raises:
        RequestError: The game is too large, or there are too few batches for an interval.
    """
    batches = SAMPLES.get(game.name, 300) if samples is None else samples
    if batches < 2:
        raise RequestError(f"samples = {batches}: an interval needs at least 2 batches")
    subjects = _subjects(game, seed)
    found, episodes = _gradients(subjects, batches, estimators, reporter or silent())
    exact = np.concatenate([[one.exact, one.exploit] for one in subjects], axis=1)
    reference = found["per_pool"][0] if "per_pool" in found else None
    rows = []
    for name, (whole, exploit) in found.items():
        # Nothing about a penalty that cancels is sampled: its part of the gradient is 0, not about 0.
        still = name in CONSTANT and not exploit.any()
        rows.append(
            CreditRow(
                game.name,
                name,
                batches,
                cosine(whole, exact[0], LEVEL, episodes),
                projection(whole, exact[0], LEVEL, episodes),
                _zero(exact[1]) if still else projection(exploit, exact[1], LEVEL, episodes),
                None if reference is None else variance_ratio(whole, reference, LEVEL, episodes),
            )
        )
    norms = np.linalg.norm(exact, axis=1)
    return CreditStudy(rows, {game.name: _settings(game, seed, episodes, norms.tolist())})


def _zero(exact: Array) -> Estimate | None:
    return Estimate.exact(0.0) if exact.any() else None


def _settings(game: Game, seed: int, episodes: int, norms: Sequence[float]) -> dict[str, Any]:
    return {
        "version": game.info_record.version,
        "options": game.options.changed(),
        "seed": seed,
        "tables": TABLES,
        "deals": DEALS,
        "rollouts": ROLLOUTS,
        "episodes": episodes,
        "gradient_norm": norms[0],
        "exploit_norm": norms[1],
    }


def _gradients(
    subjects: Sequence[_Subject], batches: int, estimators: Mapping[str, Estimator], reporter: Reporter
) -> tuple[dict[str, Array], int]:
    """Return (2, B, P) for each estimator, the gradients and their exploit components; and the episodes."""
    size = sum(len(one.exact) for one in subjects)
    found = {name: np.zeros((2, batches, size)) for name in estimators}
    episodes = 0
    with reporter.task(f"credit study {subjects[0].arena.game.name}", batches) as advance:
        for number in range(batches):
            parts = [_measure(one, number * len(subjects) + k, estimators) for k, one in enumerate(subjects)]
            episodes += sum(count for count, _ in parts)
            for name in estimators:
                found[name][:, number] = np.concatenate([rows[name] for _, rows in parts], axis=1)
            advance(1)
    return found, episodes


def _measure(one: _Subject, step: int, estimators: Mapping[str, Estimator]) -> tuple[int, dict[str, Array]]:
    """Return how many episodes a step plays, and (2, P) for each estimator."""
    played, groups = one.arena.collect(one.learner.policy, step)
    independent = one.arena.game.info_record.independent_rounds
    found = {}
    for name, assign in estimators.items():
        credits = [
            assign(groups, one.arena.objective, one.gates, independent, part) for part in (None, EXPLOIT)
        ]
        found[name] = np.array(
            [one.gradient(sampled_batch(SampledStep(played, groups, c, 1.0))) for c in credits]
        )
    return len(played), found


def _subjects(game: Game, seed: int) -> list[_Subject]:
    """Return the tables, with random logits of spread 1."""
    objective = Objective.of(game.info_record, replace(default_pools(game.name), shift=()))
    opponents = Opponents.named(objective.pools, game, None)
    trees = _trees(game, objective, opponents)
    book = Book(trees)
    subjects = []
    for number in range(TABLES):
        learner = TabularLearner(SoftmaxTable.of(game.stage(), trees, seed * TABLES + number))
        config = SepoConfig(deals=DEALS, rollouts=ROLLOUTS, scale="none", gates="exact", seed=seed)
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
