"""A two-player environment of TextArena as a task: one play, scored by its own rewards."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any

from pydantic import Field

from equipoise.adapters.openspiel.names import written_name
from equipoise.adapters.textarena.episode import TextArenaEpisode
from equipoise.adapters.textarena.library import Randomness
from equipoise.games.rules import Chance, GameInfo, GameOptions, Weights
from equipoise.tasks.base import Task, draw_index

__all__ = ["TextArenaOptions", "TextArenaTask"]

SEEDS = 2**31


class TextArenaOptions(GameOptions):
    """Options of any environment, beside its own parameters.

    Attributes:
        payoff_bound: The largest a player can win or lose; environments for two players pay 1, 0 or -1.
        most_turns: Turns, both players together, after which a play ends without a result.
    """

    payoff_bound: float = Field(1.0, gt=0.0)
    most_turns: int = Field(400, ge=1)


class TextArenaTask(Task):
    """An environment of TextArena; subclasses say which."""

    @abstractmethod
    def open(self) -> Any:
        """Return a new environment."""

    @property
    def short(self) -> str:
        """TextArena's id."""
        return self.name.partition(":")[2]

    @property
    def full_name(self) -> str:
        """The name with the options that differ from the defaults; it tells the rules apart."""
        given: GameOptions = self.options
        return written_name(self.name, given.changed())

    @cached_property
    def info_record(self) -> GameInfo:
        """The declaration, as far as anything is known."""
        bound = float(self.options.payoff_bound)
        return GameInfo(
            id=self.full_name,
            version=1,
            title=self.short,
            summary=f"{self.short} of TextArena: free text, scored by the environment's own rewards.",
            rounds=1,
            seats=2,
            dynamics="sequential",
            information="imperfect",
            zero_sum=False,
            symmetric=False,
            payoff_bounds=(-bound, bound),
            payoff_scale=bound,
            weights=Weights(1.5, 0.0, 0.0),
            solution="none",
        )

    def start(self, index: int, chance: Chance) -> TextArenaEpisode:
        """Return a play, with a seed that belongs to the deal."""
        seed = draw_index(chance, "seed", SEEDS)
        return TextArenaEpisode(self, self.open(), Randomness(seed), seed)
