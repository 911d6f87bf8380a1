"""Certified intervals of what the strongest opponents do to a policy that is asked, within a budget.

Sampling meets only the opponents of the pools; here the policy's own probabilities bound what *any* opponent
could reach, on the part of the tree that the budget allows to look at.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from equipoise.auditing.exact.extent import Extent
from equipoise.auditing.exact.search import ReplySearch, Wanted
from equipoise.auditing.exact.tree import InformationKey
from equipoise.errors import NoProbabilitiesError, RequestError
from equipoise.games.base import Game
from equipoise.objective.features import OPPONENT, OWN, feature_count
from equipoise.policies.base import Policy
from equipoise.progress import Reporter, silent
from equipoise.rollout.deals import DecisionDraws
from equipoise.types import Decision, Estimate, Kind, Probabilities, Seat

__all__ = ["Budget", "Certified", "certify"]

BATCH = 32
"""Questions asked at a time: enough to fill a batch, few enough that the next ones know the answers."""

KEEP = 16
"""Batches after which the policy's table is put on disk."""

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Budget:
    """How much to ask a policy for certified intervals; whichever ends first.

    Attributes:
        queries: Largest number of information states to ask at; None sets no limit.
        seconds: Largest time; None sets no limit.
    """

    queries: int | None = None
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str | int) -> Budget:
        """Read ``5000`` (queries) or ``90s``, ``10m``, ``1h`` (time).

        Raises:
            RequestError: It is neither.
        """
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", str(text).strip())
        if found is None or float(found[1]) <= 0.0 or (not found[2] and "." in found[1]):
            raise RequestError(
                f"budget = {str(text)!r}: give a number of queries (5000) or a time (90s, 10m, 1h)"
            )
        if found[2]:
            return cls(seconds=float(found[1]) * _UNITS[found[2]])
        return cls(queries=int(found[1]))

    def __str__(self) -> str:
        """Return it as :meth:`parse` reads it."""
        return f"{self.seconds:g}s" if self.seconds is not None else str(self.queries)


class Certified(NamedTuple):
    """The intervals, and at how many information states the policy was asked for them."""

    best_response: Estimate
    security: Estimate
    queries: int


def certify(
    policy: Policy,
    game: Game,
    budget: Budget,
    reporter: Reporter | None = None,
    keep: Callable[[], None] | None = None,
) -> Certified:
    """Return certified intervals of best_response and security.

    Args:
        policy: A policy that gives probabilities.
        game: The game (its stage game is searched where rounds are independent).
        budget: How much to ask; two thirds of it go to best_response first.
        reporter: Shows the interval as it shrinks.
        keep: Called now and then, and at the end, to put the policy's table on disk.

    Raises:
        NoProbabilitiesError: The policy gives none.
    """
    clock = _Clock(budget)
    asker = _Asker(policy, game.stage(), keep)
    info = game.info_record
    reporter = reporter or silent()
    best = _mean(game, asker, OWN, 1.0, clock.part(2.0 / 3.0, asker), reporter)
    worst = _mean(game, asker, OPPONENT, -1.0, clock.part(1.0, asker), reporter)
    if asker.acts_on_seat and info.independent_rounds and info.rounds % info.seats:
        raise NoProbabilitiesError(
            f"policy {policy.name!r} acts on its seat, and {info.rounds} rounds do not give the seats equal "
            "positions: play an even number of rounds, or leave out --budget"
        )
    if keep is not None:
        keep()
    # What the policy keeps at least is minus the most a responder can take from it.
    return Certified(_estimate(best), _estimate(Extent(0.0 - worst.high, 0.0 - worst.low)), asker.queries)


class _Clock:
    """Says when a part of the budget is used up."""

    def __init__(self, budget: Budget) -> None:
        self.budget, self.started = budget, time.monotonic()

    def part(self, share: float, asker: _Asker) -> Callable[[], int]:
        """Return a function that gives how many more questions this part of the budget allows."""
        queries, seconds = self.budget.queries, self.budget.seconds

        def left() -> int:
            if seconds is not None and time.monotonic() - self.started >= share * seconds:
                return 0
            return BATCH if queries is None else min(BATCH, int(share * queries) - asker.queries)

        return left


