"""What can be played: every deal of a game in every stream from every seat, numbered.

A task fixes all that chance and the opponent draw, so rollouts of one task differ by the player alone.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from equipoise.adapters.seats import SeatEpisode, local_opponent
from equipoise.adapters.table import SELF, Place, Table, set_table
from equipoise.errors import RequestError, unknown
from equipoise.games.base import Game, finite_game
from equipoise.policies.base import Policy
from equipoise.prompts.base import PLAIN, Renderer
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.requests import InvalidRule

__all__ = ["DEALS", "SESSIONS", "SPLITS", "Tasks", "number", "set_tasks"]

SPLITS = (Split.TRAIN.value, Split.REPORT.value)
"""``train`` holds the streams that are trained on; ``report`` every opponent, on the deals of an audit."""

DEALS = 100
SESSIONS = 64


@dataclass(frozen=True)
class Tasks:
    """The tasks of a game; one object serves all sessions.

    Attributes:
        game: The rules.
        table: Pools, weights, seed, rule for invalid answers.
        opponents: The policy of every opponent.
        renderer: The words that the player is told.
        deals: How many deals are listed.
        lock: Held while opponents act, which sessions share.
    """

    game: Game
    table: Table
    opponents: Mapping[str, Policy]
    renderer: Renderer
    deals: int
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, split: str) -> int:
        """Return how many tasks of a split are listed.

        Raises:
            RequestError: There is no such split.
        """
        return self.deals * len(self._first(split))

    def place(self, split: str, index: int) -> Place:
        """Return a task, deal by deal without an end.

        Raises:
            RequestError: There is no such split, or the number is negative.
        """
        first = self._first(split)
        deal, rest = divmod(number("task", index), len(first))
        return first[rest]._replace(deal=deal)

    def index(self, split: str, place: Place) -> int:
        """Return the number of a task."""
        first = self._first(split)
        return place.deal * len(first) + first.index(place._replace(deal=0))

    def find(self, split: str, opponent: str, pool: str | None, seat: int) -> Place:
        """Return the task against an opponent on deal 0.

        Args:
            split: The split.
            opponent: Name of the opponent.
            pool: The pool it stands for; None takes the first that has it.
            seat: The player's seat.

        Raises:
            RequestError: The split has no such opponent, pool or seat.
        """
        first = self._first(split)
        if opponent not in (names := {one.opponent for one in first}):
            raise unknown("opponent", opponent, names)
        met = [one for one in first if one.opponent == opponent and pool in (None, one.pool)]
        if not met:
            raise unknown("pool", str(pool), {one.pool for one in first if one.opponent == opponent})
        found = [one for one in met if one.seat == seat and not isinstance(seat, bool)]
        if not found:
            raise RequestError(f"seat {seat!r}: {self.game.name} has the seats 0 and 1")
        return found[0]

    def begin(self, split: str, place: Place) -> SeatEpisode:
        """Return the episode of a task at its first decision."""
        pool, opponent, index, seat = place
        deal = Deal(self.table.seed, Split(split), self.game.info_record.key, index)
        policy, rule = self.opponents[opponent], self.table.rule
        with self.lock:
            return SeatEpisode(self.game, policy, seat, deal, pool, rule=rule, name=opponent)

    @cached_property
    def _places(self) -> Mapping[str, tuple[Place, ...]]:
        """The tasks of deal 0, by split."""
        return {split: tuple(replace(self.table, split=Split(split)).places(1)) for split in SPLITS}

    def _first(self, split: str) -> tuple[Place, ...]:
        if split not in self._places:
            raise unknown("split", str(split), SPLITS)
        return self._places[split]


def set_tasks(
    game: str,
    *,
    options: Mapping[str, Any] | None = None,
    pools: Mapping[str, Sequence[str]] | None = None,
    weights: Mapping[str, float] | None = None,
    seed: int = 0,
    deals: int = DEALS,
    rule: InvalidRule | None = None,
    wording: str = PLAIN,
) -> Tasks:
    """Return the tasks of a game; see ``game_app`` for the arguments.

    Raises:
        RequestError: Something asked for does not exist or is out of range, or an opponent cannot be seated.
    """
    table = set_table(game, options=options, pools=pools, weights=weights, seed=seed, rule=rule)
    rules = finite_game(table.game)
    if deals < 1:
        raise RequestError(f"deals = {deals}: list at least 1 deal")
    if SELF in table.names:
        raise RequestError(
            f"opponent {SELF!r}: the server seats one player; name a policy for the other seat"
        )
    opponents = {name: local_opponent(name, rules) for name in table.names}
    return Tasks(rules, table, opponents, get_renderer(rules.name, wording), deals)


def number(kind: str, value: Any) -> int:
    """Return the number of a task or a deal, as it came over the wire.

    Raises:
        RequestError: It is no integer from 0 up.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RequestError(f"{kind} {value!r}: give an integer from 0 up")
    return value
