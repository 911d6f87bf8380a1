"""A game of OpenSpiel as rules of this package.

An episode is one round: a play from the deal to the end, with OpenSpiel's returns as its payoffs. A state is
a history of OpenSpiel. What a seat knows is the game's information-state string, which remembers all that the
seat saw and did, so the history of signals stays empty. Actions and chance outcomes go by OpenSpiel's words.

States are grown once and kept (up to ``KEPT``): exact work walks the same tree many times, and asking
OpenSpiel for a child and its strings is most of the time.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from equipoise.adapters.openspiel.names import action_words, written_name
from equipoise.adapters.openspiel.size import estimated_histories
from equipoise.games.base import Game, GameInfo, GameOptions, State, Step, Weights
from equipoise.types import Action, RoundOutcome, Seat

__all__ = ["OpenSpielGame", "View"]

KEPT = 50_000
"""Following states that a game keeps; a bound on memory, not on what can be played."""

SOLVABLE = 1_000_000
"""Histories up to which exact work is tried; the estimate need only tell small from hopeless."""


@dataclass(frozen=True, slots=True)
class View:
    """What a seat knows at a decision.

    Attributes:
        seat: The seat.
        text: OpenSpiel's information-state string.
        seen: OpenSpiel's observation string where the game has one; it follows from ``text``.
    """

    seat: Seat
    text: str
    seen: str = field(default="", compare=False)


class _State(State):
    """A history of OpenSpiel; everything but the history is filled in when first asked for."""

    __slots__ = (
        "_draws",
        "_following",
        "_game",
        "_hash",
        "_history",
        "_legal",
        "_movers",
        "_node",
        "_over",
        "_view",
        "_words",
    )

    def __init__(self, game: OpenSpielGame, node: Any, draws: int = 0) -> None:
        """Take OpenSpiel's state, never changed afterwards, and how many draws led to it."""
        self._game, self._node, self._draws = game, node, draws
        self._history: tuple[int, ...] = tuple(node.history())
        self._hash = hash(self._history)
        mover = node.current_player()
        self._movers: tuple[Seat, ...] = (mover,) if mover >= 0 else ()
        self._over = bool(node.is_terminal())
        self._following: dict[str, Step] = {}
        self._words: dict[str, int] | None = None
        self._legal: tuple[Action, ...] | None = None
        self._view: View | None = None

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _State) and self._history == other._history

    def __repr__(self) -> str:
        return f"{self._game.name}{list(self._history)}"

    @property
    def round(self) -> int:
        return 0

    @property
    def is_over(self) -> bool:
        return self._over

    @property
    def players_to_move(self) -> tuple[Seat, ...]:
        return self._movers

    @property
    def chance(self) -> str | None:
        return None if self._movers or self._over else f"draw/{self._draws}"

    def chance_outcomes(self) -> tuple[tuple[Hashable, float], ...]:
        if self._movers or self._over:
            return ()
        found = self._node.chance_outcomes()
        return tuple((word, float(p)) for word, (_, p) in zip(self._numbers, found, strict=True))

    def apply_chance(self, outcome: Hashable) -> Step:
        return self._step(str(outcome))

    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        if self._legal is None:
            self._legal = tuple(self._numbers)
        return self._legal

    def observation(self, seat: Seat) -> View:
        if self._view is None or self._view.seat != seat:
            text = self._node.information_state_string(seat)
            seen = self._node.observation_string(seat) if self._game.observes else ""
            self._view = View(seat, text, seen)
        return self._view

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        return self._step(str(actions[self._movers[0]]))

    @property
    def _numbers(self) -> dict[str, int]:
        """OpenSpiel's number for each word of this decision or draw, in its order."""
        if self._words is None:
            node = self._node
            draws = node.is_chance_node()
            numbers = [n for n, _ in node.chance_outcomes()] if draws else node.legal_actions()
            words = action_words(tuple((number, node.action_to_string(number)) for number in numbers))
            self._words = dict(zip(words, numbers, strict=True))
        return self._words

    def _step(self, word: str) -> Step:
        step = self._following.get(word)
        if step is None:
            step = self._grow(word)
            if self._game.keep_another():
                self._following[word] = step
        return step

    def _grow(self, word: str) -> Step:
        node = self._node.child(self._numbers[word])
        following = _State(self._game, node, self._draws + self._node.is_chance_node())
        if not node.is_terminal():
            return Step(following)
        return Step(following, RoundOutcome(tuple(float(payoff) for payoff in node.returns())))


