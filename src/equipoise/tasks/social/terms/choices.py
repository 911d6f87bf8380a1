"""One of a few things that have names: a place, a plan, a colour."""

from __future__ import annotations

import re
from collections.abc import Sequence

from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.terms.base import Deal, Named, word
from equipoise.types import Seat

__all__ = ["Choices"]


class Choices(Named):
    """One of the scenario's things."""

    def __init__(self, scenario: Scenario) -> None:
        """Prepare what reads names; longer names are looked for first."""
        super().__init__(scenario)
        names = [(name, thing.split("|")[0]) for thing in scenario.things for name in thing.split("|")]
        names.sort(key=lambda pair: (-len(pair[0]), pair[0]))
        self._labels = {f"n{k}": label for k, (_, label) in enumerate(names)}
        self._names = re.compile("|".join(f"(?P<n{k}>{word(name)})" for k, (name, _) in enumerate(names)))

    def deals(self) -> Sequence[Deal]:
        """Return the things by their labels."""
        return self.scenario.labels

    def points(self, seat: Seat, deal: Deal) -> float:
        """Return the seat's value of the thing over its limit."""
        person = self.scenario.people[seat]
        return person.values[self.scenario.labels.index(str(deal))] - person.limit

    def target(self, seat: Seat) -> float:
        """Return the target, or the most that a thing brings the seat."""
        person = self.scenario.people[seat]
        best = max(person.values) if person.target is None else person.target
        return best - person.limit

    def say(self, deal: Deal, seat: Seat) -> str:
        """Return the label."""
        return str(deal)

    def found(self, text: str) -> tuple[list[Deal], str]:
        """Return the things a clause names."""
        found: list[Deal] = [self._labels[str(match.lastgroup)] for match in self._names.finditer(text)]
        return found, self._names.sub(" ", text)
