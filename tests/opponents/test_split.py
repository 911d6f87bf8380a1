"""Strategies of the pie, move by move (``domains.md``)."""

from __future__ import annotations

from itertools import product

import pytest

from equipoise.games.registry import make_game
from equipoise.games.split import DEMANDS, Seen, View
from equipoise.opponents.base import Strategy
from equipoise.opponents.registry import strategies
from tests.helpers import Script, play
from tests.opponents.truth import Bench, check_classifier, check_source

ALL = strategies("split")
SIGNALS = [Seen(own, other) for own, other in product((1, 4, 6, 9), repeat=2)]
BENCH = Bench(
    view=lambda round_, key: View(round_),
    private=(None,),
    histories=[history for length in range(3) for history in product(SIGNALS, repeat=length)],
    legal=DEMANDS,
    rounds=4,
)

every = pytest.mark.parametrize("strategy", ALL.values(), ids=ALL)


@pytest.mark.parametrize(
    ("name", "other", "own"),
    [
        ("fair", (1, 9, 5, 9), (5, 5, 5, 5)),
        ("balanced", (1, 9, 5, 9), (6, 6, 6, 6)),
        ("hardball", (1, 9, 5, 9), (8, 8, 8, 8)),
        ("selfish", (1, 9, 5, 9), (7, 7, 7, 7)),
        # 6, and 5 in the round after a breakdown only.
        ("concede", (4, 5, 5, 5), (6, 6, 5, 6)),
        ("concede", (5, 6, 6, 4), (6, 5, 5, 5)),
        ("complement", (3, 9, 6, 1), (5, 7, 1, 4)),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_moves(name: str, other: tuple[int, ...], own: tuple[int, ...], seat: int) -> None:
    players = [ALL[name], Script(*other)]
    match = play(make_game("split"), players if seat == 0 else players[::-1], lambda round_, purpose: 0.0)
    assert tuple(seen.own for seen in match.histories[seat]) == own  # type: ignore[attr-defined]


def test_the_names_are_those_of_the_domain() -> None:
    names = {"fair", "balanced", "concede", "hardball", "selfish", "complement", "random_3_7", "random"}
    assert set(ALL) == names


def test_random_3_7_is_uniform_over_the_middle() -> None:
    expected = tuple(0.2 if 3 <= demand <= 7 else 0.0 for demand in DEMANDS)
    assert BENCH.answer(ALL["random_3_7"], (), 0, None) == pytest.approx(expected)


def test_the_strategies_differ_from_one_another() -> None:
    assert len({tuple(BENCH.behaviour(strategy).items()) for strategy in ALL.values()}) == len(ALL)


@every
def test_the_classifier_tells_the_truth(strategy: Strategy) -> None:
    check_classifier(BENCH, strategy)
    check_source(strategy)
