"""What any set of rules declares, games over finite actions and free-text tasks alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from equipoise.errors import RequestError, nearest

if TYPE_CHECKING:
    from equipoise.games.base import Environment
    from equipoise.types import Seat

__all__ = ["Chance", "GameInfo", "GameOptions", "Rules", "Weights"]

Chance = Callable[[int, str], float]
"""Maps (round, purpose) to a draw in [0, 1): the part of a deal that the rules use."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Penalty weights λ of the objective, in the order exploitability, collusion, externality."""

    e: float
    c: float
    x: float

    def replace(self, changes: Mapping[str, float]) -> Weights:
        """Return the weights with some of them replaced.

        Raises:
            RequestError: There is no such weight, or it is negative or not finite.
        """
        values = {"e": self.e, "c": self.c, "x": self.x}
        for name, value in changes.items():
            if name not in values:
                raise RequestError(f"unknown weight {name!r}: choose among e, c, x")
            if not 0.0 <= float(value) < float("inf"):
                raise RequestError(f"weight {name} = {value!r}: penalty weights are finite and not negative")
            values[name] = float(value)
        return Weights(**values)


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What a game declares about itself; every result stores ``id`` and ``version``.

    Attributes:
        id: Short name.
        version: Raised whenever a rule changes.
        title: Name in full.
        summary: The rules in a sentence or two, for people.
        rounds: Rounds of an episode (a cap where the horizon is hidden).
        seats: Number of seats.
        dynamics: Whether the seats move at once or in turn.
        information: ``complete`` if every seat that moves knows the state; else ``imperfect``.
        zero_sum: Whether the payoffs of a round sum to 0.
        symmetric: Whether swapping seats, policies and deal swaps payoffs and every seat faces the
            same information states, so that one seat stands for all.
        payoff_bounds: Smallest and largest payoff of a seat in a round.
        payoff_scale: Scale of the objective: s = 3 / payoff_scale. Not a maximum.
        weights: Default penalty weights.
        independent_rounds: Whether nothing carries over between rounds, so that one round is solved,
            tabulated and credited by itself.
        collusion: What c_t = 1 means, anchored to its benchmark; None where not applicable.
        externality: What x_t measures, anchored to its benchmark; None where not applicable.
        diagnostics: Names of further per-round numbers that the rules report for each seat.
        solution: How the game can be solved: ``exact`` (tree and linear programme), ``bounds``, or
            ``none`` where it is too large for anything but playing episodes.
    """

    id: str
    version: int
    title: str
    summary: str
    rounds: int
    seats: int
    dynamics: Literal["simultaneous", "sequential"]
    information: Literal["complete", "imperfect"]
    zero_sum: bool
    symmetric: bool
    payoff_bounds: tuple[float, float]
    payoff_scale: float
    weights: Weights
    independent_rounds: bool = False
    collusion: str | None = None
    externality: str | None = None
    diagnostics: tuple[str, ...] = ()
    solution: Literal["exact", "bounds", "none"] = "exact"

    @property
    def key(self) -> str:
        """``id@version``, as results and transcripts name the game."""
        return f"{self.id}@{self.version}"

    @property
    def utility_scale(self) -> float:
        """The factor s = 3 / payoff_scale of the objective."""
        return 3.0 / self.payoff_scale


class GameOptions(BaseModel):
    """Base of every game's options: validated, frozen, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def changed(self) -> dict[str, object]:
        """Return the options that differ from the defaults, ready for JSON."""
        return self.model_dump(mode="json", exclude_defaults=True)


class Rules(ABC):
    """What can be played: options, a declaration, and the words for what a seat knows.

    Subclasses set ``Options`` and ``name``.
    """

    Options: ClassVar[type[GameOptions]] = GameOptions
    name: ClassVar[str]

    def __init__(self, options: GameOptions | None = None) -> None:
        """Take validated options; None means the defaults."""
        self.options: Any = options if options is not None else self.Options()

    @classmethod
    def create(cls, **options: object) -> Self:
        """Build from raw options.

        Raises:
            RequestError: An option is unknown (the nearest right one is named) or out of range.
        """
        try:
            return cls(cls.Options(**options))
        except ValidationError as error:
            raise RequestError(f"{cls.name}: {_explain(error, cls.Options)}") from None

    @property
    @abstractmethod
    def info_record(self) -> GameInfo:
        """The declaration, with the options taken into account."""

    @abstractmethod
    def start(self, index: int, chance: Chance) -> Environment:
        """Return an episode, ready to play.

        Args:
            index: Number of the deal, for rules that deal from a list of scenarios.
            chance: The deal's draws.
        """

    @abstractmethod
    def info(self, seat: Seat, observation: Hashable, history: tuple[Hashable, ...]) -> Mapping[str, object]:
        """Return what a seat knows as a plain mapping; its keys are part of the contract."""

    @abstractmethod
    def label(self, observation: Hashable, history: tuple[Hashable, ...]) -> str:
        """Return a short name of an information state, unique in the game."""


def _explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Turn the first pydantic error into one line that names the value and the way out."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = list(model.model_fields)
        guess = nearest(where, known)
        hint = f"did you mean {guess!r}?" if guess else f"options are {', '.join(known) or 'none'}"
        return f"unknown option {where!r}: {hint}"
    reason = first["msg"].removeprefix("Value error, ").lower()
    return f"option {where} = {first['input']!r}: {reason}" if where else f"{first['input']!r}: {reason}"
