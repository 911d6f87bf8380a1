"""Free-text tasks: actions are sentences, and an episode ends with a score for every seat.

A task is played by the engine that plays games. Its decisions list no legal actions; what a seat knows is a
:class:`View`. An episode counts as one round whose payoffs are the scores. What the task knows beyond that,
the scenario and how far each turn brought its seat, is in the episode's notes: judges and reports read it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from equipoise.errors import RequestError
from equipoise.games.base import Environment, Question
from equipoise.games.rules import Chance, Rules
from equipoise.types import Action, Decision, Draws, RoundOutcome, Seat

__all__ = ["Line", "Task", "TextEnvironment", "View", "draw_index"]


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of what a seat has seen.

    Attributes:
        speaker: Who is behind it, by name; empty for the task itself. A speaker can only ever speak under
            its own name, whatever its text claims.
        text: What was said, done or shown; data, never markup.
    """

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class View:
    """What a seat knows when it must act.

    Attributes:
        scenario: Identifier of the scenario.
        name: The seat's own name.
        others: The names of the other seats.
        setting: What everybody knows from the start.
        goal: What this seat wants.
        private: What only this seat knows: facts, limits, secrets.
        lines: What it has seen so far, oldest first, its own turns among it.
        options: Actions that are known to be possible now; empty where anything may be said.
        turn: Which of its own turns this is, from 0.
        turns: How many it has at most.
    """

    scenario: str
    name: str
    others: tuple[str, ...]
    setting: str
    goal: str
    private: tuple[str, ...]
    lines: tuple[Line, ...]
    options: tuple[str, ...]
    turn: int
    turns: int


class Task(Rules, ABC):
    """A free-text task; subclasses implement ``info_record`` and ``start``."""

    def scenario_ids(self) -> tuple[str, ...]:
        """Return the scenarios that these options deal; nothing if they are not listed.

        A task that lists them has an option ``only`` to deal some of them.
        """
        return ()

    def info(self, seat: Seat, observation: Hashable, history: tuple[Hashable, ...]) -> Mapping[str, object]:
        """Return the view as a plain mapping; ``lines`` as (speaker, text) pairs."""
        view = observation
        assert isinstance(view, View)
        return {
            "game": self.name,
            "seat": seat,
            "round": 0,
            "rounds": 1,
            "scenario": view.scenario,
            "name": view.name,
            "others": view.others,
            "setting": view.setting,
            "goal": view.goal,
            "private": view.private,
            "lines": tuple((line.speaker, line.text) for line in view.lines),
            "options": view.options,
            "turn": view.turn,
            "turns": view.turns,
        }

    def label(self, observation: Hashable, history: tuple[Hashable, ...]) -> str:
        """Return scenario, name and turn; views that differ in more than these share a label."""
        assert isinstance(observation, View)
        return f"{observation.scenario} {observation.name} {observation.turn}"


class TextEnvironment(Environment):
    """An episode of a task in which seats speak in turn.

    Subclasses implement :meth:`view`, :meth:`act`, :meth:`scores` and :meth:`achievable`, and set
    ``ended`` when the episode is over; turn taking, the record and the outcome are kept here.
    """

    def __init__(self, task: Task, scenario: str, seats: int, turns: int, first: Seat = 0) -> None:
        """Start before the first turn.

        Args:
            task: The task.
            scenario: Identifier of the scenario.
            seats: Number of seats.
            turns: Largest number of turns of the episode, all seats together.
            first: The seat that begins.
        """
        self.task, self.scenario, self.turns = task, scenario, turns
        self.ended: str | None = None
        self.taken = [0] * seats
        self._seats, self._mover = seats, first
        self._values: list[list[float]] = [[] for _ in range(seats)]

    @abstractmethod
    def view(self, seat: Seat) -> View:
        """Return what a seat knows now."""

    @abstractmethod
    def act(self, seat: Seat, text: str) -> None:
        """Let a seat speak; anything may be said, and nothing that is said raises."""

    @abstractmethod
    def scores(self) -> Sequence[float]:
        """Return the score of every seat as things stand."""

    @abstractmethod
    def achievable(self, seat: Seat) -> float:
        """Return the score that a seat can count on or still reach as things stand; see the task for which.

        Its change over a turn is the ground truth of a rule judge.
        """

    @property
    def notes(self) -> Mapping[str, object]:
        """Scenario, why it ended, and by seat its goal and what was achievable before and after its turns."""
        return {
            "scenario": self.scenario,
            "ended": self.ended,
            "goals": [self.view(seat).goal for seat in range(self._seats)],
            "achievable": [list(values) for values in self._values],
        }

    @property
    def seats(self) -> int:
        """Number of seats."""
        return self._seats

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return self.ended is not None

    @property
    def players_to_move(self) -> tuple[Seat, ...]:
        """The seat whose turn it is."""
        return () if self.is_over else (self._mover,)

    def observe(self, seat: Seat) -> Question:
        """Return what the seat is asked; its turn is the step."""
        view, turn = self.view(seat), self.taken[seat]
        return Question(0, turn, turn, None, view, (), self.task.label(view, ()))

    def decision(self, seat: Seat, episode: str, draws: Draws, retry: int) -> Decision:
        """Return the full question to the seat."""
        turn = self.taken[seat]
        return Decision(self.task, episode, seat, 0, turn, turn, None, self.view(seat), (), draws, retry)

    def apply(self, actions: Mapping[Seat, Action | str]) -> None:
        """Let the seat whose turn it is speak, then pass the turn on."""
        if self.is_over:
            raise RequestError("the episode is over: nothing can be said any more")
        seat = self._mover
        text = actions.get(seat)
        if not isinstance(text, str):
            raise RequestError(f"seat {seat} must say something, got {text!r}")
        values = self._values[seat]
        values.append(self.achievable(seat))
        self.act(seat, text)
        self.taken[seat] += 1
        values.append(self.achievable(seat))
        self._mover = (seat + 1) % self._seats
        if self.ended is None and sum(self.taken) >= self.turns:
            self.ended = "turns"

    def forfeit(self, seat: Seat) -> None:
        """End the episode; scores stay as they are."""
        self.ended = "forfeit"

    @property
    def outcomes(self) -> tuple[RoundOutcome, ...]:
        """One outcome, once the episode is over: the scores."""
        return (self.outcome(),) if self.is_over else ()

    def outcome(self) -> RoundOutcome:
        """Return the outcome of the episode as things stand; tasks with terms or diagnostics add them."""
        return RoundOutcome(tuple(float(score) for score in self.scores()))


def draw_index(chance: Chance, purpose: str, count: int) -> int:
    """Return a uniform draw of 0 … count − 1 that belongs to a deal and a purpose."""
    return min(int(chance(0, purpose) * count), count - 1)
