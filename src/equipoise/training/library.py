"""Which of a game's scripted strategies gains most on the current policy.

The candidates are all scripted strategies of the game but those of the shift pool, which is held out of every
training signal. Where their tables are small enough for the policy their leads are exact; elsewhere all of
them are estimated on the same deals, from both seats, whose indices no gradient and no score ever uses.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from equipoise.auditing.behaviour import LIMIT
from equipoise.auditing.exact.compile import TooLargeError, compile_tree
from equipoise.auditing.exact.tree import Tree
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.objective.features import OPPONENT, OWN, features
from equipoise.objective.safety import gap
from equipoise.opponents.base import Strategy
from equipoise.opponents.registry import strategies
from equipoise.policies.base import Policy
from equipoise.policies.heldout import held_out
from equipoise.policies.scripted import StrategyPolicy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule
from equipoise.training.exact_gradient import Book
from equipoise.training.responders import LIBRARY, Responder
from equipoise.types import Episode

__all__ = ["FIRST_DEAL", "Library"]

FIRST_DEAL = 2**32
"""Deals from this index on are the library's; those of gradients and scores are counted from 0."""


class Library:
    """The scripted strategies that a policy may be trained against.

    Attributes:
        candidates: The strategies by name.
        trees: Their tables, one a seat with all candidates; None where leads are estimated.
    """

    def __init__(
        self,
        game: Game,
        shift: Collection[str],
        states: int,
        deals: int,
        seed: int,
        rule: InvalidRule | None = None,
    ) -> None:
        """Collect the candidates, and compile their tables where that is cheap.

        Args:
            game: The game.
            shift: Names of the opponents that are held out.
            states: How many information states the policy may be asked for at once; 0 for estimates.
            deals: Deals of an estimate, each played from every seat.
            seed: Seed of the deals.
            rule: What happens to invalid answers.

        Raises:
            RequestError: There is no candidate.
        """
        self.game, self._deals, self._seed, self._rule = game, deals, seed, rule
        held = held_out(shift)
        self.candidates = {name: s for name, s in strategies(game.name).items() if name not in held}
        if not self.candidates:
            raise RequestError(
                f"exploiters: {game.name} has no scripted strategy outside its shift pool, use 'pool'"
            )
        self._players = {name: StrategyPolicy(one) for name, one in self.candidates.items()}
        self.trees = _compiled(game, self.candidates, states)
        self._book = None if self.trees is None else Book(self.trees)

    def strongest(self, policy: Policy, split: Split, number: int) -> Responder:
        """Return the candidate with the largest mean lead over the policy; the first of equals.

        Args:
            policy: The policy.
            split: Split of the deals, where leads are estimated.
            number: Which set of deals it is, e.g. the training step.
        """
        leads = self.leads(policy, split, number)
        return self.responder(max(leads, key=leads.__getitem__), number)

    def leads(self, policy: Policy, split: Split, number: int) -> dict[str, float]:
        """Return every candidate's mean payoff per round minus the policy's (see :meth:`strongest`)."""
        if self._book is not None:
            means = self._book.means(self._book.tabulate(policy))
            return {name: gap(means[name]) for name in self.candidates}
        found: dict[str, list[float]] = {name: [] for name in self.candidates}
        for one in play(self._requests(policy, split, number), self._rule):
            found[one.episode.opponent].append(_lead(one.episode))
        return {name: float(np.mean(rows)) for name, rows in found.items()}

    def responder(self, name: str, step: int) -> Responder:
        """Return a candidate as the responder of a step."""
        strategy: Strategy = self.candidates[name]
        return Responder(LIBRARY, strategy, step, name, tuple(_only(tree, name) for tree in self.trees or ()))

    def _requests(self, policy: Policy, split: Split, number: int) -> list[EpisodeRequest]:
        seats, key = self.game.info_record.seats, self.game.info_record.key
        return [
            EpisodeRequest(
                self.game,
                Deal(self._seed, split, key, FIRST_DEAL + number * self._deals + deal),
                "exploiter",
                name,
                seat,
                (policy, other) if seat == 0 else (other, policy),
                tag=LIBRARY,
            )
            for deal in range(self._deals)
            for name, other in self._players.items()
            for seat in range(seats)
        ]


def _lead(episode: Episode) -> float:
    rows = [features(outcome, episode.seat) for outcome in episode.rounds]
    return float(np.mean([row[OPPONENT] - row[OWN] for row in rows]))


def _compiled(game: Game, candidates: dict[str, Strategy], states: int) -> tuple[Tree, ...] | None:
    if not states:
        return None
    stage = game.stage()
    seats = (0,) if stage.info_record.symmetric else range(stage.info_record.seats)
    try:
        trees = tuple(compile_tree(stage, candidates, seat, min(states, LIMIT)) for seat in seats)
    except TooLargeError:
        return None
    return trees if sum(len(tree.keys) for tree in trees) <= states else None


def _only(tree: Tree, name: str) -> Tree:
    """Return the tables with one opponent, under the name of the responder."""
    column = [tree.opponents.index(name)]
    return replace(tree, opponents=(LIBRARY,), payoff=tree.payoff[:, column], reach=tree.reach[:, column])
