"""An errand from the first step to the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from equipoise.tasks.base import Line, TextEnvironment, View
from equipoise.tasks.household.commands import LIMIT, read
from equipoise.tasks.household.goals import fulfilled, share
from equipoise.tasks.household.state import NOTHING, State
from equipoise.tasks.household.words import room, summary
from equipoise.tasks.household.worlds import TURNS, World
from equipoise.types import RoundOutcome, Seat

if TYPE_CHECKING:
    from equipoise.tasks.household.task import Household

__all__ = ["DIAGNOSTICS", "NAME", "HouseholdEpisode", "diagnostics"]

DIAGNOSTICS = ("progress", "steps", "nothing")
"""Share of the way done at best, share of the steps used, share of these at which nothing happened."""

NAME = "Robin"
"""The name of the one who acts."""


class HouseholdEpisode(TextEnvironment):
    """One seat types commands until the wish is fulfilled or the steps are used up."""

    def __init__(self, task: Household, world: World) -> None:
        """Start before the first step."""
        super().__init__(task, world.id, seats=1, turns=TURNS)
        self.world, self.state = world, State(world.layout)
        self._hints: bool = task.options.hints
        self._opening = room(self.state)
        self._lines: list[Line] = []
        self._nothing: list[int] = []
        self._cut: list[int] = []
        self._best = 0.0
        self._view: View | None = None

    def view(self, seat: Seat) -> View:
        """Return what the seat knows now."""
        if self._view is not None and self._view.turn == self.taken[seat]:
            return self._view
        self._view = View(
            scenario=self.scenario,
            name=NAME,
            others=(),
            setting=self._opening,
            goal=self.world.task,
            private=summary(self.state),
            lines=tuple(self._lines),
            options=self.state.options() if self._hints else (),
            turn=self.taken[seat],
            turns=self.turns,
        )
        return self._view

    def act(self, seat: Seat, text: str) -> None:
        """Carry out what was typed; what is no command, or cannot be done, changes nothing."""
        if len(text) > LIMIT:
            self._cut.append(self.taken[seat])
        command = read(text)
        said = NOTHING if command is None else self.state.do(command)
        if said == NOTHING:
            self._nothing.append(self.taken[seat])
        self._lines += [Line(NAME, text[:LIMIT]), Line("", said)]
        self._view = None
        self._best = max(self._best, share(self.world, self.state))
        if fulfilled(self.world, self.state):
            self.ended = "done"

    def scores(self) -> Sequence[float]:
        """Return 1 if the wish is fulfilled, else 0."""
        return [float(fulfilled(self.world, self.state))]

    def achievable(self, seat: Seat) -> float:
        """Return the largest share of the way that has been done so far.

        It never falls: taking a thing again after putting it back is no progress.
        """
        return self._best

    def outcome(self) -> RoundOutcome:
        """Return the score and the diagnostics."""
        return RoundOutcome(
            tuple(self.scores()), None, None, diagnostics(self, self._best, len(self._nothing))
        )

    @property
    def notes(self) -> Mapping[str, object]:
        """Add family and split, and at which steps nothing happened or too much was typed."""
        return {
            **super().notes,
            "family": self.world.family,
            "split": self.world.split,
            "nothing": list(self._nothing),
            "cut": list(self._cut),
        }


def diagnostics(episode: TextEnvironment, progress: float, nothing: int) -> tuple[tuple[float], ...]:
    """Return the diagnostics of an episode of one seat, in the order of :data:`DIAGNOSTICS`."""
    steps = episode.taken[0]
    return ((progress,), (steps / episode.turns,), (nothing / steps if steps else 0.0,))
