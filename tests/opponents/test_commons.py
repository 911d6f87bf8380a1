"""Strategies of the shared resource, move by move (``domains.md``)."""

from __future__ import annotations

from itertools import product

import pytest

from equipoise.games.commons import ACTIONS, CAPACITY, HIGH, LOW, MEDIUM, Seen, View
from equipoise.games.registry import make_game
from equipoise.opponents.base import Strategy
from equipoise.opponents.registry import strategies
from tests.helpers import Script, play
from tests.opponents.truth import Bench, check_classifier, check_source

ALL = strategies("commons")
WORDS = {"L": LOW, "M": MEDIUM, "H": HIGH}
SIGNALS = [Seen(*pair) for pair in product(ACTIONS, repeat=2)]
HISTORIES = [history for length in range(3) for history in product(SIGNALS, repeat=length)]


def bench(stock: int) -> Bench:
    """Return what is asked at a stock: it is public, so no flag speaks of it."""
    return Bench(
        view=lambda round_, key: View(round_, 8, stock),
        private=(None,),
        histories=HISTORIES,
        legal=ACTIONS,
        rounds=8,
    )


@pytest.mark.parametrize(
    ("name", "other", "own"),
    [
        ("low", "HHHHHHHH", "LLLLLLLL"),
        ("medium", "HHHHHHHH", "MMMMMMMM"),
        ("high", "LLLLLLLL", "HHHHHHHH"),
        # Stocks 12, 9, 6, 5, 4 …
        ("scarcity_aware", "MMHHHHHH", "MMLLLLLL"),
        # Stocks 12, 11, 10 … 6.
        ("scarcity_aware", "LLLLLLLL", "MMMMMMLL"),
        ("reciprocal", "HLMHHLLL", "MHLLHHLL"),
        ("late_grabber", "LLLLLLLL", "MMMMMHHH"),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_moves(name: str, other: str, own: str, seat: int) -> None:
    players = [ALL[name], Script(*(WORDS[letter] for letter in other))]
    match = play(make_game("commons"), players if seat == 0 else players[::-1], lambda round_, purpose: 0.0)
    assert "".join(seen.own[0] for seen in match.histories[seat]) == own  # type: ignore[attr-defined]


def test_late_is_counted_from_the_end() -> None:
    players = [ALL["late_grabber"], Script(LOW)]
    match = play(make_game("commons", rounds=5), players, lambda round_, purpose: 0.0)
    assert [seen.own for seen in match.histories[0]] == [MEDIUM] * 2 + [HIGH] * 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("stock", range(CAPACITY + 1))
def test_scarcity_begins_at_six(stock: int) -> None:
    expected = (1.0, 0.0, 0.0) if stock <= 6 else (0.0, 1.0, 0.0)
    assert bench(stock).answer(ALL["scarcity_aware"], (), 0, None) == expected


def test_the_names_are_those_of_the_domain() -> None:
    names = {"medium", "scarcity_aware", "reciprocal", "high", "late_grabber", "low", "random"}
    assert set(ALL) == names


def test_the_strategies_differ_from_one_another() -> None:
    behaviour = {(*bench(12).behaviour(s).items(), *bench(3).behaviour(s).items()) for s in ALL.values()}
    assert len(behaviour) == len(ALL)


@pytest.mark.parametrize("stock", [0, 6, 12])
@pytest.mark.parametrize("strategy", ALL.values(), ids=ALL)
def test_the_classifier_tells_the_truth(strategy: Strategy, stock: int) -> None:
    check_classifier(bench(stock), strategy)
    check_source(strategy)
