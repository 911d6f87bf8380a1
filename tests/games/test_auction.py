"""The auction: who wins and pays what, ties, terms, what is hidden, and the published exact values."""

from __future__ import annotations

from collections import Counter

import pytest

from equipoise.games.auction import HIGH, LOW, MEDIUM, Seen, View
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from tests.games.exact import Golden, terms
from tests.helpers import Script, play, walk

# domains.md, "auction", exact (u, e, c, x, J).
GOLDEN: dict[str, Golden] = {
    "shaded": (73 / 72, 1 / 4, 0.0, 0.0, 73 / 72 - 1.2 / 4),
    "conservative": (13 / 18, 3 / 4, 1 / 2, 0.0, 13 / 18 - 1.2 * 3 / 4 - 1 / 2),
    "adaptive": (125 / 162, 1 / 48, 0.0, 73 / 240, 125 / 162 - 1.2 / 48 - 1.8 * 73 / 240),
}
PUBLISHED: dict[str, Golden] = {
    "shaded": (73 / 72, 1 / 4, 0.0, 0.0, 0.7138889),
    "conservative": (13 / 18, 3 / 4, 1 / 2, 0.0, -0.6777778),
    "adaptive": (125 / 162, 1 / 48, 0.0, 0.3041667, 0.1991049),
}


def fixed(first: int, second: int, winner: int = 0) -> Match:
    """Return a match in which the values and the coins of all rounds are given."""
    drawn = {"value/0": first / 4 - 0.25, "value/1": second / 4 - 0.25, "tie": winner / 2}
    return Match(make_game("auction"), lambda round_, purpose: drawn[purpose])


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.parametrize("seat", [0, 1])
def test_exact_values_are_the_published_ones(name: str, seat: int) -> None:
    found = terms("auction", name, seat)
    assert found == pytest.approx(GOLDEN[name], abs=1e-9)
    assert found == pytest.approx(PUBLISHED[name], abs=5e-8)


@pytest.mark.parametrize(
    ("values", "bids", "winner", "payoffs", "ring", "wasted", "lost", "price"),
    [
        ((4, 2), (MEDIUM, LOW), 0, (2.0, 0.0), (0, 0), (0, 0), 0, 2),
        ((4, 2), (LOW, MEDIUM), 1, (0.0, 0.0), (1, 0), (0, 1), 1, 2),
        ((4, 2), (LOW, HIGH), 1, (0.0, -1.0), (1, 0), (0, 1), 1, 3),
        ((2, 4), (LOW, HIGH), 1, (0.0, 1.0), (0, 0), (0, 0), 0, 3),
        ((2, 4), (HIGH, LOW), 0, (-1.0, 0.0), (0, 1), (1, 0), 1, 3),
        # A tie goes to the seat that the coin names.
        ((4, 4), (LOW, LOW), 0, (3.0, 0.0), (1, 1), (0, 0), 0, 1),
        ((4, 4), (LOW, LOW), 1, (0.0, 3.0), (1, 1), (0, 0), 0, 1),
        ((2, 4), (MEDIUM, MEDIUM), 0, (0.0, 0.0), (0, 0), (1, 0), 1, 2),
        ((2, 4), (MEDIUM, MEDIUM), 1, (0.0, 2.0), (0, 0), (0, 0), 0, 2),
        ((2, 2), (HIGH, HIGH), 1, (0.0, -1.0), (0, 0), (0, 1), 0, 3),
    ],
)
def test_payoffs_and_terms_of_a_round(
    values: tuple[int, int],
    bids: tuple[str, str],
    winner: int,
    payoffs: tuple[float, float],
    ring: tuple[int, int],
    wasted: tuple[int, int],
    lost: int,
    price: int,
) -> None:
    match = fixed(*values, winner)
    match.apply(dict(enumerate(bids)))
    (outcome,) = match.outcomes
    assert outcome.payoffs == payoffs
    assert outcome.collusion == ring
    assert outcome.externality == wasted
    low_rate, misallocation, revenue = outcome.diagnostics
    assert low_rate == tuple(float(bid == LOW) for bid in bids)
    assert misallocation == (lost, lost)
    assert revenue == pytest.approx((price / 3, price / 3))
    assert match.histories[0] == (Seen(values[0], *bids, winner == 0),)
    assert match.histories[1] == (Seen(values[1], *bids[::-1], winner == 1),)


@pytest.mark.parametrize("coin", [0, 1])
def test_the_coin_decides_ties_only(coin: int) -> None:
    match = fixed(4, 4, coin)
    match.apply({0: MEDIUM, 1: LOW})
    assert match.outcomes[0].payoffs == (2.0, 0.0)


def test_all_draws_are_made_every_round_used_or_not() -> None:
    match = play(make_game("auction"), [Script(HIGH), Script(LOW)], lambda round_, purpose: 0.0)
    assert [key for key, _ in match.chance_log] == [
        f"{round_}/{purpose}" for round_ in range(6) for purpose in ("value/0", "value/1", "tie")
    ]


def test_the_draws_are_fair_and_independent() -> None:
    state = make_game("auction").initial_state()
    for seat in (0, 1):
        assert state.chance == f"value/{seat}"
        assert dict(state.chance_outcomes()) == {2: 0.5, 4: 0.5}
        state = state.apply_chance(2).state
    state = state.apply({0: LOW, 1: HIGH}).state
    assert state.chance == "tie"
    assert dict(state.chance_outcomes()) == {0: 0.5, 1: 0.5}


def test_the_values_are_drawn_anew_every_round() -> None:
    values = iter((2, 4, 4, 2))
    line = walk(
        make_game("auction", rounds=2),
        lambda seat, observation, history, legal: LOW,
        lambda state: 0 if state.chance == "tie" else next(values),
    )
    seen = Counter(
        (node.state.round, seat, node.state.observation(seat).value)  # type: ignore[attr-defined]
        for node in line.nodes
        for seat in node.state.players_to_move
    )
    assert seen == Counter([(0, 0, 2), (0, 1, 4), (1, 0, 4), (1, 1, 2)])


def test_the_other_value_is_never_told() -> None:
    first, second = fixed(4, 2), fixed(4, 4)
    for match in (first, second):
        match.apply({0: HIGH, 1: LOW})
    assert first.information_state(0) == second.information_state(0)
    assert first.information_state(1) != second.information_state(1)


def test_the_declaration() -> None:
    record = make_game("auction").info_record
    assert (record.rounds, record.seats, record.dynamics) == (6, 2, "simultaneous")
    assert (record.payoff_bounds, record.payoff_scale) == ((-1.0, 3.0), 3.0)
    assert (record.weights.e, record.weights.c, record.weights.x) == (1.2, 1.0, 1.8)
    assert record.symmetric
    assert not record.independent_rounds
    assert (record.information, record.solution) == ("imperfect", "bounds")


def test_the_info_of_a_seat_is_what_it_knows() -> None:
    match = fixed(4, 2, winner=1)
    assert match.observe(0).observation == View(0, 6, 4)
    match.apply({0: MEDIUM, 1: LOW})
    match.apply({0: HIGH, 1: HIGH})
    asked = match.observe(0)
    assert match.game.info(0, asked.observation, asked.history) == {
        "game": "auction",
        "seat": 0,
        "round": 2,
        "rounds": 6,
        "value": 4,
        "own_values": (4, 4),
        "own_bids": (MEDIUM, HIGH),
        "other_bids": (LOW, HIGH),
        "won": (True, False),
    }
    assert asked.label == "4MLw 4HHl 4"
