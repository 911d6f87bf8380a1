"""What a scripted actor makes of a decision: the home as it is now, and what it has seen of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from equipoise.tasks.base import View
from equipoise.tasks.household.advice import Advice, understand
from equipoise.tasks.household.commands import read
from equipoise.tasks.household.home import Home, hops
from equipoise.tasks.household.kinds import serves
from equipoise.tasks.household.state import State
from equipoise.tasks.household.worlds import World
from equipoise.types import Decision, Draws

if TYPE_CHECKING:
    from equipoise.tasks.household.task import Household

__all__ = ["Situation", "situation"]


@dataclass(frozen=True, slots=True)
class Situation:
    """A seat's situation.

    Attributes:
        world: The world; an honest actor looks only at its wish.
        state: The state now; an honest actor looks only at what it has seen.
        advice: What the coach asks for.
        draws: The decision's randomness.
        been: The places one has stood at, as often as one went there.
    """

    world: World
    state: State
    advice: Advice
    draws: Draws
    been: tuple[int, ...]

    @property
    def home(self) -> Home:
        """The home."""
        return self.state.home

    @property
    def known(self) -> tuple[int, ...]:
        """The places of the rooms one has been in."""
        return tuple(k for k, place in enumerate(self.home.places) if place.room in self.state.rooms)

    def way(self, room: int) -> tuple[int, ...]:
        """Return the rooms to walk through, by doors one has seen."""
        seen = self.state.rooms
        doors = tuple(near if k in seen else () for k, near in enumerate(self.home.doors))
        return hops(doors, self.state.room, room)

    def appliances(self, verb: str) -> tuple[int, ...]:
        """Return the known places at which something can be cleaned, heated or cooled."""
        return tuple(k for k in self.known if serves(self.home.places[k].kind, verb))

    def targets(self) -> tuple[int, ...]:
        """Return the known places of the kind the wish names."""
        return tuple(k for k in self.known if self.home.places[k].kind == self.world.place)

    def nearest(self, places: tuple[int, ...]) -> int | None:
        """Return the place with the shortest way, the first of equals."""
        rooms = {k: self.home.places[k].room for k in places}
        reached = [k for k in places if rooms[k] == self.state.room or self.way(rooms[k])]
        return min(reached, key=lambda k: (k != self.state.at, len(self.way(rooms[k])), k), default=None)


def situation(decision: Decision) -> Situation:
    """Return the situation of a decision of the task ``household``: its own commands, carried out again."""
    view, rules = decision.observation, decision.rules
    assert isinstance(view, View)
    task: Household = rules  # type: ignore[assignment]
    world = task.by_id[view.scenario]
    state, been = State(world.layout), []
    for line in view.lines:
        if line.speaker != view.name or (command := read(line.text)) is None:
            continue
        if command.verb in ("look", "inventory", "examine"):
            continue
        before = state.at
        state.do(command)
        if state.at is not None and state.at != before:
            been.append(state.at)
    return Situation(world, state, understand(decision.advice, world.layout), decision.draws, tuple(been))
