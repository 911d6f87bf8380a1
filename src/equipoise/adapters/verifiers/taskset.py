"""Deals as tasks of verifiers: a group of rollouts shares a task, and so deal, seat and opponent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal

import verifiers.v1 as vf
from pydantic import Field

from equipoise.adapters.table import Place, Table, set_table
from equipoise.rollout.deals import Split
from equipoise.rollout.requests import InvalidRule

__all__ = ["GameData", "GameTask", "GameTaskset", "GameTasksetConfig"]


class GameTasksetConfig(vf.TasksetConfig):
    """What is played.

    Attributes:
        game: A game, or a free-text task.
        deals: Deals; each is played from every seat in every stream.
        seed: Seed of the deals and of all draws.
        split: ``train`` plays the streams that the objective trains on; ``report`` plays every opponent once,
            the shift pool among them, on the deals of an audit.
        options: Options of the game.
        pools: Opponents by pool, replacing the game's own; ``self`` is the policy itself.
        weights: Penalty weights ``e``, ``c``, ``x``, replacing the game's own.
        retries: How often a seat is asked again after an invalid answer.
        on_invalid: What happens then.
    """

    game: str = "ipd"
    deals: int = 100
    seed: int = 0
    split: Literal["train", "report"] = "train"
    options: dict[str, Any] = Field(default_factory=dict)
    pools: dict[str, list[str]] = Field(default_factory=dict)
    weights: dict[str, float] = Field(default_factory=dict)
    retries: int = 1
    on_invalid: Literal["fallback", "forfeit"] = "fallback"

    def table(self) -> Table:
        """Return the table that all this stands for.

        Raises:
            RequestError: Something named does not exist or is out of range.
        """
        return set_table(
            self.game,
            options=self.options,
            pools=self.pools,
            weights=self.weights,
            seed=self.seed,
            rule=InvalidRule(self.retries, self.on_invalid),
            split=Split(self.split),
        )


class GameData(vf.TaskData):
    """One episode to play; the user side of the exchange opens it."""

    pool: str
    opponent: str
    deal: int
    seat: int

    @property
    def place(self) -> Place:
        """The episode."""
        return Place(self.pool, self.opponent, self.deal, self.seat)


class GameTask(vf.Task[GameData]):
    """A deal, a seat and an opponent; what an episode is worth is for the environment to say."""


class GameTaskset(vf.Taskset[GameTask, GameTasksetConfig]):
    """All deals of a game, deal by deal."""

    @cached_property
    def table(self) -> Table:
        """The table of the settings."""
        found: Table = self.config.table()
        return found

    def load(self) -> Iterator[GameTask]:
        """Yield the tasks."""
        for place in self.table.places(self.config.deals):
            name = f"{place.pool}/{place.opponent}/{place.deal}/{place.seat}"
            yield GameTask(GameData(name=name, id=name, **place._asdict()), self.config.task)
