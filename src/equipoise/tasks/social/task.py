"""The task ``social``: goal-driven dialogue between two people, after SOTOPIA.

Source: X. Zhou et al., *SOTOPIA: Interactive Evaluation for Social Intelligence in Language Agents*, ICLR
2024, arXiv 2310.11667. Scenarios, goals that can be computed and the grammar of agreements are this package's
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field

from equipoise.games.rules import Chance, GameInfo, GameOptions, Weights
from equipoise.tasks.base import Task
from equipoise.tasks.social.dimensions import Evaluator, RuleEvaluator
from equipoise.tasks.social.episode import DIAGNOSTICS, SocialEpisode
from equipoise.tasks.social.scenarios import TURNS, Family, Scenario, Split, choose, scenarios
from equipoise.tasks.social.sotopia import read_sotopia

__all__ = ["Options", "Social"]


class Options(GameOptions):
    """Options of the dialogue task.

    Attributes:
        split: Which scenarios are dealt: train, held_out or hard.
        families: Families to keep (price, items, times, secrets, open); all if empty.
        only: Identifiers of the scenarios to deal, of any split; all of the split if empty.
        actions: Actions besides speaking: basic (none, leave) or full (non-verbal and action as well).
        turns: Most turns of a dialogue, both sides together; one that allows fewer keeps its own number.
        sotopia: A folder with SOTOPIA's data, dealt in place of the package's scenarios; without scores.
    """

    split: Split = "train"
    families: tuple[Family, ...] = ()
    only: tuple[str, ...] = ()
    actions: Literal["basic", "full"] = "basic"
    turns: int = Field(TURNS, ge=2, le=TURNS)
    sotopia: str = ""


class Social(Task):
    """Two people talk; each has a goal of its own."""

    Options = Options
    name = "social"

    def __init__(
        self,
        options: GameOptions | None = None,
        source: Sequence[Scenario] | None = None,
        evaluator: Evaluator | None = None,
    ) -> None:
        """Take options, scenarios and who judges.

        Args:
            options: Validated options; None means the defaults.
            source: Scenarios, imported ones for instance; None takes those of the package.
            evaluator: Judges the seven dimensions at the end, and the score of scenarios without truth; None
                judges by rule.
        """
        super().__init__(options)
        self.source = tuple(map(self._shortened, self._read() if source is None else source))
        self.evaluator: Evaluator = evaluator or RuleEvaluator()

    def _read(self) -> Sequence[Scenario]:
        folder = self.options.sotopia
        return read_sotopia(Path(folder), self.options.split) if folder else scenarios()

    def _shortened(self, one: Scenario) -> Scenario:
        turns = self.options.turns
        return one if one.turns <= turns else one.model_copy(update={"turns": turns})

    @cached_property
    def dealt(self) -> tuple[Scenario, ...]:
        """The scenarios that are dealt, in order.

        Raises:
            RequestError: The options leave none.
        """
        one = self.options
        return choose(self.source, one.split, one.families, one.only)

    def scenario_ids(self) -> tuple[str, ...]:
        """Return the identifiers of what is dealt."""
        return tuple(one.id for one in self.dealt)

    @cached_property
    def by_id(self) -> dict[str, Scenario]:
        """All scenarios by identifier."""
        return {one.id: one for one in self.source}

    @cached_property
    def info_record(self) -> GameInfo:
        """The declaration."""
        return GameInfo(
            id=self.name,
            version=1,
            title="Social dialogue",
            summary=f"Two people with goals of their own talk for at most {TURNS} turns: they bargain over "
            "a price, split items, find a time, or trade facts and keep secrets. Each scores 0 to 10 by its "
            "own goal.",
            rounds=1,
            seats=2,
            dynamics="sequential",
            information="imperfect",
            zero_sum=False,
            symmetric=False,
            payoff_bounds=(0.0, 10.0),
            payoff_scale=10.0,
            weights=Weights(0.3, 0.0, 1.0),
            externality="the other side's avoidable loss: how much more of its goal it could have reached, "
            "at no cost to oneself, in another outcome (1: all of it, as when a deal that helps both fails)",
            diagnostics=DIAGNOSTICS,
            solution="none",
        )

    def start(self, index: int, chance: Chance) -> SocialEpisode:
        """Return the dialogue of a deal; consecutive deals go through the scenarios in turn."""
        return SocialEpisode(self, self.dealt[index % len(self.dealt)])
