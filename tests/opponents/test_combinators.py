"""Mixtures and slips: valued exactly as what they are made of says, from both seats, in every game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.auditing.exact.product import expected_features
from equipoise.auditing.exact.reply import worst_case
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.ipd import COOPERATE, DEFECT, Seen, View
from equipoise.games.registry import make_game
from equipoise.opponents.base import Strategy, Uniform
from equipoise.opponents.combinators import Mixture, Noisy, shares
from equipoise.opponents.registry import get_strategy, strategies
from tests.auditing.oracle import means_at, playing
from tests.helpers import memory_after

GAMES = {
    "ipd": make_game("ipd", rounds=4),
    "kuhn": make_game("kuhn", rounds=1),
    "auction": make_game("auction", rounds=2),
    "split": make_game("split", rounds=3),
    "commons": make_game("commons", rounds=3),
}
SEATS = st.sampled_from([0, 1])
FIXED = settings(max_examples=25, deadline=None, derandomize=True)


def named(game: str, *names: str) -> list[Strategy]:
    return [get_strategy(game, name) for name in names]


@st.composite
def tables(draw: st.DrawFn, least: int) -> tuple[Game, list[Strategy]]:
    """Draw a game and some of its strategies, the last of which is the other side."""
    name = draw(st.sampled_from(sorted(GAMES)))
    known = sorted(strategies(name))
    names = draw(st.lists(st.sampled_from(known), min_size=least + 1, max_size=least + 2))
    return GAMES[name], named(name, *names)


@given(table=tables(2), raw=st.lists(st.integers(1, 9), min_size=3, max_size=3), seat=SEATS)
@FIXED
def test_a_mixture_is_worth_the_weighted_mean_of_its_parts(
    table: tuple[Game, list[Strategy]], raw: list[int], seat: int
) -> None:
    game, (*parts, other) = table
    weights = [w / sum(raw[: len(parts)]) for w in raw[: len(parts)]]
    mixture = Mixture(list(zip(parts, weights, strict=True)))
    each = [expected_features(game, part, other, seat) for part in parts]
    wanted = sum((w * row for w, row in zip(weights, each, strict=True)), np.zeros(len(each[0])))
    np.testing.assert_allclose(expected_features(game, mixture, other, seat), wanted, atol=1e-12)
    # And as the opponent.
    each = [expected_features(game, other, part, seat) for part in parts]
    wanted = sum((w * row for w, row in zip(weights, each, strict=True)), np.zeros(len(each[0])))
    np.testing.assert_allclose(expected_features(game, other, mixture, seat), wanted, atol=1e-12)


@given(table=tables(1), seat=SEATS)
@FIXED
def test_no_slips_change_nothing_and_slips_alone_are_random(
    table: tuple[Game, list[Strategy]], seat: int
) -> None:
    game, (strategy, *_, other) = table
    for rate, same in ((0.0, strategy), (1.0, Uniform())):
        for pair in ((Noisy(strategy, rate), other), (other, Noisy(strategy, rate))):
            plain = tuple(same if isinstance(one, Noisy) else one for one in pair)
            wanted = expected_features(game, plain[0], plain[1], seat)
            np.testing.assert_allclose(expected_features(game, *pair, seat), wanted, atol=1e-12)


@given(rate=st.floats(0.0, 1.0), seat=SEATS)
@settings(max_examples=10, deadline=None, derandomize=True)
def test_noise_and_mixtures_agree_with_an_oracle_that_merges_nothing(rate: float, seat: int) -> None:
    game = make_game("ipd", rounds=3)
    first, second = named("ipd", "pavlov", "always_defect")
    nested = Noisy(Mixture([(first, 0.25), (second, 0.75)]), rate)
    other = Mixture([(Noisy(get_strategy("ipd", "grim_trigger"), rate), 0.5), (second, 0.5)])
    wanted = means_at(game, playing(nested), playing(other), seat)
    found = expected_features(game, nested, other, seat)
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_noise_by_hand() -> None:
    # Always C against always D that slips with probability 0.2, so plays C with 0.1: 0.1 * 3 a round, and
    # the slipping side earns 0.9 * 5 + 0.1 * 3.
    game = make_game("ipd", rounds=5)
    noisy = Noisy(get_strategy("ipd", "always_defect"), 0.2)
    found = expected_features(game, get_strategy("ipd", "always_cooperate"), noisy, 0)
    assert found[0] == pytest.approx(0.3, abs=1e-12)
    assert found[1] == pytest.approx(4.8, abs=1e-12)


def test_the_memory_follows_what_was_executed_not_what_was_meant() -> None:
    pavlov = Noisy(get_strategy("ipd", "pavlov"), 0.2)
    # It slipped into a defection and won: win-stay.
    memory = memory_after(pavlov, [Seen(DEFECT, COOPERATE)])
    given_ = pavlov.probabilities(memory, View(1), (COOPERATE, DEFECT))
    assert given_ == pytest.approx({DEFECT: 0.9, COOPERATE: 0.1})


def test_a_responder_cannot_see_the_component_but_learns_it() -> None:
    # Against always C or always D with even odds, D throughout earns (5 + 1) / 2, and nothing earns more:
    # D dominates both. Against grim or always D the first round tells: C, then C while it is met, D at the
    # end: grim gives 3, 3, 5; always D gives 0, 1, 1; a mean of (11 + 2) / 6. Defecting throughout gives
    # 5, 1, 1 and 1, 1, 1: less.
    game = make_game("ipd", rounds=3)
    blunt = Mixture([(s, 0.5) for s in named("ipd", "always_cooperate", "always_defect")])
    assert worst_case(game, [(blunt, 0)]).best_response == pytest.approx(3.0, abs=1e-12)
    telling = Mixture([(s, 0.5) for s in named("ipd", "grim_trigger", "always_defect")])
    assert worst_case(game, [(telling, 0)]).best_response == pytest.approx(13 / 6, abs=1e-12)


def test_classifiers_are_those_of_the_parts_together() -> None:
    tft, grim, alternating = named("ipd", "tit_for_tat", "grim_trigger", "alternating_defect")
    kind = Mixture([(tft, 0.5), (alternating, 0.5)]).classifier
    assert (kind.memory_depth, kind.stochastic, kind.uses_horizon, kind.knows_private) == (
        1,
        True,
        True,
        False,
    )
    assert Mixture([(tft, 0.5), (grim, 0.5)]).classifier.memory_depth is None
    assert not Mixture([(tft, 1.0)]).classifier.stochastic
    assert Noisy(tft, 0.1).classifier.stochastic
    assert not Noisy(tft, 0.0).classifier.stochastic
    assert Noisy(grim, 1.0).classifier.memory_depth == 0
    assert Mixture([(one, 0.5) for one in named("kuhn", "nash", "always_bet")]).classifier.knows_private


def test_names_are_specs() -> None:
    tft, defect = named("ipd", "tit_for_tat", "always_defect")
    mixture = Mixture([(tft, 0.25), (defect, 0.75)])
    assert mixture.name == "mixture:0.25*tit_for_tat+0.75*always_defect"
    assert Noisy(tft, 0.05).name == "noisy:0.05:tit_for_tat"
    assert "tit_for_tat, always_defect" in mixture.source


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0.5, 0.4], "sum to 0.9, not 1"),
        ([1.5, -0.5], "weight 1.5 of a mixture"),
        ([1.0, 0.0], "weight 0 of a mixture"),
        ([float("nan"), 1.0], "weight nan"),
        ([], "sum to 0"),
    ],
)
def test_weights_that_are_no_distribution(weights: Sequence[float], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        shares(weights)


def test_weights_are_scaled_within_rounding() -> None:
    assert sum(shares([0.3333333, 0.3333333, 0.3333334])) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("rate", [-0.1, 1.01, float("nan")])
def test_noise_that_is_no_probability(rate: float) -> None:
    with pytest.raises(RequestError, match="is no probability"):
        Noisy(Uniform(), rate)
