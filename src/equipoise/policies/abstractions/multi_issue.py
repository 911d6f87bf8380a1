"""Abstractions of the negotiation over several items.

Legal demands differ from pool to pool, so the columns are rules that name a demand in any pool, and the other
is known by what its first demand looked like. Rules and patterns are shares of the pool, as negotiators state
them; none reads an opponent's strategy.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

from equipoise.games.base import Game
from equipoise.games.multi_issue import Bundle, Seen, View
from equipoise.policies.abstractions.base import Abstraction

__all__ = ["ABSTRACTIONS", "shares"]

LATE = 3
"""Rounds from this one on are not told apart."""

PATTERNS: dict[str, Callable[[int], int]] = {
    "all": lambda units: units,
    "but one": lambda units: units - 1,
    "two thirds": lambda units: 2 * units // 3,
    "half": lambda units: units // 2,
}
"""Shares of an item's units that a demand is compared with; several fit where units are few."""

RULES: dict[str, Callable[[int], int]] = {
    "nothing": lambda units: 0,
    "one": lambda units: min(units, 1),
    "two": lambda units: min(units, 2),
    "half": lambda units: units // 2,
    "rest of half": lambda units: units - units // 2,
    "rest of two thirds": lambda units: units - 2 * units // 3,
    "all": lambda units: units,
}
"""Shares of an item's units that may be demanded; the rule ``rest`` demands what the other left last."""


class _Memory(NamedTuple):
    """The other's first demand and its last."""

    first: Bundle
    last: Bundle


def _learn(memory: _Memory | None, seen: Seen) -> _Memory:
    return _Memory(seen.other if memory is None else memory.first, seen.other)


def _fits(pool: Bundle, demand: Bundle) -> tuple[bool, ...]:
    """Tell which patterns a demand follows in every item."""
    return tuple(
        all(asked == share(units) for asked, units in zip(demand, pool, strict=True))
        for share in PATTERNS.values()
    )


def _short(fits: tuple[bool, ...]) -> str:
    return "=".join(name for name, found in zip(PATTERNS, fits, strict=True) if found) or "other"


def _key(memory: _Memory | None, view: View) -> str:
    if memory is None:
        return "0 open"
    return f"{min(view.round, LATE)} {_short(_fits(view.pool, memory.first))}"


def _rules(memory: _Memory | None, view: View) -> tuple[Bundle, ...]:
    pool = view.pool
    found: list[Bundle] = [tuple(map(rule, pool)) for rule in RULES.values()]  # type: ignore[misc]
    last = found[list(RULES).index("half")] if memory is None else memory.last
    rest = tuple(units - asked for units, asked in zip(pool, last, strict=True))
    return (*found, rest)  # type: ignore[arg-type]


def shares(game: Game) -> Abstraction:
    """Keep the round and which shares of the pool the other demanded first; demand shares of the pool."""
    # No item has 0 units, so "all" shares a demand with no smaller share.
    patterns = [(True, False, False, False), *((False, *row) for row in product((False, True), repeat=3))]
    return Abstraction(
        "shares",
        "the round (0, 1, 2, 3 and later) and which shares of the pool the other demanded first: all, all "
        "but one, two thirds, half, or none of them",
        ("0 open", *(f"{when} {_short(fits)}" for when in range(1, LATE + 1) for fits in patterns)),
        (*RULES, "rest"),
        _key,
        learn=_learn,
        rules=_rules,
    )


ABSTRACTIONS = {"shares": shares}
"""All abstractions of the game by name."""
