"""Bounds on what a responder can still gain from a position, whatever the others do."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from equipoise.games.base import Game, State, Step
from equipoise.objective.features import Features, features
from equipoise.types import Action, Seat

__all__ = ["Extent", "Extents"]


DEEP, MANY = 150, 20_000
"""Rounds and positions up to which bounds are worked out from the rules; beyond, payoff bounds do."""


class Extent(NamedTuple):
    """The least the responder can make sure of, and the most it can hope for."""

    low: float
    high: float


class Extents:
    """Bounds by position, for one seat and one reward.

    With complete information they follow from the rules: the responder moves for the best, the others for the
    worst (low) or the best (high). Where a seat does not know the position, or the game is too large for
    that, payoff bounds times what is left of the weight of rounds stand in.

    Attributes:
        trusts: Whether bounds rely on the responder knowing the position.
    """

    def __init__(self, game: Game, seat: Seat, reward: Features) -> None:
        """Take the rules, the responder's seat and the (F,) reward a round."""
        self.game, self.seat, self.reward = game, seat, reward
        self._known: dict[State, Extent] = {}
        info = game.info_record
        self.trusts = info.information == "complete" and info.rounds <= DEEP
        lows, highs = info.payoff_bounds
        own, other = float(reward[0]), float(reward[1])
        ends = [own * a + other * b for a, b in product((lows, highs), repeat=2)]
        # A game may end before its last round: then what is left is worth nothing.
        self._round = Extent(min(0.0, *ends), max(0.0, *ends))

    def of(self, state: State) -> Extent:
        """Return the bounds on the weighted sum of rewards from a position on."""
        found = self._known.get(state)
        if found is None:
            found = self._known[state] = self._solve(state) if self.trusts else self._bounds(state)
            if self.trusts and len(self._known) > MANY:
                self.distrust()
        return found

    def distrust(self) -> None:
        """Rely on payoff bounds alone from now on."""
        self.trusts = False
        self._known.clear()

    def _bounds(self, state: State) -> Extent:
        if state.is_over:
            return Extent(0.0, 0.0)
        rounds = range(state.round, self.game.info_record.rounds)
        left = sum(self.game.round_weight(round_) for round_ in rounds)
        return Extent(left * self._round.low, left * self._round.high)

    def _solve(self, state: State) -> Extent:
        if state.is_over:
            return Extent(0.0, 0.0)
        if state.chance is not None:
            draws = [(self._after(state, state.apply_chance(o)), p) for o, p in state.chance_outcomes()]
            return Extent(sum(e.low * p for e, p in draws), sum(e.high * p for e, p in draws))
        movers = state.players_to_move
        others = [seat for seat in movers if seat != self.seat]
        own: tuple[Action | None, ...] = state.legal_actions(self.seat) if self.seat in movers else (None,)
        answers = list(product(*(state.legal_actions(seat) for seat in others)))
        low = high = float("-inf")
        for action in own:
            rows = []
            for answer in answers:
                actions = dict(zip(others, answer, strict=True))
                if action is not None:
                    actions[self.seat] = action
                rows.append(self._after(state, state.apply(actions)))
            low = max(low, min(extent.low for extent in rows))
            high = max(high, max(extent.high for extent in rows))
        return Extent(low, high)

    def _after(self, state: State, step: Step) -> Extent:
        gained = 0.0
        if step.outcome is not None:
            reward = float(features(step.outcome, self.seat) @ self.reward)
            gained = self.game.round_weight(state.round) * reward
        later = self.of(step.state)
        return Extent(gained + later.low, gained + later.high)
