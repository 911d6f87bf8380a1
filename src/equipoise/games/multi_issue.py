"""Negotiation over several items with private values.

Two sides with values of their own demand bundles of a pool of books, hats and balls at once, for a known
number of rounds (the setting of M. Lewis et al., *Deal or No Deal?*, EMNLP 2017, without the dialogue). Pool
and values are drawn once an episode. Information: ``round``, ``rounds``, ``pool``, ``values`` (the seat's
own, per unit), ``own`` and ``other`` (demands of past rounds).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from equipoise.games.base import Game, GameInfo, GameOptions, HiddenTypes, State, Step, Weights
from equipoise.types import Action, RoundOutcome, Seat

__all__ = ["ITEMS", "Bundle", "MultiIssue", "Seen", "View", "pools", "valuations"]

ITEMS, MOST = ("books", "hats", "balls"), 4
TOTAL = 10
"""What a side's values sum to: over one unit of each item, or over the pool with ``pool10``."""
Bundle = tuple[int, int, int]
"""Units (or values per unit) of books, hats and balls."""
_Worth = tuple[int, int, int, bytes, bytes]
"""What a pool is worth to two sides: to the first, to the second, and at most to both together; then, as
p-th byte, the most the first can have while the second has exactly p, and the other way round."""
_Draws = tuple[tuple[Hashable, float], ...]
Valuation = Literal["unit10", "pool10"]


class View(NamedTuple):
    """What a player sees at a decision, apart from past rounds."""

    round: int
    pool: Bundle
    values: Bundle


class Seen(NamedTuple):
    """What a player learns at the end of a round: both demands."""

    own: Bundle
    other: Bundle


@cache
def valuations(valuation: Valuation, pool: Bundle) -> tuple[Bundle, ...]:
    """Return the value triples that a side may have for a pool, all equally likely."""
    x, y, z = (1, 1, 1) if valuation == "unit10" else pool
    some = range(1, TOTAL)
    return tuple((a, b, c) for a, b, c in product(some, some, some) if a * x + b * y + c * z == TOTAL)


@cache
def pools(valuation: Valuation) -> tuple[Bundle, ...]:
    """Return the pools that may be drawn, all equally likely."""
    some = range(1, MOST + 1)
    return tuple(pool for pool in product(some, some, some) if valuations(valuation, pool))


@cache
def _draws(valuation: Valuation, fixed: Bundle | None, drawn: tuple[int, ...]) -> _Draws:
    """Return what follows the first items of a pool: the units of the next, or a side's values."""
    if len(drawn) == len(ITEMS):
        kinds = valuations(valuation, drawn)  # type: ignore[arg-type]
        return tuple((values, 1.0 / len(kinds)) for values in kinds)
    known, every = len(drawn), pools(valuation) if fixed is None else (fixed,)
    left = [pool[known] for pool in every if pool[:known] == drawn]
    return tuple((units, left.count(units) / len(left)) for units in sorted(set(left)))


@cache
def _bundles(pool: Bundle) -> tuple[Action, ...]:
    """Return every bundle within a pool: the legal demands."""
    return tuple(product(*(range(units + 1) for units in pool)))


