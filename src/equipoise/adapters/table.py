"""Who plays whom in a task: the game, its pools, the deals and the rule for invalid answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from equipoise.errors import RequestError
from equipoise.games.rules import Rules
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.base import AnyPolicy
from equipoise.policies.registry import load_game, load_opponents
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.requests import EpisodeRequest, InvalidRule, seated

__all__ = ["Place", "Table", "set_table"]


class Place(NamedTuple):
    """One episode to be played."""

    pool: str
    opponent: str
    deal: int
    seat: int


@dataclass(frozen=True)
class Table:
    """A game with everything that is settled before a model is known.

    Attributes:
        game: The rules.
        objective: Pools and weights.
        seed: Seed of the deals and of the draws.
        rule: What happens to invalid answers.
    """

    game: Rules
    objective: Objective
    seed: int
    rule: InvalidRule

    @property
    def names(self) -> tuple[str, ...]:
        """The opponents of all pools, each once."""
        return tuple(dict.fromkeys(name for _, pool in self.objective.pools for name in pool))

    @cached_property
    def opponents(self) -> Mapping[str, AnyPolicy]:
        """The opponents by name, loaded when they are first asked for."""
        return load_opponents(self.names, self.game)

    def places(self, deals: int) -> Iterator[Place]:
        """Yield all episodes, deal by deal: each from every seat against every opponent.

        Raises:
            RequestError: There is not one deal.
        """
        if deals < 1:
            raise RequestError(f"deals = {deals}: play at least 1 deal per opponent")
        pools = {name: pool for pool, names in reversed(list(self.objective.pools)) for name in names}
        for deal in range(deals):
            for name in self.names:
                for seat in range(self.game.info_record.seats):
                    yield Place(pools[name], name, deal, seat)

    def request(self, place: Place, player: AnyPolicy, rollout: int = 0) -> EpisodeRequest:
        """Return an episode as the engine is asked for it, the same as in an audit with this seed."""
        return EpisodeRequest(
            game=self.game,
            deal=Deal(self.seed, Split.REPORT, self.game.info_record.key, place.deal),
            pool=place.pool,
            opponent=place.opponent,
            seat=place.seat,
            players=seated(player, self.opponents[place.opponent], place.seat, self.game.info_record.seats),
            rollout=rollout,
        )


def set_table(
    game: str,
    *,
    options: Mapping[str, Any] | None = None,
    pools: Mapping[str, Sequence[str]] | None = None,
    weights: Mapping[str, float] | None = None,
    seed: int = 0,
    rule: InvalidRule | None = None,
) -> Table:
    """Return a table from what a user writes; see :func:`equipoise.audit` for the arguments.

    Raises:
        RequestError: A game, option, pool or weight does not exist.
    """
    rules = load_game(game, options)
    given: Pools = default_pools(rules.name).replace(pools or {})
    objective = Objective.of(rules.info_record, given, rules.info_record.weights.replace(weights or {}))
    return Table(rules, objective, seed, rule or InvalidRule())
