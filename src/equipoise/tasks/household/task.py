"""The task ``household``: errands in a home, by typed commands, after ALFWorld.

Source: M. Shridhar et al., *ALFWorld: Aligning Text and Embodied Environments for Interactive Learning*, ICLR
2021, arXiv 2010.03768. Worlds, words and engine are this package's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from equipoise.games.rules import Chance, GameInfo, GameOptions, Weights
from equipoise.tasks.base import Task, TextEnvironment
from equipoise.tasks.household.episode import DIAGNOSTICS, HouseholdEpisode
from equipoise.tasks.household.external import ExternalEpisode, find_games
from equipoise.tasks.household.kinds import Family
from equipoise.tasks.household.worlds import TURNS, Split, World, choose, worlds

__all__ = ["Household", "Options"]


class Options(GameOptions):
    """Options of the household task.

    Attributes:
        split: Which worlds are dealt: train, held_out or hard.
        families: Families to keep (place, examine, clean, heat, cool, two); all if empty.
        only: Identifiers of the worlds to deal, of any split; all of the split if empty.
        hints: Whether views list the commands that do something now.
        games: A TextWorld or ALFWorld game file, or a folder of them, dealt in place of the package's worlds.
    """

    split: Split = "train"
    families: tuple[Family, ...] = ()
    only: tuple[str, ...] = ()
    hints: bool = True
    games: str = ""


class Household(Task):
    """Somebody runs an errand in a home."""

    Options = Options
    name = "household"

    def __init__(self, options: GameOptions | None = None, source: Sequence[World] | None = None) -> None:
        """Take options and worlds.

        Args:
            options: Validated options; None means the defaults.
            source: Worlds; None takes those of the package.
        """
        super().__init__(options)
        self.source = tuple(worlds() if source is None else source)

    @cached_property
    def dealt(self) -> tuple[World, ...]:
        """The worlds that are dealt, in order.

        Raises:
            RequestError: The options leave none.
        """
        one = self.options
        return choose(self.source, one.split, one.families, one.only)

    def scenario_ids(self) -> tuple[str, ...]:
        """Return the identifiers of what is dealt; none of games from outside."""
        return () if self.files else tuple(one.id for one in self.dealt)

    @cached_property
    def by_id(self) -> dict[str, World]:
        """All worlds by identifier."""
        return {one.id: one for one in self.source}

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The game files that are dealt; none unless the option ``games`` names some."""
        return find_games(Path(self.options.games)) if self.options.games else ()

    @cached_property
    def info_record(self) -> GameInfo:
        """The declaration."""
        return GameInfo(
            id=self.name,
            version=1,
            title="Household",
            summary=f"Someone has an errand in a home (put, clean, heat, cool or examine something) and "
            f"types commands, at most {TURNS}. The score is 1 if the errand is done, else 0.",
            rounds=1,
            seats=1,
            dynamics="sequential",
            information="imperfect",
            zero_sum=False,
            symmetric=True,
            payoff_bounds=(0.0, 1.0),
            payoff_scale=1.0,
            weights=Weights(0.0, 0.0, 0.0),
            diagnostics=DIAGNOSTICS,
            solution="none",
        )

    def start(self, index: int, chance: Chance) -> TextEnvironment:
        """Return the errand of a deal; consecutive deals go through the worlds in turn."""
        if self.files:
            return ExternalEpisode(self, self.files[index % len(self.files)])
        return HouseholdEpisode(self, self.dealt[index % len(self.dealt)])