@cache
def _beyond_half(pool: Bundle, demand: Bundle) -> float:
    return float(any(asked > (units + 1) // 2 for asked, units in zip(demand, pool, strict=True)))


class _Arrays(NamedTuple):
    """What a pool is worth, by numbers of values: the values, all of it, most to both, most beside p."""

    values: NDArray[np.int64]
    whole: NDArray[np.int64]
    joint: NDArray[np.int64]
    most: NDArray[np.uint8]


@cache
def _arrays(valuation: Valuation, pool: Bundle) -> _Arrays:
    """Return what a pool is worth, for every pair of values; units may be left over."""
    values, units = np.array(valuations(valuation, pool)), np.array(pool)
    given = np.array(_bundles(pool)).T
    partner, own = values @ given, values @ (units[:, None] - given)
    most = np.zeros((len(values), len(values), partner.max() + 1), dtype=np.uint8)
    rows = np.arange(len(values))
    for left, kept in zip(partner.T, own.T, strict=True):
        most[:, rows, left] = np.maximum(most[:, rows, left], kept[:, None])
    return _Arrays(values, values @ units, np.maximum(values[:, None], values) @ units, most)


@cache
def _worths(valuation: Valuation, pool: Bundle) -> dict[tuple[Bundle, ...], _Worth]:
    """Return what a pool is worth, for every pair of values, in the form that one outcome needs."""
    kinds, arrays = valuations(valuation, pool), _arrays(valuation, pool)
    whole, joint, most = arrays.whole.tolist(), arrays.joint.tolist(), arrays.most
    return {
        (v, w): (whole[i], whole[j], joint[i][j], most[i, j].tobytes(), most[j, i].tobytes())
        for i, v in enumerate(kinds)
        for j, w in enumerate(kinds)
    }


def _outcome(worth: _Worth, pool: Bundle, values: tuple[Bundle, ...], a: Bundle, b: Bundle) -> RoundOutcome:
    first, second, joint, first_most, second_most = worth
    own, other, deal = 0, 0, 0.0
    if a[0] + b[0] <= pool[0] and a[1] + b[1] <= pool[1] and a[2] + b[2] <= pool[2]:
        v, w = values
        own = v[0] * a[0] + v[1] * a[1] + v[2] * a[2]
        other = w[0] * b[0] + w[1] * b[1] + w[2] * b[2]
        deal = 1.0
    gaps = ((first_most[other] - own) / first, (second_most[own] - other) / second)
    greedy = (_beyond_half(pool, a), _beyond_half(pool, b))
    diagnostics = ((deal, deal), ((own + other) / joint,) * 2, gaps)
    return RoundOutcome((float(own), float(other)), greedy, (1.0 - deal, 1.0 - deal), diagnostics)


class Options(GameOptions):
    """Options of the negotiation over several items.

    Attributes:
        rounds: Rounds of an episode.
        valuation: What a side's values sum to 10 over: a unit of each item, or the pool (Deal-or-No-Deal).
        pool: Units of books, hats and balls, where they are not to be drawn.
    """

    rounds: int = Field(4, ge=1, le=1000)
    valuation: Valuation = "unit10"
    pool: Bundle | None = None

    @model_validator(mode="after")
    def _pool_can_be_drawn(self) -> Options:
        if self.pool is not None and self.pool not in pools(self.valuation):
            raise ValueError(f"choose 1 to {MOST} units of each item, which some values make worth {TOTAL}")
        return self


@dataclass(frozen=True, slots=True)
class _State(State):
    """The round, the pool drawn so far by item, and the values drawn so far by seat."""

    game: MultiIssue = field(compare=False, repr=False)
    t: int
    pool: tuple[int, ...] = ()
    values: tuple[Bundle, ...] = ()
    over: bool = False

    @property
    def round(self) -> int:
        return self.t

    @property
    def is_over(self) -> bool:
        return self.over

    @property
    def players_to_move(self) -> tuple[Seat, ...]:
        return () if self.over or len(self.values) < 2 else (0, 1)

    @property
    def chance(self) -> str | None:
        if len(self.values) == 2:
            return None
        return f"pool/{ITEMS[len(self.pool)]}" if len(self.pool) < 3 else f"values/{len(self.values)}"

    def chance_outcomes(self) -> _Draws:
        options = self.game.options
        return () if self.chance is None else _draws(options.valuation, options.pool, self.pool)

    def apply_chance(self, outcome: Hashable) -> Step:
        if isinstance(outcome, int):
            return Step(_State(self.game, self.t, (*self.pool, outcome)))
        return Step(_State(self.game, self.t, self.pool, (*self.values, outcome)))  # type: ignore[arg-type]

    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        return _bundles(self.pool)  # type: ignore[arg-type]

    def observation(self, seat: Seat) -> View:
        return View(self.t, self.pool, self.values[seat])  # type: ignore[arg-type]

    def apply(self, actions: Mapping[Seat, Action]) -> Step:
        # Exact values push 83 thousand deals through here each round: no call to spare.
        a, b = actions[0], actions[1]
        game, t, pool, values = self.game, self.t, self.pool, self.values
        outcome = _outcome(_worths(game.options.valuation, pool)[values], pool, values, a, b)  # type: ignore[arg-type]
        last = t + 1 >= game.options.rounds
        return Step(_State(game, t + (not last), pool, values, last), outcome, (Seen(a, b), Seen(b, a)))  # type: ignore[arg-type]


class _Types(HiddenTypes):
    """Pools are deals, values are types."""

    def __init__(self, game: MultiIssue) -> None:
        self.game = game
        self.valuation: Valuation = game.options.valuation

    def deals(self) -> tuple[tuple[Hashable, float], ...]:
        fixed = self.game.options.pool
        every = pools(self.valuation) if fixed is None else (fixed,)
        return tuple((pool, 1.0 / len(every)) for pool in every)

    def types(self, deal: Hashable) -> tuple[tuple[Hashable, float], ...]:
        kinds = valuations(self.valuation, deal)  # type: ignore[arg-type]
        return tuple((values, 1.0 / len(kinds)) for values in kinds)

    def first(self, deal: Hashable, types: tuple[Hashable, Hashable]) -> State:
        return _State(self.game, 0, deal, types)  # type: ignore[arg-type]

    def retype(self, state: State, types: tuple[Hashable, Hashable]) -> State:
        assert isinstance(state, _State)
        return _State(self.game, state.t, state.pool, types, state.over)  # type: ignore[arg-type]

    def means(
        self,
        deal: Hashable,
        blocks: tuple[Sequence[int], Sequence[int]],
        actions: tuple[Sequence[Action], Sequence[Action]],
    ) -> NDArray[np.float64]:
        pool: Bundle = deal  # type: ignore[assignment]
        worth = _arrays(self.valuation, pool)
        rows, columns = np.array(blocks[0]), np.array(blocks[1])
        a, b = np.array(actions[0]), np.array(actions[1])
        fits = (a[:, None] + b <= np.array(pool)).all(axis=2).astype(float)
        own, other = worth.values[rows] @ a.T, worth.values[columns] @ b.T
        # What is left to gain depends on what the partner has: one look-up a demand of the partner.
        inverse = 1.0 / worth.joint[np.ix_(rows, columns)]
        most = worth.most[rows[:, None], columns]
        left = np.take_along_axis(most, np.broadcast_to(other, (len(rows), *other.shape)), axis=2)
        whole = worth.whole[rows]
        gap = (left / whole[:, None, None]).mean(axis=(0, 1)) - (own / whole[:, None]).mean(axis=0)[:, None]
        mine_share = own.T @ inverse.mean(axis=1) / len(rows)
        share = mine_share[:, None] + inverse.mean(axis=0) @ other / len(columns)
        mine = fits * own.mean(axis=0)[:, None]
        theirs = fits * other.mean(axis=0)
        greedy = np.array([_beyond_half(pool, demand) for demand in actions[0]])  # type: ignore[arg-type]
        parts = [mine, theirs, greedy[:, None] + 0.0 * fits, 1.0 - fits, mine, theirs, fits, fits * share]
        return np.stack([*parts, fits * gap + 1.0 - fits], axis=2)


class MultiIssue(Game):
    """The negotiation over several items."""

    Options = Options
    name = "multi_issue"

    @cached_property
    def info_record(self) -> GameInfo:
        """The game's declaration."""
        per_unit = self.options.valuation == "unit10"
        return GameInfo(
            id="multi_issue",
            version=1,
            title="Negotiation over three items",
            summary=(
                f"Both players, with private values, demand a bundle of 1 to {MOST} books, hats and balls "
                "each. Bundles that fit are paid by their worth, otherwise both get 0."
            ),
            rounds=self.options.rounds,
            seats=2,
            dynamics="simultaneous",
            information="imperfect",
            zero_sum=False,
            symmetric=True,
            payoff_bounds=(0.0, float(TOTAL * MOST if per_unit else TOTAL)),
            payoff_scale=10.0,
            weights=Weights(3.0, 1.0, 1.8),
            collusion="1 if the policy demands more of an item than a fair partner leaves",
            externality="1 if an item is over-demanded: the pool is lost to both",
            diagnostics=("deal_rate", "surplus_share", "pareto_gap"),
            solution="bounds",
        )

    def hidden_types(self) -> HiddenTypes:
        """Return pools as deals and values as types."""
        return _Types(self)

    def initial_state(self) -> State:
        """Return the first round before pool and values are drawn."""
        return _State(self, 0)

    def info(self, seat: Seat, observation: Hashable, history: tuple[Hashable, ...]) -> Mapping[str, object]:
        """Return ``game, seat, round, rounds, pool, values, own, other``."""
        assert isinstance(observation, View)
        return {
            "game": "multi_issue",
            "seat": seat,
            "round": observation.round,
            "rounds": self.options.rounds,
            "pool": observation.pool,
            "values": observation.values,
            "own": tuple(seen.own for seen in history),  # type: ignore[attr-defined]
            "other": tuple(seen.other for seen in history),  # type: ignore[attr-defined]
        }

    def label(self, observation: Hashable, history: tuple[Hashable, ...]) -> str:
        """Return pool, values and past demands, own first, as in ``321@1.2.7 210/111 100/221``."""
        assert isinstance(observation, View)
        pool, values = "".join(map(str, observation.pool)), ".".join(map(str, observation.values))
        past = ("".join(map(str, (*seen.own, "/", *seen.other))) for seen in history)  # type: ignore[attr-defined]
        return " ".join([f"{pool}@{values}", *past])
