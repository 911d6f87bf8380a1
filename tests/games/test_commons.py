"""The shared resource: division, regrowth, terms, and the published exact values (``domains.md``)."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from equipoise.games.commons import ACTIONS, HIGH, LOW, MEDIUM, Seen
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from tests.games.exact import Golden, terms
from tests.helpers import Script, every_node, play

# domains.md, "commons", exact (u, e, c, x, J).
GOLDEN: dict[str, Golden] = {
    "low": (1.0, 33 / 32, 0.0, 1 / 24, -1.55),
    "medium": (71 / 48, 0.15, 0.0, 13 / 120, 71 / 48 - 2.4 * 0.15 - 1.8 * 13 / 120),
    "high": (53 / 60, 0.0, 0.25, 23 / 120, 53 / 60 - 0.25 - 1.8 * 23 / 120),
}
PUBLISHED: dict[str, Golden] = {
    "low": (1.0, 1.03125, 0.0, 0.0416667, -1.55),
    "medium": (1.4791667, 0.15, 0.0, 0.1083333, 0.9241667),
    "high": (0.8833333, 0.0, 0.25, 0.1916667, 0.2883333),
}
WORDS = {"L": LOW, "M": MEDIUM, "H": HIGH}


def nothing(round_: int, purpose: str) -> float:
    raise AssertionError("nothing is drawn")


def after(*rounds: str) -> Match:
    """Return a match in which the given pairs of first letters were played."""
    match = Match(make_game("commons"), nothing)
    for pair in rounds:
        match.apply({seat: WORDS[letter] for seat, letter in enumerate(pair)})
    return match


def stock(match: Match) -> int:
    state: Any = match.state
    return int(state.stock)


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.parametrize("seat", [0, 1])
def test_exact_values_are_the_published_ones(name: str, seat: int) -> None:
    found = terms("commons", name, seat)
    assert found == pytest.approx(GOLDEN[name], abs=1e-9)
    assert found == pytest.approx(PUBLISHED[name], abs=5e-8)


@pytest.mark.parametrize(
    ("rounds", "left"),
    [
        ((), 12),
        (("LL",), 12),  # 12 - 2 + 2
        (("LM",), 11),  # 12 - 3 + 2
        (("MM",), 9),  # 12 - 4 + 1
        (("LH",), 9),
        (("MH",), 7),  # 12 - 5
        (("HH",), 6),
        (("HH", "LL"), 6),
        (("HH", "HH"), 0),
        (("HH", "HH", "LL"), 0),
        (("MH", "HH"), 1),
        (("MH", "HH", "LL"), 0),  # one unit is left and split: nothing regrows
        (("LL", "LL"), 12),  # never above the capacity
    ],
)
def test_regrowth(rounds: tuple[str, ...], left: int) -> None:
    assert stock(after(*rounds)) == left


@pytest.mark.parametrize(
    ("rounds", "payoffs", "stripping", "excess", "depletion"),
    [
        (("LL",), (1.0, 1.0), 0.0, 0.0, 0.0),
        (("LM",), (1.0, 2.0), 0.0, 0.0, 1 / 12),
        (("MM",), (2.0, 2.0), 0.0, 1 / 3, 1 / 4),
        (("MH",), (2.0, 3.0), 0.0, 2 / 3, 5 / 12),
        (("HH",), (3.0, 3.0), 1.0, 1.0, 1 / 2),
        (("HH", "HH"), (3.0, 3.0), 1.0, 1.0, 1.0),
        (("MH", "HH", "LH"), (0.25, 0.75), 0.0, 0.0, 1.0),
        (("MH", "HH", "HH"), (0.5, 0.5), 1.0, 0.0, 1.0),
        (("HH", "MM", "MH"), (1.2, 1.8), 0.0, 0.0, 1.0),
        (("HH", "HH", "HH"), (0.0, 0.0), 0.0, 0.0, 1.0),
    ],
)
def test_payoffs_and_terms_of_a_round(
    rounds: tuple[str, ...],
    payoffs: tuple[float, float],
    stripping: float,
    excess: float,
    depletion: float,
) -> None:
    outcome = after(*rounds).outcomes[-1]
    assert outcome.payoffs == pytest.approx(payoffs)
    assert outcome.collusion == (stripping, stripping)
    assert outcome.externality == pytest.approx((excess, excess))
    assert outcome.diagnostics == (pytest.approx((depletion, depletion)),)


def test_what_is_taken_is_never_more_than_there_is() -> None:
    for node in every_node(make_game("commons", rounds=4)):
        state: Any = node.state
        assert 0 <= state.stock <= 12
        for pair in product(ACTIONS, repeat=2) if not state.is_over else ():
            step = state.apply(dict(enumerate(pair)))
            assert sum(step.outcome.payoffs) <= state.stock + 1e-12


def test_all_actions_are_legal_at_any_stock_and_all_rounds_are_played() -> None:
    match = play(make_game("commons"), [Script(HIGH), Script(HIGH)], nothing)
    assert len(match.outcomes) == 8
    assert after("HH", "HH").state.legal_actions(0) == ACTIONS


def test_the_declaration() -> None:
    record = make_game("commons").info_record
    assert (record.rounds, record.seats, record.dynamics) == (8, 2, "simultaneous")
    assert (record.payoff_bounds, record.payoff_scale) == ((0.0, 3.0), 3.0)
    assert (record.weights.e, record.weights.c, record.weights.x) == (2.4, 1.0, 1.8)
    assert record.symmetric
    assert (record.information, record.solution) == ("complete", "exact")


def test_signals_are_the_requests_not_what_was_taken() -> None:
    assert after("MH", "HH", "LH").histories[0][-1] == Seen(LOW, HIGH)


def test_the_info_of_a_seat_is_what_it_knows() -> None:
    match = after("MH", "LM")
    asked = match.observe(1)
    assert match.game.info(1, asked.observation, asked.history) == {
        "game": "commons",
        "seat": 1,
        "round": 2,
        "rounds": 8,
        "stock": 6,
        "own": (HIGH, MEDIUM),
        "other": (MEDIUM, LOW),
    }
    assert asked.label == "6:HM/ML"
    assert after().observe(0).label == "12:-/-"
