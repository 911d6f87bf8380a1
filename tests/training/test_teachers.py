"""The teachers are those of the paper, with its weights, and never meet who is held out."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from equipoise.errors import RequestError
from equipoise.games.kuhn import BET, CALL, FOLD, PASS, View
from equipoise.opponents.base import Uniform
from equipoise.opponents.pools import Pools, default_pools
from equipoise.opponents.registry import get_strategy, strategies
from equipoise.training.teachers import RECIPES, Mixture, mixture_of

GAMES = ("ipd", "kuhn")
THIRD = 1 / 3

WEIGHTS: dict[str, dict[str, float]] = {
    "ipd": {
        "tit_for_tat": 0.33,
        "always_defect": 0.27,
        "grim_trigger": 0.22,
        "always_cooperate": 0.05,
        "generous_tit_for_tat": 0.05,
        "random": 0.08,
    },
    "kuhn": {
        "nash_like": 0.45,
        "tight_value": 0.25,
        "pot_control": 0.2,
        "random": 0.08,
        "passive_queen": 0.02,
    },
}
"""Section *SFT teachers of the paper* of the games' description; the paper's figures."""

OPPONENTS = {
    "ipd": {"always_cooperate", "always_defect", "tit_for_tat", "generous_tit_for_tat", "grim_trigger"},
    # The paper's mixture also meets always_pass, which is held out here.
    "kuhn": {"nash", "tight_passive", "loose_aggressive", "always_bet"},
}

RATES: dict[str, dict[str, tuple[float, float, float]]] = {
    "nash_like": {
        "": (THIRD, 0, 1),
        "p": (THIRD, 0, 1),
        "pb": (0, THIRD, 1),
        "b": (0, THIRD, 1),
    },
    "tight_value": dict.fromkeys(("", "p", "pb", "b"), (0, 0, 1)),
    "pot_control": {"": (0.2, 0, 1), "p": (0.2, 0, 1), "pb": (0, 0, 1), "b": (0, 0, 1)},
    "random": dict.fromkeys(("", "p", "pb", "b"), (0.5, 0.5, 0.5)),
}
"""Probability to bet or call with J, Q and K, by the bets seen."""


def mixture(game: str) -> Mixture:
    return mixture_of(game, "paper", default_pools(game))


@pytest.mark.parametrize("game", GAMES)
def test_weights_are_those_of_the_paper(game: str) -> None:
    found = {teacher.name: weight for teacher, weight in mixture(game).teachers}
    assert found == WEIGHTS[game]
    assert math.fsum(found.values()) == pytest.approx(1.0, abs=1e-12)
    assert len(found) == len(mixture(game).teachers)


@pytest.mark.parametrize("game", GAMES)
def test_opponents_are_those_of_the_paper_but_for_the_held_out(game: str) -> None:
    found = mixture(game).opponents
    assert set(found) == OPPONENTS[game]
    assert len(set(found)) == len(found)
    assert not set(found) & set(default_pools(game).shift)
    assert set(found) <= set(strategies(game))


@pytest.mark.parametrize("name", list(WEIGHTS["ipd"]))
def test_teachers_of_the_dilemma_are_the_strategies_of_that_name(name: str) -> None:
    (teacher,) = [teacher for teacher, _ in mixture("ipd").teachers if teacher.name == name]
    known = get_strategy("ipd", name)
    # The uniform strategy is made anew each time.
    assert teacher is known or (isinstance(teacher, Uniform) and isinstance(known, Uniform))


@pytest.mark.parametrize("name", list(RATES))
def test_teachers_of_poker_bet_and_call_as_the_paper_says(name: str) -> None:
    (teacher,) = [teacher for teacher, _ in mixture("kuhn").teachers if teacher.name == name]
    for bets, rates in RATES[name].items():
        for card, rate in zip("JQK", rates, strict=True):
            yes, no = (CALL, FOLD) if bets.endswith("b") else (BET, PASS)
            found = teacher.probabilities(None, View(card, bets, 0), (yes, no))
            assert found[yes] == pytest.approx(rate, abs=1e-12)
            assert found[no] == pytest.approx(1 - rate, abs=1e-12)


def test_the_passive_queen_never_puts_in_a_chip() -> None:
    (teacher,) = [teacher for teacher, _ in mixture("kuhn").teachers if teacher.name == "passive_queen"]
    for bets in ("", "p", "pb", "b"):
        legal = (CALL, FOLD) if bets.endswith("b") else (PASS, BET)
        found: Mapping[object, float] = teacher.probabilities(None, View("Q", bets, 0), legal)
        assert found.get(BET, 0.0) + found.get(CALL, 0.0) == 0.0


@pytest.mark.parametrize("game", GAMES)
def test_a_pool_that_holds_out_an_opponent_of_the_data_is_refused(game: str) -> None:
    for name in OPPONENTS[game]:
        pools = Pools(train=("random",), shift=("pavlov", name))
        with pytest.raises(RequestError, match=f"{name!r} is in the shift pool: it must not appear"):
            mixture_of(game, "paper", pools)
    mixture_of(game, "paper", Pools(train=("random",), shift=()))


@pytest.mark.parametrize(
    ("game", "recipe", "message"),
    [
        ("ipd", "papper", "unknown teacher recipe 'papper': did you mean 'paper'"),
        ("ipd", "", "unknown teacher recipe ''"),
        ("kuhm", "paper", "unknown game with SFT teachers 'kuhm': did you mean 'kuhn'"),
    ],
)
def test_what_does_not_exist_is_named(game: str, recipe: str, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        mixture_of(game, recipe, Pools(train=("random",)))


def test_every_recipe_exists_for_every_game() -> None:
    assert "paper" in RECIPES
    for recipe in RECIPES:
        for game in GAMES:
            assert mixture_of(game, recipe, default_pools(game)).teachers
