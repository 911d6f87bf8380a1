"""Strategies of the auction, bid by bid (``domains.md``)."""

from __future__ import annotations

from itertools import product

import pytest

from equipoise.games.auction import ACTIONS, HIGH, LOW, MEDIUM, VALUES, Seen, View
from equipoise.opponents.base import Strategy
from equipoise.opponents.registry import strategies
from tests.opponents.truth import Bench, check_classifier, check_source

ALL = strategies("auction")
WORDS = {"L": LOW, "M": MEDIUM, "H": HIGH}
SIGNALS = [Seen(4, own, other, True) for own, other in product(ACTIONS, repeat=2)]
BENCH = Bench(
    view=lambda round_, value: View(round_, 6, value),
    private=VALUES,
    histories=[history for length in range(3) for history in product(SIGNALS, repeat=length)],
    legal=ACTIONS,
    rounds=6,
)


def bid(name: str, value: int, round_: int = 0, *others: str) -> str:
    """Return the first letter of a certain bid after the other's past bids."""
    history = tuple(Seen(2, LOW, WORDS[other], False) for other in others)
    answer = BENCH.answer(ALL[name], history, round_, value)
    assert max(answer) == 1.0
    return ACTIONS[answer.index(1.0)][0]


@pytest.mark.parametrize(
    ("name", "at_two", "at_four"),
    [
        ("shaded", "L", "M"),
        ("conservative", "L", "L"),
        ("collusive_low", "L", "L"),
        ("aggressive", "M", "H"),
        ("always_high", "H", "H"),
    ],
)
def test_bids_by_value(name: str, at_two: str, at_four: str) -> None:
    for others in ((), ("L",), ("H", "M")):
        for round_ in range(6):
            assert (bid(name, 2, round_, *others), bid(name, 4, round_, *others)) == (at_two, at_four)


@pytest.mark.parametrize(
    ("others", "at_two", "at_four"),
    [((), "M", "M"), (("L",), "M", "M"), (("M",), "M", "H"), (("H",), "M", "H"), (("H", "L"), "M", "M")],
)
def test_adaptive_bids_one_above_as_far_as_the_value_goes(
    others: tuple[str, ...], at_two: str, at_four: str
) -> None:
    assert (bid("adaptive", 2, 1, *others), bid("adaptive", 4, 1, *others)) == (at_two, at_four)


@pytest.mark.parametrize("rounds", [6, 3])
def test_the_sniper_waits_for_the_last_two_rounds(rounds: int) -> None:
    for value, late in ((2, MEDIUM), (4, HIGH)):
        bids = [
            next(iter(ALL["sniper"].probabilities(None, View(round_, rounds, value), ACTIONS)))
            for round_ in range(rounds)
        ]
        assert bids == [LOW] * (rounds - 2) + [late] * 2


def test_rational_random_is_uniform_over_the_bids_below_the_value() -> None:
    assert BENCH.answer(ALL["rational_random"], (), 0, 2) == (1.0, 0.0, 0.0)
    assert BENCH.answer(ALL["rational_random"], (), 0, 4) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_the_names_are_those_of_the_domain() -> None:
    assert set(ALL) == {
        "shaded",
        "conservative",
        "rational_random",
        "aggressive",
        "adaptive",
        "collusive_low",
        "always_high",
        "sniper",
        "random",
    }


def test_the_strategies_differ_from_one_another() -> None:
    behaviour = {name: tuple(BENCH.behaviour(strategy).items()) for name, strategy in ALL.items()}
    # On purpose: the partner of the collusive pool bids like the conservative one of the train pool.
    assert behaviour.pop("collusive_low") == behaviour["conservative"]
    assert len(set(behaviour.values())) == len(behaviour)


@pytest.mark.parametrize("strategy", ALL.values(), ids=ALL)
def test_the_classifier_tells_the_truth(strategy: Strategy) -> None:
    check_classifier(BENCH, strategy)
    check_source(strategy)
