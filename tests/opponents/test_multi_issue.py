"""Strategies of the negotiation over several items, demand by demand (``domains.md``)."""

from __future__ import annotations

from itertools import product

import pytest

from equipoise.games.multi_issue import Bundle, Seen, View
from equipoise.opponents.base import Strategy, Uniform
from equipoise.opponents.multi_issue import STRATEGIES
from tests.helpers import memory_after
from tests.opponents.truth import Bench, check_classifier, check_source

ALL: dict[str, Strategy] = {**STRATEGIES, "random": Uniform()}
POOL: Bundle = (4, 1, 3)
LEGAL = tuple(product(range(5), range(2), range(4)))
SOME: tuple[Bundle, ...] = ((0, 0, 0), (1, 1, 2), (4, 1, 3))
SIGNALS = [Seen(own, other) for own, other in product(SOME, repeat=2)]
BENCH = Bench(
    view=lambda round_, values: View(round_, POOL, values),
    private=((1, 1, 8), (2, 5, 3), (8, 1, 1)),
    histories=[history for length in range(3) for history in product(SIGNALS, repeat=length)],
    legal=LEGAL,
    rounds=4,
)


def demand(
    name: str,
    *others: Bundle,
    pool: Bundle = POOL,
    values: Bundle = (2, 3, 5),
    round_: int | None = None,
) -> Bundle:
    """Return the certain demand after the other's past demands."""
    memory = memory_after(ALL[name], [Seen((0, 0, 0), other) for other in others])
    view = View(len(others) if round_ is None else round_, pool, values)
    ((found, probability),) = ALL[name].probabilities(memory, view, LEGAL).items()
    assert probability == 1.0
    return found  # type: ignore[return-value]


@pytest.mark.parametrize("others", [(), ((1, 1, 1),), ((4, 1, 3), (0, 0, 0))])
def test_demands_that_do_not_answer(others: tuple[Bundle, ...]) -> None:
    assert demand("fair", *others) == (2, 0, 1)
    assert demand("hardball", *others) == (3, 0, 2)
    assert demand("greedy", *others) == (1, 1, 2)
    assert demand("specialist", *others) == (0, 0, 3)


@pytest.mark.parametrize(
    ("round_", "found"), [(0, (4, 1, 3)), (1, (3, 0, 2)), (2, (2, 0, 1)), (3, (2, 0, 1))]
)
def test_concede_asks_for_a_unit_less_twice(round_: int, found: Bundle) -> None:
    assert demand("concede", round_=round_) == found


def test_tit_for_tat_demands_what_was_demanded() -> None:
    assert demand("tit_for_tat") == (2, 0, 2)
    assert demand("tit_for_tat", (4, 1, 0)) == (4, 1, 0)
    assert demand("tit_for_tat", (4, 1, 0), (0, 1, 3)) == (0, 1, 3)


def test_residual_demands_what_was_left() -> None:
    assert demand("residual") == (2, 0, 1)
    assert demand("residual", (4, 1, 0)) == (0, 0, 3)
    assert demand("residual", (4, 1, 0), (0, 1, 3)) == (4, 0, 0)


@pytest.mark.parametrize(
    ("pool", "values", "found"),
    [
        ((4, 4, 4), (1, 1, 8), (1, 1, 4)),  # 4·1/10 + 1, 4·8/10 + 1
        ((4, 4, 4), (2, 3, 5), (1, 2, 3)),
        ((1, 1, 1), (8, 1, 1), (1, 1, 1)),
        ((3, 2, 4), (4, 5, 1), (2, 2, 1)),
    ],
)
def test_greedy_asks_for_a_unit_beyond_its_share_of_the_worth(
    pool: Bundle, values: Bundle, found: Bundle
) -> None:
    assert demand("greedy", pool=pool, values=values) == found


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ((1, 3, 6), (0, 1, 4)),
        ((6, 3, 1), (4, 1, 0)),
        ((3, 6, 1), (2, 3, 0)),
        # Ties go to the first item: the most valued, and the least valued.
        ((4, 4, 2), (4, 1, 0)),
        ((2, 4, 4), (0, 3, 2)),
        ((3, 4, 3), (0, 3, 2)),
        ((3, 3, 4), (0, 1, 4)),
        ((4, 3, 3), (4, 0, 2)),
        # With the pool worth ten they can be alike: the first is most valued, the next least.
        ((1, 1, 1), (4, 0, 2)),
    ],
)
def test_the_specialist_takes_all_of_one_none_of_another_and_half_of_the_third(
    values: Bundle, found: Bundle
) -> None:
    assert demand("specialist", pool=(4, 3, 4), values=values) == found


def test_the_names_are_those_of_the_domain() -> None:
    assert set(ALL) == {
        "fair",
        "tit_for_tat",
        "concede",
        "greedy",
        "hardball",
        "residual",
        "specialist",
        "random",
    }


def test_the_strategies_differ_from_one_another() -> None:
    assert len({tuple(BENCH.behaviour(strategy).items()) for strategy in ALL.values()}) == len(ALL)


@pytest.mark.parametrize("strategy", ALL.values(), ids=ALL)
def test_the_classifier_tells_the_truth(strategy: Strategy) -> None:
    check_classifier(BENCH, strategy)
    check_source(strategy)