class OpenSpielGame(Game):
    """A two-player game of OpenSpiel; subclasses say which.

    Attributes:
        placeholders: Whether defaults may be placeholders for what must be given; then all that is given is
            part of the name.
    """

    placeholders: ClassVar[bool] = False

    def __init__(self, options: GameOptions | None = None) -> None:
        """Open the game.

        Raises:
            RequestError: OpenSpiel refuses the parameters, or the game does not fit.
        """
        super().__init__(options)
        self._rules = self.open()
        self._left = KEPT
        self._root = _State(self, self._rules.new_initial_state())
        self.observes = bool(self._rules.get_type().provides_observation_string)

    @abstractmethod
    def open(self) -> Any:
        """Return OpenSpiel's game."""

    @property
    def short(self) -> str:
        """OpenSpiel's name of the game, without parameters."""
        return self.name.partition(":")[2]

    @property
    def full_name(self) -> str:
        """The name with the parameters that differ from the defaults; it tells the rules apart."""
        given: GameOptions = self.options
        changed = given.model_dump(exclude_unset=True) if self.placeholders else given.changed()
        return written_name(self.name, changed)

    @cached_property
    def info_record(self) -> GameInfo:
        """The game's declaration, from OpenSpiel's own."""
        kind = self._rules.get_type()
        low, high = float(self._rules.min_utility()), float(self._rules.max_utility())
        zero_sum = kind.utility.name == "ZERO_SUM"
        at_once = kind.short_name == "turn_based_simultaneous_game"
        # Moves made at once are states in turn here, and whoever comes second does not know the first.
        perfect = kind.information.name == "PERFECT_INFORMATION" and not at_once
        large = estimated_histories(self._root, SOLVABLE) > SOLVABLE
        return GameInfo(
            id=self.full_name,
            version=1,
            title=kind.long_name,
            summary=f"{kind.long_name}, as OpenSpiel has it: one play from the deal to the end.",
            rounds=1,
            seats=2,
            dynamics="simultaneous" if at_once else "sequential",
            information="complete" if perfect else "imperfect",
            zero_sum=zero_sum,
            symmetric=False,
            payoff_bounds=(low, high),
            payoff_scale=max(abs(low), abs(high)) or 1.0,
            weights=Weights(1.5, 0.0, 0.0),
            solution="none" if large else "exact",
        )

    def initial_state(self) -> State:
        """Return the start, before any deal."""
        return self._root

    def info(self, seat: Seat, observation: Hashable, history: tuple[Hashable, ...]) -> Mapping[str, object]:
        """Return ``game, seat, round, rounds, information_state, observation``."""
        assert isinstance(observation, View)
        return {
            "game": self.name,
            "seat": observation.seat,
            "round": 0,
            "rounds": 1,
            "information_state": observation.text,
            "observation": observation.seen,
        }

    def label(self, observation: Hashable, history: tuple[Hashable, ...]) -> str:
        """Return seat and information-state string on one line: ``0: 0pb``."""
        assert isinstance(observation, View)
        escaped = observation.text.replace("\\", "\\\\").replace("\n", "\\n")
        return f"{observation.seat}: {escaped}"

    def keep_another(self) -> bool:
        """Count a state that is to be kept; False where there are enough."""
        self._left -= 1
        return self._left >= 0
