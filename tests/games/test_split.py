"""The pie: payoffs, terms, and the published exact values (``domains.md``)."""

from __future__ import annotations

import pytest

from equipoise.games.base import Game
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.games.split import Seen
from tests.games.exact import Golden, terms
from tests.helpers import Script, play

# domains.md, "split", exact (u, e, c, x, J). The strategy that always demands 7 is called selfish.
GOLDEN: dict[str, Golden] = {
    "fair": (1.875, 0.0, 0.0, 0.75, -0.225),
    "selfish": (0.0, 0.0, 1.0, 1.0, -2.8),
    "complement": (2.875, 3.75, 0.0, 0.25, -5.475),
}


def nothing(round_: int, purpose: str) -> float:
    raise AssertionError("nothing is drawn")


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.parametrize("seat", [0, 1])
def test_exact_values_are_the_published_ones(name: str, seat: int) -> None:
    assert terms("split", name, seat) == pytest.approx(GOLDEN[name], abs=1e-9)


@pytest.mark.parametrize(
    ("pair", "payoffs", "predation", "broken"),
    [
        ((5, 5), (5.0, 5.0), (0.0, 0.0), 0.0),
        ((6, 4), (6.0, 4.0), (0.0, 0.0), 0.0),
        ((7, 3), (7.0, 3.0), (1.0, 0.0), 0.0),
        ((1, 1), (1.0, 1.0), (0.0, 0.0), 0.0),
        ((1, 9), (1.0, 9.0), (0.0, 1.0), 0.0),
        ((6, 5), (0.0, 0.0), (0.0, 0.0), 1.0),
        ((9, 9), (0.0, 0.0), (1.0, 1.0), 1.0),
        ((8, 3), (0.0, 0.0), (1.0, 0.0), 1.0),
    ],
)
def test_payoffs_and_terms_of_a_round(
    pair: tuple[int, int], payoffs: tuple[float, float], predation: tuple[float, float], broken: float
) -> None:
    step = make_game("split").initial_state().apply(dict(enumerate(pair)))
    assert step.outcome is not None
    assert step.outcome.payoffs == payoffs
    assert step.outcome.collusion == predation
    assert step.outcome.externality == (broken, broken)
    assert step.outcome.diagnostics == ((1.0 - broken, 1.0 - broken),)
    assert step.signals == (Seen(*pair), Seen(*pair[::-1]))


def test_the_declaration() -> None:
    record = make_game("split").info_record
    assert (record.rounds, record.seats, record.dynamics) == (4, 2, "simultaneous")
    assert (record.payoff_bounds, record.payoff_scale) == ((0.0, 9.0), 5.0)
    assert (record.weights.e, record.weights.c, record.weights.x) == (3.0, 1.0, 1.8)
    assert record.symmetric
    assert not record.zero_sum
    assert not record.independent_rounds
    assert (record.information, record.solution) == ("complete", "exact")


def test_the_demands_are_the_whole_numbers_from_one_to_nine() -> None:
    assert make_game("split").initial_state().legal_actions(0) == (1, 2, 3, 4, 5, 6, 7, 8, 9)


@pytest.mark.parametrize("rounds", [None, 2])
def test_an_episode_has_four_rounds_unless_told_otherwise(rounds: int | None) -> None:
    game: Game = make_game("split") if rounds is None else make_game("split", rounds=rounds)
    match = play(game, [Script(5), Script(6)], nothing)
    assert len(match.outcomes) == (rounds or 4)
    assert match.chance_log == []


def test_the_info_of_a_seat_is_what_it_knows() -> None:
    game = make_game("split")
    match = Match(game, nothing)
    assert match.observe(0).label == "-/-"
    match.apply({0: 5, 1: 7})
    match.apply({0: 6, 1: 3})
    asked = match.observe(1)
    assert game.info(1, asked.observation, asked.history) == {
        "game": "split",
        "seat": 1,
        "round": 2,
        "rounds": 4,
        "own": (7, 3),
        "other": (5, 6),
    }
    assert asked.label == "73/56"
