"""Negotiation over several items with private values.

Books, hats and balls lie in a pool; each side has its own values for them and demands a bundle at once with
the other, for a known number of rounds (the setting of M. Lewis et al., *Deal or No Deal? End-to-End
Learning for Negotiation Dialogues*, EMNLP 2017, without the dialogue). Pool and values are drawn once an
episode. Information: ``round``, ``rounds``, ``pool``, ``values`` (the seat's own, per unit), ``own`` and
``other`` (demands of past rounds).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from equipoise.games.base import Game, GameInfo, GameOptions, State, Step, Weights
from equipoise.types import Action, RoundOutcome, Seat

__all__ = ["ITEMS", "Bundle", "MultiIssue", "Seen", "View", "pools", "valuations"]

ITEMS = ("books", "hats", "balls")
MOST = 4
"""The most units of an item."""
TOTAL = 10
"""What a side's values sum to: over one unit of each item, or over the pool with ``pool10``."""

Bundle = tuple[int, int, int]
"""Units (or values per unit) of books, hats and balls."""
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


def _worth(values: Bundle, bundle: Bundle) -> int:
    return values[0] * bundle[0] + values[1] * bundle[1] + values[2] * bundle[2]


@cache
def valuations(valuation: Valuation, pool: Bundle) -> tuple[Bundle, ...]:
    """Return the value triples that a side may have for a pool, all equally likely."""
    counts = (1, 1, 1) if valuation == "unit10" else pool
    triples = product(range(1, TOTAL), repeat=3)
    return tuple((a, b, c) for a, b, c in triples if _worth((a, b, c), counts) == TOTAL)


@cache
def pools(valuation: Valuation) -> tuple[Bundle, ...]:
    """Return the pools that may be drawn, all equally likely."""
    every = product(range(1, MOST + 1), repeat=3)
    return tuple((a, b, c) for a, b, c in every if valuations(valuation, (a, b, c)))


@cache
def _draws(
    valuation: Valuation, fixed: Bundle | None, drawn: tuple[int, ...]
) -> tuple[tuple[Hashable, float], ...]:
    """Return what follows the first items of a pool: the units of the next, or a side's values."""
    if len(drawn) == len(ITEMS):
        kinds = valuations(valuation, drawn)  # type: ignore[arg-type]
        return tuple((values, 1.0 / len(kinds)) for values in kinds)
    known = len(drawn)
    left = [
        pool[known] for pool in (pools(valuation) if fixed is None else (fixed,)) if pool[:known] == drawn
    ]
    return tuple((units, left.count(units) / len(left)) for units in sorted(set(left)))


@cache
def _bundles(pool: Bundle) -> tuple[Action, ...]:
    """Return every bundle within a pool: the legal demands."""
    return tuple(product(*(range(units + 1) for units in pool)))


@cache
def _beyond_half(pool: Bundle, demand: Bundle) -> float:
    return float(any(asked > (units + 1) // 2 for asked, units in zip(demand, pool, strict=True)))


@cache
def _frontier(valuation: Valuation, pool: Bundle) -> dict[tuple[Bundle, Bundle], bytes]:
    """Return, for own and partner's values, the most one can have while the partner has exactly p.

    The most is the p-th byte; units may be left over.
    """
    kinds = valuations(valuation, pool)
    values = np.array(kinds)
    given = np.array(_bundles(pool))
    partner, own = values @ given.T, values @ (np.array(pool) - given).T
    best = np.zeros((len(kinds), len(kinds), partner.max() + 1), dtype=np.uint8)
    rows = np.arange(len(kinds))
    for bundle in range(len(given)):
        column = partner[:, bundle]
        best[:, rows, column] = np.maximum(best[:, rows, column], own[:, bundle, None])
    return {(a, b): best[i, j].tobytes() for i, a in enumerate(kinds) for j, b in enumerate(kinds)}


def _outcome(
    valuation: Valuation, pool: Bundle, values: tuple[Bundle, Bundle], demands: tuple[Bundle, Bundle]
) -> RoundOutcome:
    (v, w), (a, b) = values, demands
    deal = a[0] + b[0] <= pool[0] and a[1] + b[1] <= pool[1] and a[2] + b[2] <= pool[2]
    own, other = (_worth(v, a), _worth(w, b)) if deal else (0, 0)
    frontier = _frontier(valuation, pool)
    attainable = max(v[0], w[0]) * pool[0] + max(v[1], w[1]) * pool[1] + max(v[2], w[2]) * pool[2]
    share = (own + other) / attainable
    done, broken = float(deal), float(not deal)
    gaps = (
        (frontier[v, w][other] - own) / _worth(v, pool),
        (frontier[w, v][own] - other) / _worth(w, pool),
    )
    return RoundOutcome(
        (float(own), float(other)),
        (_beyond_half(pool, a), _beyond_half(pool, b)),
        (broken, broken),
        ((done, done), (share, share), gaps),
    )


class Options(GameOptions):
    """Options of the negotiation over several items.

    Attributes:
        rounds: Rounds of an episode.
        valuation: What a side's values sum to 10 over: one unit of each item (``unit10``) or the whole
            pool (``pool10``, the convention of Deal-or-No-Deal).
        pool: Units of books, hats and balls, where they are not to be drawn.
    """

    rounds: int = Field(4, ge=1, le=1000)
    valuation: Valuation = "unit10"
    pool: Bundle | None = None

    @model_validator(mode="after")
    def _pool_can_be_drawn(self) -> Options:
        if self.pool is not None and self.pool not in pools(self.valuation):
            raise ValueError(
                f"pool {self.pool} needs 1 to {MOST} units an item and, with pool10, values that make it {TOTAL}"
            )
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
        item = len(self.pool)
        return f"pool/{ITEMS[item]}" if item < len(ITEMS) else f"values/{len(self.values)}"

    def chance_outcomes(self) -> tuple[tuple[Hashable, float], ...]:
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
        a, b = actions[0], actions[1]
        options = self.game.options
        outcome = _outcome(options.valuation, self.pool, self.values, (a, b))  # type: ignore[arg-type]
        last = self.t + 1 >= options.rounds
        following = _State(self.game, self.t + (not last), self.pool, self.values, last)
        return Step(following, outcome, (Seen(a, b), Seen(b, a)))  # type: ignore[arg-type]


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
                f"A pool holds 1 to {MOST} books, hats and balls each; both players have private values for "
                "them and demand a bundle at once. If no item is over-demanded each gets its bundle's worth, "
                "otherwise both get 0."
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
