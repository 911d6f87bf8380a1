"""The smallest tasks: two people count to a number together, or one does alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.games.rules import Chance, GameInfo, Weights
from equipoise.policies.base import Policy
from equipoise.tasks.base import Line, Task, TextEnvironment, View, draw_index
from equipoise.types import Choice, Decision, Validity

NAMES = ("Ada", "Ben")


class Counting(Task):
    name = "counting"
    seats = 2

    @property
    def info_record(self) -> GameInfo:
        return GameInfo(
            self.name, 1, "Counting", "Count to the goal.", 1, self.seats, "sequential", "imperfect", False,
            False, (0.0, 1.0), 1.0, Weights(0.0, 0.0, 0.0), solution="none",
        )  # fmt: skip

    def start(self, index: int, chance: Chance) -> TextEnvironment:
        return CountingEpisode(self, 2 + draw_index(chance, "goal", 3), self.seats)


class CountingAlone(Counting):
    name = "counting_alone"
    seats = 1


class CountingEpisode(TextEnvironment):
    def __init__(self, task: Task, goal: int, seats: int) -> None:
        super().__init__(task, f"to-{goal}", seats, turns=6)
        self.goal, self.count, self.lines = goal, 0, list[Line]()

    def view(self, seat: int) -> View:
        others = tuple(name for name in NAMES[: self.seats] if name != NAMES[seat])
        return View(
            self.scenario, NAMES[seat], others, "Count.", f"Reach {self.goal}.", (), tuple(self.lines), (),
            self.taken[seat], 3,
        )  # fmt: skip

    def act(self, seat: int, text: str) -> None:
        self.lines.append(Line(NAMES[seat], text))
        self.count += text == str(self.count + 1)
        if self.count == self.goal:
            self.ended = "reached"

    def scores(self) -> Sequence[float]:
        return [self.count / self.goal] * self.seats

    def achievable(self, seat: int) -> float:
        return self.count / self.goal


class Speaker(Policy):
    def __init__(self, name: str, silent: bool = False) -> None:
        self.name, self.silent = name, silent
        self.seen: list[Mapping[str, Any]] = []

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        self.seen += [decision.info for decision in decisions]
        if self.silent:
            return [Choice(None, Validity.REFUSAL)] * len(decisions)
        return [Choice(str(len(d.info["lines"]) + 1)) for d in decisions]  # type: ignore[arg-type]