class _Asker:
    """Asks the policy, at both seats at once, and keeps what it said."""

    def __init__(self, policy: Policy, stage: Game, keep: Callable[[], None] | None) -> None:
        self.policy, self.stage, self._keep = policy, stage, keep
        self.seats: tuple[Seat, ...] = tuple(range(stage.info_record.seats))
        self.tables: dict[Seat, dict[InformationKey, Probabilities]] = {seat: {} for seat in self.seats}
        self.queries = self._batches = 0
        self.acts_on_seat = False

    def ask(self, wanted: list[Wanted]) -> None:
        """Ask at information states, as seen from every seat."""
        asked = [self._decision(one, seat) for seat in self.seats for one in wanted]
        rows = self.policy.probabilities(asked)
        if self.policy.strict and rows != self.policy.probabilities(asked):
            raise NoProbabilitiesError(
                f"policy {self.policy.name!r} answers differently when asked twice: return a mapping of "
                "probabilities instead of drawing by yourself, or leave out --budget"
            )
        for seat in self.seats:
            here = rows[seat * len(wanted) : (seat + 1) * len(wanted)]
            self.tables[seat].update(zip((one.key for one in wanted), here, strict=True))
            self.acts_on_seat = self.acts_on_seat or here != rows[: len(wanted)]
        self.queries += len(wanted)
        self._batches += 1
        if self._keep is not None and self._batches % KEEP == 0:
            self._keep()

    def _decision(self, wanted: Wanted, seat: Seat) -> Decision:
        observation, history = wanted.key
        return Decision(
            rules=self.stage,
            episode="certify",
            seat=seat,
            round=wanted.round,
            step=wanted.step,
            index=wanted.step if self.stage.info_record.independent_rounds else wanted.nth,
            legal=wanted.legal,
            observation=observation,
            history=history,
            draws=DecisionDraws("certify", "certify"),
        )


def _mean(
    game: Game, asker: _Asker, feature: int, sign: float, left: Callable[[], int], reporter: Reporter
) -> Extent:
    """Return the interval of the best reply's mean reward, averaged over the policy's seats."""
    stage = game.stage()
    reward = np.zeros(feature_count(stage.info_record))
    reward[feature] = sign
    info, seats = stage.info_record, asker.seats
    found = [
        _search(stage, asker, (0, place), reward, left, reporter)
        for place in (seats[:1] if info.symmetric else seats)
    ]
    if asker.acts_on_seat:
        # As exact values have it: where rounds are independent either player comes to either place.
        if not info.symmetric and not info.independent_rounds:
            found = found[:1]
        places = (0,) if info.symmetric else seats if info.independent_rounds else (1,)
        found += [_search(stage, asker, (1, place), reward, left, reporter) for place in places]
    return Extent(float(np.mean([e.low for e in found])), float(np.mean([e.high for e in found])))


def _search(
    stage: Game,
    asker: _Asker,
    placed: tuple[Seat, Seat],
    reward: np.ndarray[tuple[int], np.dtype[np.float64]],
    left: Callable[[], int],
    reporter: Reporter,
) -> Extent:
    """Search the replies to the policy as one seat's player at one place, as long as the budget allows."""
    player, place = placed
    search = ReplySearch(stage, asker.tables[player], 1 - place, reward)
    title = f"replies to {asker.policy.name} in {stage.name}"
    with reporter.task(title, 1000) as advance:
        shown, start = 0, search.interval
        while (count := left()) > 0 and (wanted := search.wants(count)):
            asker.ask(wanted)
            low, high = search.interval
            done = round(1000 * (1.0 - (high - low) / max(start.high - start.low, 1e-12)))
            advance(max(0, done - shown), f"{title}: {_estimate(search.interval)}")
            shown = max(shown, done)
        # What the last answers decide costs no question.
        search.wants(0)
    return search.interval


def _estimate(extent: Extent) -> Estimate:
    low, high = min(extent), max(extent)
    if high - low < 1e-12:
        return Estimate.exact((low + high) / 2.0)
    return Estimate((low + high) / 2.0, low, high, 1.0, 0, 0, Kind.INTERVAL)
