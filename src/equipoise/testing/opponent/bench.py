"""What the rules about an opponent are checked on: what it answers after every history of random lines."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import fsum
from random import Random
from typing import Any

from equipoise.games.base import Game, State
from equipoise.opponents.base import Strategy
from equipoise.testing.findings import NotApplicable, Violation, shown
from equipoise.testing.game.structure import TOLERANCE
from equipoise.testing.walks import Line, playable, random_move, root
from equipoise.types import Action, Seat

__all__ = ["STRUCTURE", "History", "OpponentBench", "Visit"]

History = tuple[Hashable, ...]
Answer = tuple[float, ...]

ENOUGH = 3000
"""Decisions after which no further line is walked: histories of very long games are costly to fold."""

STRUCTURE: dict[str, str] = {
    "runs": "start, update and probabilities raise nothing wherever the game asks",
    "start-distribution": "initial memories have probabilities with sum 1",
    "hashable-memory": "memories are hashable",
    "legal-probabilities": "answers are probabilities of legal actions with sum 1",
}
"""The rules checked on the way, with what each says."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A moment at which the opponent is asked."""

    state: State
    seat: Seat
    history: History

    @property
    def observation(self) -> Any:
        """What the seat sees."""
        return self.state.observation(self.seat)

    @property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions."""
        return self.state.legal_actions(self.seat)


class OpponentBench:
    """Random lines of a game, and what one strategy answers at every moment of them.

    Attributes:
        strategy: The strategy.
        game: The game.
        visits: Every moment at which some seat is to move.
        broken: What broke on the way, by rule.
    """

    def __init__(self, strategy: Strategy, game: Game, walks: int, seed: int) -> None:
        """Walk ``walks`` random lines and ask the strategy everywhere on them, at either seat.

        Raises:
            RequestError: The game cannot be played.
        """
        self.strategy, self.game, self.seed = strategy, game, seed
        self.broken: dict[str, str] = {}
        self.visits: list[Visit] = []
        with playable(game):
            for number in range(walks):
                if number > 1 and len(self.visits) > ENOUGH:
                    break
                self._walk(Random(f"{seed}|{number}"))
        self._guarded(self._check_start)
        for visit in self.visits:
            if self.broken:
                break
            self._guarded(partial(self._check_visit, visit))

    @cached_property
    def starts(self) -> tuple[Hashable, ...]:
        """The initial memories."""
        return tuple(memory for memory, _ in self.strategy.start())

    @property
    def extent(self) -> str:
        """What was looked at, in words."""
        return f"{len(self.visits)} decisions"

    def memory(self, start: Hashable, history: History) -> Hashable:
        """Return the memory after a history; nothing is kept between calls."""
        memory = start
        for signal in history:
            memory = self.strategy.update(memory, signal)
        return memory

    def answer(self, start: Hashable, history: History, observation: Any, legal: Sequence[Action]) -> Answer:
        """Return the probabilities of the legal actions after a history."""
        given = self.strategy.probabilities(self.memory(start, history), observation, tuple(legal))
        return tuple(float(given.get(action, 0.0)) for action in legal)

    def same(self, visit: Visit, history: History | None = None, observation: Any = None) -> bool:
        """Tell whether another history or observation leaves all answers at a visit as they are."""
        past = visit.history if history is None else history
        seen = visit.observation if observation is None else observation
        return all(
            self.answer(start, visit.history, visit.observation, visit.legal)
            == self.answer(start, past, seen, visit.legal)
            for start in self.starts
        )

    def need_structure(self) -> None:
        """Skip the rule being checked if the strategy could not be asked.

        Raises:
            NotApplicable: It could not.
        """
        if self.broken:
            raise NotApplicable(f"not checked, as {next(iter(self.broken))!r} is broken")

    def _walk(self, random: Random) -> None:
        line = Line([root(self.game)])
        while not (state := line.nodes[-1].state).is_over:
            histories = line.nodes[-1].histories
            self.visits += [Visit(state, seat, histories[seat]) for seat in state.players_to_move]
            line.go(random_move(state, random))

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Violation as violation:
            self.broken.setdefault(violation.rule or "runs", str(violation))
        except Exception as error:
            message = " ".join(str(error).split())
            self.broken.setdefault(
                "runs", f"{type(error).__name__}: {message}; answer at every decision of {self.game.name}"
            )

    def _check_start(self) -> None:
        start = self.strategy.start()
        total = fsum(probability for _, probability in start)
        if abs(total - 1.0) > TOLERANCE or any(p < 0.0 for _, p in start):
            raise Violation(
                f"start() gives {shown(start)}, probabilities with sum {total:.6g}",
                "return pairs of a memory and its probability that sum to 1",
                "start-distribution",
            )
        for memory in self.starts:
            _check_hashable(memory)

    def _check_visit(self, visit: Visit) -> None:
        for start in self.starts:
            memory = start
            for signal in visit.history:
                memory = self.strategy.update(memory, signal)
                _check_hashable(memory)
            given = self.strategy.probabilities(memory, visit.observation, visit.legal)
            where = f"at {shown(visit.observation)} with memory {shown(memory)}"
            wrong = [action for action in given if action not in visit.legal]
            total = fsum(given.values())
            if wrong or abs(total - 1.0) > TOLERANCE or any(not 0.0 <= p <= 1.0 for p in given.values()):
                raise Violation(
                    f"{where} it answers {shown(dict(given))}",
                    f"give probabilities in [0, 1] with sum 1 to actions among {shown(visit.legal)}",
                    "legal-probabilities",
                )


def _check_hashable(memory: Hashable) -> None:
    try:
        hash(memory)
    except TypeError:
        raise Violation(
            f"memory {shown(memory)} cannot be hashed", "use tuples instead of lists", "hashable-memory"
        ) from None
