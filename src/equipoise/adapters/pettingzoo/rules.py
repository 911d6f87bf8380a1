"""A two-player environment of PettingZoo as rules of this package.

An episode is one round: its payoffs are the sums of the rewards. A seat knows what it was shown and what it
did whenever it was to move, and what it is shown now. Actions are numbers, as in PettingZoo; a mask in the
observation or in ``info`` says which are legal.

An environment draws by itself and does not say with which probabilities. So chance is the seed of its reset:
one of 65,536 that are equally likely, or always the same for environments in which nothing is drawn. Values
are those of this game, not of the distribution that the environment had in mind.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any

from equipoise.adapters.openspiel.names import written_name
from equipoise.adapters.openspiel.size import estimated_histories
from equipoise.adapters.pettingzoo.library import Known
from equipoise.adapters.pettingzoo.states import DIGIT, View, ZooState
from equipoise.errors import RequestError
from equipoise.games.base import Game, GameInfo, GameOptions, State, Weights
from equipoise.types import RoundOutcome, Seat

__all__ = ["PettingZooGame", "ZooOptions"]

SOLVABLE = 20_000
"""Histories up to which exact work is tried: a step back costs a play from the start."""

_LABEL = 160


class ZooOptions(GameOptions):
    """Options of any environment, beside its own parameters.

    Attributes:
        payoff_bound: The largest an agent can win or lose in an episode; needed where nothing is known of it.
        zero_sum: Whether what one wins, the other loses.
        fixed_seed: The seed of every reset; None draws one.
        max_moves: Moves after which an episode is an error.
    """

    payoff_bound: float | None = None
    zero_sum: bool | None = None
    fixed_seed: int | None = None
    max_moves: int = 2000


class PettingZooGame(Game):
    """An environment of PettingZoo; subclasses say which."""

    known: Known | None = None

    def __init__(self, options: ZooOptions | None = None) -> None:
        """Open the environment once.

        Raises:
            RequestError: PettingZoo refuses the parameters, or the environment does not fit.
        """
        super().__init__(options)
        bound = self.options.payoff_bound
        if bound is None and self.known is None:
            raise RequestError(f"{self.name} does not say how much can be won: set the option payoff_bound")
        env = self.open()
        self.agents: list[str] = list(getattr(env, "possible_agents", ()))
        self._check(env)
        fixed = self.options.fixed_seed is not None or (self.known is not None and not self.known.chance)
        self.digits = 0 if fixed else 2
        self._root: ZooState | None = None

    @abstractmethod
    def open(self) -> Any:
        """Return a new environment."""

    def _check(self, env: Any) -> None:
        from gymnasium.spaces import Discrete

        if len(self.agents) != 2:
            raise RequestError(f"'{self.name}' does not fit: it has {len(self.agents)} agents, not two")
        for agent in self.agents:
            space = env.action_space(agent)
            if not isinstance(space, Discrete):
                raise RequestError(f"'{self.name}' does not fit: its actions are {space}, not numbers")

    @property
    def bound(self) -> float:
        """The largest an agent can win or lose in an episode."""
        if self.options.payoff_bound is not None:
            return float(self.options.payoff_bound)
        assert self.known is not None
        times = getattr(self.options, self.known.cycles) if self.known.cycles else 1
        return self.known.bound * float(times)

    @property
    def zero_sum(self) -> bool:
        """Whether what one wins, the other loses."""
        declared: bool | None = self.options.zero_sum
        return self.known is not None if declared is None else declared

    @cached_property
    def info_record(self) -> GameInfo:
        """The declaration, as far as anything is known."""
        large = self.digits > 0 or estimated_histories(self.initial_state(), SOLVABLE) > SOLVABLE
        return GameInfo(
            id=self.full_name,
            version=1,
            title=self.name.rpartition("/")[2],
            summary=f"{self.name.partition(':')[2]} of PettingZoo: payoffs are the sums of its rewards.",
            rounds=1,
            seats=2,
            dynamics="sequential",
            information="imperfect",
            zero_sum=self.zero_sum,
            symmetric=False,
            payoff_bounds=(-self.bound, self.bound),
            payoff_scale=self.bound,
            weights=Weights(1.5, 0.0, 0.0),
            solution="none" if large else "exact",
        )

    @property
    def full_name(self) -> str:
        """The name with the options that differ from the defaults; it tells the rules apart."""
        given: GameOptions = self.options
        return written_name(self.name, given.changed())

    def initial_state(self) -> State:
        """Return the start, before the seed is drawn; the first decision where nothing is."""
        if not self.keeps:
            return self.after_draw(())
        if self._root is None:
            self._root = self.after_draw(())
        return self._root

    @property
    def keeps(self) -> bool:
        """Whether positions are kept: where all of a game may be walked, each is reached by playing once."""
        record = self.__dict__.get("info_record")
        return record is not None and record.solution == "exact"

    def after_draw(self, drawn: tuple[int, ...]) -> ZooState:
        """Return the position after some digits of the seed."""
        if len(drawn) < self.digits:
            return ZooState(self, (drawn, ()))
        return ZooState(self, (drawn, ()), self.open_seeded(drawn))

    def open_seeded(self, drawn: tuple[int, ...]) -> Any:
        """Return the environment after its reset."""
        seed = self.options.fixed_seed or 0
        for digit in drawn:
            seed = seed * DIGIT + digit
        env = self.open()
        env.reset(seed=seed)
        return env

    def settle(self, paid: tuple[float, float]) -> RoundOutcome:
        """Return the outcome of an episode, checked against what was declared.

        Raises:
            RequestError: A payoff is out of bounds, or the payoffs do not sum to 0 where they should.
        """
        if max(map(abs, paid)) > self.bound:
            raise RequestError(f"{self.name} paid {paid}, more than payoff_bound = {self.bound:g}: raise it")
        if self.zero_sum and abs(sum(paid)) > 1e-9:
            raise RequestError(f"{self.name} paid {paid}, which is not zero-sum: set zero_sum=false")
        return RoundOutcome(paid)

    def info(self, seat: Seat, observation: Hashable, history: tuple[Hashable, ...]) -> Mapping[str, object]:
        """Return ``game, seat, round, rounds, past, observation``; observations as JSON."""
        assert isinstance(observation, View)
        return {
            "game": self.name,
            "seat": observation.seat,
            "round": 0,
            "rounds": 1,
            "past": observation.past,
            "observation": observation.now,
        }

    def label(self, observation: Hashable, history: tuple[Hashable, ...]) -> str:
        """Return the seat, what it did and what it is shown; long ones end in a hash of the whole."""
        assert isinstance(observation, View)
        past = " ".join(f"{shown}>{action}" for shown, action in observation.past)
        text = f"{observation.seat}: {past} {observation.now}".replace("  ", " ")
        if len(text) <= _LABEL:
            return text
        return f"{text[:_LABEL]}… {hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"
