"""The production code path from episodes to a gradient, on a table, and the same gradient by enumeration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.exact.optimum import objective_trees
from equipoise.games.base import Game, Weights
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.objective.credit import Estimator, per_pool
from equipoise.objective.groups import Group, group_episodes
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.base import AnyPolicy
from equipoise.policies.registry import load_opponents, strategies_of
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.requests import EpisodeRequest, Played
from equipoise.training.batch import Batch, SampledStep, sampled_batch
from equipoise.training.exact_gradient import Book, ExactStep, exact_batch
from equipoise.training.table import SoftmaxTable, TabularLearner
from equipoise.types import Action
from tests.auditing.oracle import reading, terms

Array = NDArray[np.float64]
WEIGHTS = {"ipd": (2.4, 1.0, 1.8), "kuhn": (1.5, 0.0, 0.0)}


@dataclass(frozen=True)
class Lab:
    """A game, its objective and a table that learns."""

    game: Game
    objective: Objective
    opponents: Mapping[str, AnyPolicy]
    book: Book
    learner: TabularLearner

    @property
    def policy(self) -> SoftmaxTable:
        return self.learner.policy

    def exact(self, objective: Objective | None = None, components: Sequence[str] | None = None) -> ExactStep:
        """Return the exact step at the current logits."""
        table = self.book.tabulate(self.policy)
        return exact_batch(self.book, table, objective or self.objective, components)

    def gradient(self, batch: Batch) -> Array:
        """Return the ascent direction of all logits."""
        rows, ascent, _ = self.learner.gradient(batch)
        found = np.zeros(self.policy.mask.shape)
        np.add.at(found, rows, ascent)
        return found

    def weighted(self, e: float | None = None, c: float | None = None, x: float | None = None) -> Objective:
        """Return the objective with other weights."""
        old = self.objective.weights
        new = Weights(
            old.e if e is None else e,
            old.c if c is None else c,
            old.x if x is None else x,
        )
        return replace(self.objective, weights=new)

    def requests(self, deals: Sequence[Deal], rollouts: int, tag: str = "") -> list[EpisodeRequest]:
        """Return groups for every deal, stream and seat."""
        found = []
        for deal in deals:
            for pool, name in self.objective.streams:
                other = self.opponents[name]
                for seat in (0, 1):
                    players = (self.policy, other) if seat == 0 else (other, self.policy)
                    found += [
                        EpisodeRequest(self.game, deal, pool, name, seat, players, rollout, tag)
                        for rollout in range(rollouts)
                    ]
        return found

    def sampled(
        self,
        played: Sequence[Played],
        gates: Mapping[str, float],
        objective: Objective | None = None,
        components: Sequence[str] | None = None,
        assign: Estimator = per_pool,
    ) -> tuple[list[Group], Array]:
        """Return the groups of played episodes and the gradient their batch gives."""
        groups = group_episodes([one.episode for one in played])
        independent = self.game.info_record.independent_rounds
        credit = assign(groups, objective or self.objective, gates, independent, components)
        return groups, self.gradient(sampled_batch(SampledStep(played, groups, credit, 1.0)))

    def deal(self, seed: int, index: int) -> Deal:
        return Deal(seed, Split.TRAIN, self.game.info_record.key, index)


def lab(name: str, rounds: int, seed: int = 0, spread: float = 0.0, pools: Pools | None = None) -> Lab:
    """Return a lab; ``spread`` 0 starts with uniform logits."""
    game = make_game(name, rounds=rounds)
    objective = Objective.of(game.info_record, replace(pools or default_pools(name), shift=()))
    opponents = load_opponents((n for _, names in objective.pools for n in names), game)
    strategies = strategies_of(opponents, game.stage())
    assert strategies is not None
    book = Book(objective_trees(game.stage(), objective, strategies))
    keys = {key: book.legal[row] for key, row in book.index.items()}
    table = SoftmaxTable(game.stage(), keys, seed, spread)
    return Lab(game, objective, opponents, book, TabularLearner(table))


def hands(one: Lab, seed: int) -> Iterator[list[Deal]]:
    """Yield deals of one-hand Kuhn in sets of six, one for each pair of cards.

    Chance draws every pair equally often, so nothing changes in expectation; it only comes out sooner. What
    the opponents draw has keys of its own and is not looked at.
    """
    waiting: dict[object, list[Deal]] = {}
    index = 0
    while True:
        deal = one.deal(seed, index)
        state: Any = Match(one.game, deal.chance).state
        waiting.setdefault(state.cards, []).append(deal)
        index += 1
        if len(waiting) == 6 and all(waiting.values()):
            yield [found.pop(0) for found in waiting.values()]


def plain(one: Lab, seed: int, count: int) -> Iterator[list[Deal]]:
    """Yield deals in sets."""
    start = 0
    while True:
        yield [one.deal(seed, index) for index in range(start, start + count)]
        start += count


def enumerated(one: Lab, weights: tuple[float, float, float] | None = None) -> tuple[float, Array]:
    """Return J and its gradient in the logits, by walking every line of the game (see ``oracle``).

    The derivative is taken by a complex step (Squire and Trapp, SIAM Review 40, 1998), exact to rounding.
    """
    policy, name = one.policy, one.game.name
    stage = one.game.stage()
    labels = [stage.label(*key) for key in policy.legal]
    legal = list(policy.legal.values())

    def j(logits: NDArray[Any]) -> Any:
        table: dict[str, dict[Action, Any]] = {}
        for label, actions, row in zip(labels, legal, logits, strict=True):
            weight = np.exp(row[: len(actions)])
            table[label] = dict(zip(actions, weight / weight.sum(), strict=True))
        return terms(stage, reading(stage, table), one.objective.pools, weights or WEIGHTS[name])["J"]

    logits = policy.logits.astype(complex)
    gradient = np.zeros(policy.mask.shape)
    for index in np.ndindex(*policy.mask.shape):
        moved = logits.copy()
        moved[index] += 1e-30j
        gradient[index] = np.imag(j(moved)) / 1e-30
    return float(np.real(j(logits))), gradient
