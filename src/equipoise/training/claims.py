"""Reads reasons again: whether what a sentence says of the past, and of the move, is so.

This shares nothing with what writes the sentences (``training/teachers``): it takes a sentence apart and
holds every number, card and round in it, and the move that it gives a reason for, against what the seat knew.
A sentence of a form that is not listed here counts as refuted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import floor
from typing import Any

from equipoise.types import Action

__all__ = ["refute"]

Info = Mapping[str, Any]
Claim = Callable[..., bool]
"""Takes what the seat knew, the action, and the words that the pattern caught; tells whether it is all so."""

_AMOUNT = {"LOW": 1, "MEDIUM": 2, "HIGH": 3}
_PUTS_IN = ("BET", "CALL")


def _dilemma(verb: str) -> str:
    """Return an action of the dilemma from what a sentence calls it."""
    return "DEFECT" if verb.startswith("defect") else "COOPERATE"


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def _said(does: str, did: bool) -> bool:
    """Tell whether "I do" or "I do not" is what was done."""
    return (does == "do") == did


def _fails(info: Info) -> list[bool]:
    """Tell of every round of the pie whether it ended without a deal."""
    return [own + other > 10 for own, other in zip(info["own"], info["other"], strict=True)]


def _overdrawn(info: Info) -> bool:
    """Tell whether the last demands on the items were more than the pool."""
    left = (p - a - b for p, a, b in zip(info["pool"], info["own"][-1], info["other"][-1], strict=True))
    return any(units < 0 for units in left)


def _rounded(info: Info, part: Fraction) -> tuple[int, ...]:
    shares = (part * units * value / 10 for units, value in zip(info["pool"], info["values"], strict=True))
    return tuple(floor(share + Fraction(1, 2)) for share in shares)


def _names(info: Info, pool: str, values: str) -> bool:
    return (_numbers(pool), _numbers(values)) == (info["pool"], info["values"])


def _is_share(info: Info, action: Any, less: str | None, pool: str, values: str) -> bool:
    part = Fraction(4, 5) if less else Fraction(1)
    return _names(info, pool, values) and action == _rounded(info, part) and any(action)


def _is_one_of_best(info: Info, action: Any, less: str | None, pool: str, values: str) -> bool:
    part = Fraction(4, 5) if less else Fraction(1)
    best = action.index(1) if sorted(action) == [0, 0, 1] else None
    named = _names(info, pool, values) and not any(_rounded(info, part))
    return named and best is not None and info["values"][best] == max(info["values"])


def _gives_up(info: Info, action: Any, item: str) -> bool:
    last, index = info["own"][-1], ("book", "hat", "ball").index(item)
    asked = [value for value, units in zip(info["values"], last, strict=True) if units]
    less = tuple(units - (place == index) for place, units in enumerate(last))
    return _overdrawn(info) and action == less and info["values"][index] == min(asked)


def _leaves(info: Info, action: Any, count: str, sums: str, pool: str) -> bool:
    other, rounds = info["other"], 1 if count == "only" else int(count)
    totals = tuple(sum(demand[item] for demand in other) for item in range(3))
    left = tuple(floor(p - Fraction(t, rounds)) for p, t in zip(info["pool"], totals, strict=True))
    return (len(other), totals, info["pool"]) == (rounds, _numbers(sums), _numbers(pool)) and action == left


def _mean_bid(info: Info, action: Any, count: str, total: str, mean: str, bid: str) -> bool:
    prices = [_AMOUNT[other] for other in info["other_bids"]]
    rounds = 1 if count == "only" else int(count)
    high = Fraction(sum(prices), rounds) >= Fraction(5, 2)
    told = (len(prices), sum(prices), mean == "at least") == (rounds, int(total), high)
    return told and _AMOUNT[action] == int(bid)


def _bids(info: Info, action: Any, value: str, bid: float) -> bool:
    return info["value"] == int(value) and _AMOUNT[action] == bid


def _holds(info: Info, action: Any, card: str, move: str, often: str) -> bool:
    """Tell whether card and occasion are right, and the move what "always" or "never" says."""
    return _has(info, card, move) and (often == "always") == (action in _PUTS_IN)


def _mixes(info: Info, action: Any, card: str, move: str, does: str) -> bool:
    return _has(info, card, move) and _said(does, action in _PUTS_IN)


def _has(info: Info, card: str, move: str) -> bool:
    return bool(info["card"] == card) and info["bets"].endswith("b") == (move != "bet it")


_RANDOM: dict[str, Claim] = {r"I choose at random among all legal actions": lambda info, action: True}

_IPD: dict[str, Claim] = {
    r"No round has been played yet, and I begin with cooperation": lambda info, action: (
        not info["other"] and action == "COOPERATE"
    ),
    r"The other player (cooperated|defected) in the last round, "
    r"and I do the same": lambda info, action, verb: info["other"][-1] == action == _dilemma(verb),
    r"The other player defected in the last round, which I forgive one time in four; "
    r"this time I (do|do not)": lambda info, action, does: (
        info["other"][-1] == "DEFECT" and _said(does, action == "COOPERATE")
    ),
    r"The other player defected in round (\d+), and I do not cooperate after that": lambda info, action, t: (
        info["other"].index("DEFECT") == int(t) - 1 and action == "DEFECT"
    ),
    r"The other player cooperated in (?:all (\d+) rounds|the only round) so far": lambda info, action, n: (
        len(info["other"]) == int(n or 1) and {*info["other"], action} == {"COOPERATE"}
    ),
    r"I (cooperate|defect) in every round, whatever the other player does": lambda info, action, does: (
        action == _dilemma(does)
    ),
}

_AUCTION: dict[str, Claim] = {
    r"My value is (\d), and I bid half of it": lambda info, action, v: _bids(info, action, v, int(v) / 2),
    r"My value is (\d), and I bid one less, which earns 1 if it wins": lambda info, action, v: _bids(
        info, action, v, int(v) - 1
    ),
    r"My value is (2), so I bid 1, whatever the other player does": lambda info, action, v: _bids(
        info, action, v, 1
    ),
    r"No bid of the other player is known yet, so I bid (\d)": lambda info, action, bid: (
        not info["other_bids"] and _AMOUNT[action] == int(bid)
    ),
    r"The other player's (only|\d+) bids? so far (?:sum|comes) to (\d+), (at least|less than) 2\.5 a round, "
    r"so I bid (\d)": _mean_bid,
}

_SPLIT: dict[str, Claim] = {
    r"Half of 10 is 5, and I demand no more": lambda info, action: action == 5,
    r"No round has been played yet, so I demand (\d)": lambda info, action, demand: (
        not info["other"] and action == int(demand)
    ),
    r"The other player demanded (\d) in the last round, (7 or more|less than 7), "
    r"so I demand (\d)": lambda info, action, last, size, demand: (
        (info["other"][-1], action) == (int(last), int(demand)) and (int(last) >= 7) == (size == "7 or more")
    ),
    r"Of the (\d+) rounds so far (\d+) ended without a deal, so I demand (\d)": lambda info, action, *said: (
        (len(info["own"]), sum(_fails(info)), action) == tuple(map(int, said))
    ),
    r"The only round so far ended (with|without) a deal, "
    r"so I demand (\d)": lambda info, action, how, demand: (
        _fails(info) == [how == "without"] and action == int(demand)
    ),
    r"The other player demanded (\d) in the last round, which leaves (\d)": lambda info, action, last, left: (
        info["other"][-1] == int(last) and action == int(left) == 10 - int(last)
    ),
    r"I choose at random among the demands from 3 to 7": lambda info, action: 3 <= action <= 7,
}

_TIMES = r"the units in the pool (\d \d \d) times my values (\d \d \d) over ten"

_MULTI_ISSUE: dict[str, Claim] = {
    rf"Of each item I demand (four fifths of )?{_TIMES}, rounded": _is_share,
    rf"To the nearest unit, (four fifths of )?{_TIMES} is nothing, "
    r"so I demand one unit of my best item": _is_one_of_best,
    r"The last round ended with a deal, and I demand the same again": lambda info, action: (
        not _overdrawn(info) and action == info["own"][-1]
    ),
    r"The last round ended without a deal, but I keep my last unit": lambda info, action: (
        _overdrawn(info) and action == info["own"][-1] and sum(action) == 1
    ),
    r"The last round ended without a deal, so I demand one (book|hat|ball) less": _gives_up,
    r"No round has been played yet, so I demand half of every item, rounded down": lambda info, action: (
        not info["other"] and action == tuple(floor(Fraction(units, 2)) for units in info["pool"])
    ),
    r"The other player's (only|\d+) demands? so far (?:sum|comes) to (\d+ \d+ \d+), and I demand what their "
    r"mean leaves of the pool (\d \d \d)": _leaves,
}

_KUHN: dict[str, Claim] = {
    r"I hold ([JQK]), and I (always|never) (bet it|call a bet with it) here": lambda info, action, *said: (
        _holds(info, action, said[0], said[2], said[1])
    ),
    r"I hold ([JQK]), and I (bet it|call a bet with it) one time in (?:three|five) here; "
    r"this time I (do|do not)": _mixes,
}

_COMMONS: dict[str, Claim] = {
    r"I request (\w+) in every round": lambda info, action, amount: action == amount,
    r"The stock is (\d+), (6 or less|more than 6), so I request (\w+)": lambda info, action, *said: (
        (info["stock"], action) == (int(said[0]), said[2]) and (int(said[0]) <= 6) == (said[1] == "6 or less")
    ),
    r"No round has been played yet, and I begin with (\w+)": lambda info, action, amount: (
        not info["other"] and action == amount
    ),
    r"The other player requested (\w+) in the last round, and I do the same": lambda info, action, last: (
        info["other"][-1] == action == last
    ),
    r"The other player requested (\w+) in the last round, and I go up to (\w+), "
    r"no further": lambda info, action, last, most: (
        info["other"][-1] == last and action == most and _AMOUNT[last] > _AMOUNT[most]
    ),
}

_CLAIMS: Mapping[str, Mapping[str, Claim]] = {
    "ipd": {**_RANDOM, **_IPD},
    "auction": {**_RANDOM, **_AUCTION},
    "split": {**_RANDOM, **_SPLIT},
    "multi_issue": {**_RANDOM, **_MULTI_ISSUE},
    "kuhn": {**_RANDOM, **_KUHN},
    "commons": {**_RANDOM, **_COMMONS},
}


def refute(reason: str, info: Info, action: Action) -> str | None:
    """Hold a reason against what the seat knew and what it played.

    Args:
        reason: One sentence, with its full stop.
        info: What the seat knew; ``info["game"]`` tells the game.
        action: What it played.

    Returns:
        What is wrong with it in words, or None if all that it says is so.
    """
    for pattern, claim in _CLAIMS.get(str(info["game"]), {}).items():
        if found := re.fullmatch(rf"{pattern}\.", reason):
            try:
                holds = claim(info, action, *found.groups())
            except (IndexError, KeyError, ValueError, ZeroDivisionError):
                # The sentence speaks of a round, an amount or an action that does not exist.
                holds = False
            return None if holds else f"{reason!r} is not so where {action!r} was played"
    return f"{reason!r} is no sentence that can be checked"
