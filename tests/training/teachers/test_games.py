"""Every teacher plays as its source says: moves by hand, and an oracle over whole episodes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import pytest

from equipoise.games import auction, commons, multi_issue, split
from equipoise.games.auction import PRICE
from equipoise.games.registry import make_game
from equipoise.training.data import Demonstrations
from equipoise.training.teachers import teacher_games
from equipoise.training.teachers.mixtures import teachers_of

Bundle = tuple[int, int, int]


def move(game: str, name: str, view: Any, seen: Sequence[Hashable] = ()) -> Any:
    """The only action of a teacher after what it has seen."""
    (strategy,) = (one.strategy for one in teachers_of(game) if one.name == name)
    ((memory, _),) = strategy.start()
    for signal in seen:
        memory = strategy.update(memory, signal)
    (action,) = strategy.probabilities(memory, view, ())
    return action


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("value_bid", "LOW", "MEDIUM"), ("aggressive_value", "LOW", "HIGH")],
)
def test_bids_by_value(name: str, low: str, high: str) -> None:
    assert move("auction", name, auction.View(3, 6, 2)) == low
    assert move("auction", name, auction.View(3, 6, 4)) == high


@pytest.mark.parametrize(
    ("others", "bid"),
    [
        ("", "MEDIUM"),
        ("H", "HIGH"),
        ("M", "MEDIUM"),
        # A mean of 2.5 is enough, 2.4 is not; the whole past counts, not the last bid.
        ("HM", "HIGH"),
        ("HHMM", "HIGH"),
        ("HHMMM", "MEDIUM"),
        ("HHHHL", "HIGH"),
        ("LLLH", "MEDIUM"),
    ],
)
def test_the_adaptive_bidder_answers_the_mean(others: str, bid: str) -> None:
    words = {"L": "LOW", "M": "MEDIUM", "H": "HIGH"}
    seen = [auction.Seen(4, "LOW", words[letter], False) for letter in others]
    assert move("auction", "mean_adaptive", auction.View(len(seen), 6, 4), seen) == bid
    assert move("auction", "mean_adaptive", auction.View(len(seen), 6, 2), seen) == "LOW"


@pytest.mark.parametrize(
    ("name", "rounds", "demand"),
    [
        ("fair", [], 5),
        ("fair", [(5, 9)], 5),
        ("balanced_yielding", [], 6),
        ("balanced_yielding", [(6, 6)], 6),
        ("balanced_yielding", [(6, 7)], 3),
        ("balanced_yielding", [(6, 9), (3, 6)], 6),
        ("conceding", [], 6),
        ("conceding", [(6, 4)], 6),
        ("conceding", [(6, 5)], 5),
        ("conceding", [(6, 8), (5, 5)], 5),
        ("conceding", [(6, 8), (5, 8), (4, 8)], 3),
        ("conceding", [(6, 8), (5, 8), (4, 8), (3, 8)], 3),
        ("complement", [], 5),
        ("complement", [(5, 7), (3, 2)], 8),
    ],
)
def test_demands_of_the_pie(name: str, rounds: list[tuple[int, int]], demand: int) -> None:
    seen = [split.Seen(*pair) for pair in rounds]
    assert move("split", name, split.View(len(seen)), seen) == demand


@pytest.mark.parametrize(
    ("pool", "values", "proportional", "conservative"),
    [
        # 1.5, 0.6, 0.8 and four fifths of them 1.2, 0.48, 0.64.
        ((3, 2, 4), (5, 3, 2), (2, 1, 1), (1, 0, 1)),
        # 0.5 rounds up; 0.4 of it does not, so one unit of the best is left.
        ((1, 1, 1), (5, 4, 1), (1, 0, 0), (1, 0, 0)),
        # All round to nothing: one unit of the most valued, ties to the first.
        ((1, 1, 1), (3, 3, 4), (0, 0, 1), (0, 0, 1)),
        ((1, 1, 1), (4, 2, 4), (1, 0, 0), (1, 0, 0)),
        # 3.2, 0.4, 0.4 and 2.56, 0.32, 0.32.
        ((4, 4, 4), (8, 1, 1), (3, 0, 0), (3, 0, 0)),
    ],
)
def test_shares_of_the_items(
    pool: Bundle, values: Bundle, proportional: Bundle, conservative: Bundle
) -> None:
    view = multi_issue.View(0, pool, values)
    assert move("multi_issue", "proportional", view) == proportional
    assert move("multi_issue", "conservative", view) == conservative
    assert move("multi_issue", "adaptive", view) == proportional


@pytest.mark.parametrize(
    ("own", "other", "then"),
    [
        # The pool is 3 2 4, the values are 5 3 2: balls go first, then hats, then books.
        ((2, 1, 1), (1, 1, 3), (2, 1, 1)),
        ((2, 1, 1), (2, 0, 0), (2, 1, 0)),
        ((2, 1, 0), (2, 0, 0), (2, 0, 0)),
        ((2, 0, 0), (2, 0, 0), (1, 0, 0)),
        ((1, 0, 0), (3, 0, 0), (1, 0, 0)),
        ((2, 1, 0), (0, 0, 0), (2, 1, 0)),
    ],
)
def test_the_adaptive_negotiator_gives_up_what_is_worth_least(
    own: Bundle, other: Bundle, then: Bundle
) -> None:
    view = multi_issue.View(1, (3, 2, 4), (5, 3, 2))
    assert move("multi_issue", "adaptive", view, [multi_issue.Seen(own, other)]) == then


def test_of_equal_items_the_adaptive_negotiator_gives_up_the_first() -> None:
    view = multi_issue.View(1, (2, 2, 2), (3, 3, 4))
    assert move("multi_issue", "adaptive", view, [multi_issue.Seen((1, 1, 1), (2, 0, 0))]) == (0, 1, 1)


@pytest.mark.parametrize("valuation", ["unit10", "pool10"])
def test_demands_on_items_are_within_the_pool_and_something(valuation: Literal["unit10", "pool10"]) -> None:
    """For all pools and values; the adaptive one comes down by a unit a round, to one unit."""
    for pool in multi_issue.pools(valuation):
        for values in multi_issue.valuations(valuation, pool):
            view = multi_issue.View(0, pool, values)
            whole, part = (move("multi_issue", name, view) for name in ("proportional", "conservative"))
            for demand in (whole, part):
                assert all(0 <= asked <= units for asked, units in zip(demand, pool, strict=True))
                assert sum(demand) >= 1
            assert sum(part) <= sum(whole)
            demand = whole
            for left in range(sum(whole) - 1, 0, -1):
                broken = multi_issue.Seen(demand, (5, 5, 5))
                demand = move("multi_issue", "adaptive", view, [broken])
                assert sum(demand) == left
            assert move("multi_issue", "adaptive", view, [multi_issue.Seen(demand, (5, 5, 5))]) == demand


@pytest.mark.parametrize(
    ("others", "demand"),
    [
        ([], (1, 1, 2)),
        ([(2, 1, 0)], (1, 1, 4)),
        # Means 1.5, 0.5 and 0: what they leave is rounded down.
        ([(2, 1, 0), (1, 0, 0)], (1, 1, 4)),
        ([(3, 2, 4), (3, 2, 4), (0, 0, 0)], (1, 0, 1)),
    ],
)
def test_the_defensive_negotiator_takes_what_the_mean_leaves(others: list[Bundle], demand: Bundle) -> None:
    seen = [multi_issue.Seen((0, 0, 0), other) for other in others]
    assert move("multi_issue", "defensive", multi_issue.View(len(seen), (3, 2, 4), (5, 3, 2)), seen) == demand


@pytest.mark.parametrize(
    ("others", "request_"), [("", "LOW"), ("L", "LOW"), ("M", "MEDIUM"), ("H", "MEDIUM"), ("HL", "LOW")]
)
def test_the_restrained_never_strips(others: str, request_: str) -> None:
    words = {"L": "LOW", "M": "MEDIUM", "H": "HIGH"}
    seen = [commons.Seen("LOW", words[letter]) for letter in others]
    assert move("commons", "restrained_reciprocal", commons.View(len(seen), 8, 12), seen) == request_


def expected(teacher: str, info: Mapping[str, Any]) -> Any:
    """What a teacher plays, told from what it knows; None where it draws, or where another test says it."""
    game, other = info["game"], info.get("other", ())
    if game == "auction":
        prices = [PRICE[bid] for bid in info["other_bids"]]
        high = bool(prices) and sum(prices) / len(prices) >= 2.5
        strong = {
            "value_bid": "MEDIUM",
            "aggressive_value": "HIGH",
            "mean_adaptive": "HIGH" if high else "MEDIUM",
        }
        return None if teacher == "random" else ("LOW" if info["value"] == 2 else strong[teacher])
    if game == "split":
        failed = sum(a + b > 10 for a, b in zip(info["own"], other, strict=True))
        return {
            "fair": 5,
            "balanced_yielding": 3 if other and other[-1] >= 7 else 6,
            "conceding": max(3, 6 - failed),
            "complement": 10 - other[-1] if other else 5,
        }.get(teacher)
    if game == "multi_issue" and teacher in ("proportional", "conservative"):
        part = Fraction(1 if teacher == "proportional" else Fraction(4, 5))
        shares = [part * p * v / 10 for p, v in zip(info["pool"], info["values"], strict=True)]
        rounded = tuple(math.floor(share + Fraction(1, 2)) for share in shares)
        best = info["values"].index(max(info["values"]))
        return rounded if any(rounded) else tuple(int(item == best) for item in range(3))
    if game == "multi_issue" and teacher == "defensive" and other:
        means = [Fraction(sum(column), len(other)) for column in zip(*other, strict=True)]
        return tuple(math.floor(p - mean) for p, mean in zip(info["pool"], means, strict=True))
    if game == "commons":
        last = other[-1] if other else "LOW"
        stock = "LOW" if info["stock"] <= 6 else "MEDIUM"
        restrained = "MEDIUM" if last == "HIGH" else last
        return {"medium": "MEDIUM", "scarcity_aware": stock, "restrained_reciprocal": restrained}[teacher]
    return None


@pytest.mark.parametrize("recipe", ["paper", "balanced"])
@pytest.mark.parametrize("game", ["auction", "split", "multi_issue", "commons"])
def test_what_is_shown_is_what_the_teacher_plays(game: str, recipe: str) -> None:
    if game not in teacher_games(recipe):
        return
    checked = set()
    for example in Demonstrations(make_game(game), recipe, 5).first_episodes(150):
        info = example.decision.info
        if (action := expected(example.teacher, info)) is not None:
            assert example.action == action, (example.teacher, info)
            checked.add(example.teacher)
    drawn = {"random", "random_3_7", "adaptive"}
    assert (
        checked
        == {one.name for one, _ in Demonstrations(make_game(game), recipe, 5).mixture.teachers} - drawn
    )
