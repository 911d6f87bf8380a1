"""The iterated prisoner's dilemma: payoffs, terms, noise, hidden horizon, and the published exact values.

Golden values come from the table of the game in ``domains.md``, derived independently of this code.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from equipoise.games.base import Game
from equipoise.games.ipd import COOPERATE, DEFECT, Seen
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.opponents.base import Classifier, Strategy, certain
from equipoise.opponents.registry import get_strategy
from equipoise.types import Action
from tests.helpers import Script, play, root, value

C, D = COOPERATE, DEFECT

TRAIN = ("tit_for_tat", "generous_tit_for_tat", "mixed_half", "grim_trigger")
EXPLOITER = ("always_defect", "alternating_defect")
COLLUSIVE = ("always_cooperate",)

# domains.md, "ipd", exact (u, e, c, x, J).
GOLDEN = {
    "tit_for_tat": (2.7890625, 0.3125, 0.0, 0.1666667, 1.7390625),
    "grim_trigger": (2.9066162109375, 0.3125, 0.0, 0.21533203125, 1.7690185546875),
    "last_round_defector": (3.0, 0.3125, 0.125, 0.1805556, 1.8),
    "always_cooperate": (2.625, 3.75, 0.0, 0.0555556, -6.475),
    "always_defect": (2.09375, 0.0, 1.0, 0.5338542, 0.1328125),
    "generous_tit_for_tat": (2.748046875, 1.171875, 0.0, 0.1388889, -0.314453125),
    "random": (2.2354736328125, 1.25, 0.5, 0.2787000868, -1.7661865234),
}


class LastRoundDefector(Strategy):
    """Tit for tat, but a defection in the last of eight rounds."""

    name = "last_round_defector"
    classifier = Classifier(memory_depth=1, uses_horizon=True)
    source = "domains.md"

    def start(self) -> tuple[tuple[str, float], ...]:
        return ((C, 1.0),)

    def probabilities(
        self, memory: str, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        return certain(D if observation.round == 7 else memory)

    def update(self, memory: str, signal: Any) -> str:
        return str(signal.other)


def strategy(name: str) -> Strategy:
    return LastRoundDefector() if name == LastRoundDefector.name else get_strategy("ipd", name)


def never(round_: int, purpose: str) -> float:
    """Draw the first outcome: no flip, no stop."""
    return 0.0


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.parametrize("seat", [0, 1])
def test_exact_values_are_the_published_ones(name: str, seat: int) -> None:
    game, policy = make_game("ipd"), strategy(name)

    def against(opponent: str) -> tuple[float, float, float, float]:
        players = [policy, get_strategy("ipd", opponent)]
        found = value(game, players if seat == 0 else players[::-1])
        own, other = found.payoffs[seat], found.payoffs[1 - seat]
        return own, other - own, found.collusion[seat], found.externality[seat]

    train = [against(opponent) for opponent in TRAIN]
    exploiters = [against(opponent) for opponent in EXPLOITER]
    u = sum(own for own, *_ in train) / len(train)
    e = sum(max(0.0, gap) for _, gap, *_ in exploiters) / len(exploiters)
    c = sum(term for _, _, term, _ in map(against, COLLUSIVE)) / len(COLLUSIVE)
    x = sum(term for *_, term in train + exploiters) / (len(TRAIN) + len(EXPLOITER))
    record = game.info_record
    s, weights = record.utility_scale, record.weights
    j = s * u - weights.e * s * e - weights.c * c - weights.x * x
    assert (u, e, c, x, j) == pytest.approx(GOLDEN[name], abs=1e-7)


@pytest.mark.parametrize(
    ("pair", "payoffs", "predation", "shortfall"),
    [
        ((C, C), (3.0, 3.0), (0.0, 0.0), 0.0),
        ((C, D), (0.0, 5.0), (0.0, 1.0), 1.0 / 6.0),
        ((D, C), (5.0, 0.0), (1.0, 0.0), 1.0 / 6.0),
        ((D, D), (1.0, 1.0), (1.0, 1.0), 2.0 / 3.0),
    ],
)
def test_payoffs_and_terms_of_a_round(
    pair: tuple[str, str], payoffs: tuple[float, float], predation: tuple[float, float], shortfall: float
) -> None:
    step = make_game("ipd").initial_state().apply(dict(enumerate(pair)))
    assert step.outcome is not None
    assert step.outcome.payoffs == payoffs
    assert step.outcome.collusion == predation
    assert step.outcome.externality == pytest.approx((shortfall, shortfall))
    assert step.outcome.diagnostics == (tuple(float(action == C) for action in pair),)
    assert step.signals == (Seen(*pair), Seen(*pair[::-1]))


def test_the_declaration() -> None:
    record = make_game("ipd").info_record
    assert (record.rounds, record.seats, record.dynamics) == (8, 2, "simultaneous")
    assert (record.payoff_bounds, record.payoff_scale) == ((0.0, 5.0), 3.0)
    assert (record.weights.e, record.weights.c, record.weights.x) == (2.4, 1.0, 1.8)
    assert record.symmetric
    assert not record.zero_sum
    assert not record.independent_rounds


def test_an_episode_has_eight_rounds_unless_told_otherwise() -> None:
    for game, rounds in ((make_game("ipd"), 8), (make_game("ipd", rounds=3), 3)):
        match = play(game, [Script(C), Script(D)], never)
        assert len(match.outcomes) == rounds
        assert match.chance_log == []


def test_payoffs_follow_the_options() -> None:
    game = make_game("ipd", temptation=7.0, reward=4.0, punishment=2.0, sucker=0.5)
    assert game.info_record.payoff_bounds == (0.5, 7.0)
    assert game.info_record.payoff_scale == 4.0
    match = play(game, [Script(C, D), Script(D)], never)
    assert match.outcomes[0].payoffs == (0.5, 7.0)
    assert match.outcomes[0].externality == pytest.approx((0.0625, 0.0625))
    assert match.outcomes[1].payoffs == (2.0, 2.0)


def test_mutual_gain_above_the_reward_is_no_shortfall() -> None:
    match = play(make_game("ipd", temptation=9.0), [Script(C), Script(D)], never)
    assert match.outcomes[0].externality == (0.0, 0.0)


@pytest.mark.parametrize("option", ["temptation"])
def test_payoffs_must_be_finite(option: str) -> None:
    with pytest.raises(ValueError, match=option):
        make_game("ipd", **{option: math.inf})


def test_the_info_of_a_seat_is_what_it_knows() -> None:
    game = make_game("ipd")
    match = Match(game, never)
    match.apply({0: C, 1: D})
    match.apply({0: D, 1: D})
    asked = match.observe(1)
    assert game.info(1, asked.observation, asked.history) == {
        "game": "ipd",
        "seat": 1,
        "round": 2,
        "rounds": 8,
        "own": (D, D),
        "other": (C, D),
    }
    assert asked.label == "DD/CD"
    assert Match(game, never).observe(0).label == "-/-"


class TestNoise:
    game: Game = make_game("ipd", rounds=2, noise=0.25)

    def flipping(self, seat: int) -> Match:
        def chance(round_: int, purpose: str) -> float:
            return 0.9 if (round_, purpose) == (0, f"noise/{seat}") else 0.0

        return play(self.game, [Script(C), Script(C)], chance)

    @pytest.mark.parametrize("seat", [0, 1])
    def test_it_flips_the_executed_action_of_one_seat(self, seat: int) -> None:
        match = self.flipping(seat)
        flipped = (D, C) if seat == 0 else (C, D)
        assert match.outcomes[0].payoffs == ((5.0, 0.0) if seat == 0 else (0.0, 5.0))
        # Both see the executed actions, and c uses them.
        assert match.histories[0][0] == Seen(*flipped)
        assert match.histories[1][0] == Seen(*flipped[::-1])
        assert match.outcomes[0].collusion == ((1.0, 0.0) if seat == 0 else (0.0, 1.0))
        assert match.outcomes[1].payoffs == (3.0, 3.0)

    def test_it_flips_with_the_given_probability(self) -> None:
        state = root(self.game).state.apply({0: C, 1: D}).state
        assert dict(state.chance_outcomes()) == {False: 0.75, True: 0.25}
        assert state.players_to_move == ()
        second = state.apply_chance(False).state
        assert (state.chance, second.chance) == ("noise/0", "noise/1")

    def test_the_value_is_the_mixture(self) -> None:
        found = value(self.game, [Script(C), Script(C)])
        p = 0.25
        expected = (1 - p) ** 2 * 3.0 + p * (1 - p) * (5.0 + 0.0) + p**2 * 1.0
        assert found.payoffs == pytest.approx((expected, expected))
        assert found.collusion == pytest.approx((p, p))


class TestHiddenHorizon:
    game: Game = make_game("ipd", rounds=5, continuation=0.75)

    def lasting(self, rounds: int) -> Match:
        def chance(round_: int, purpose: str) -> float:
            return 0.9 if round_ == rounds - 1 else 0.0

        return play(self.game, [Script(C), Script(C)], chance)

    @pytest.mark.parametrize("rounds", [1, 2, 4])
    def test_the_length_is_what_happened(self, rounds: int) -> None:
        assert len(self.lasting(rounds).outcomes) == rounds

    def test_the_rounds_are_a_cap(self) -> None:
        assert len(self.lasting(99).outcomes) == 5

    def test_the_horizon_is_not_told(self) -> None:
        asked = Match(self.game, never).observe(0)
        assert self.game.info(0, asked.observation, asked.history)["rounds"] is None

    def test_it_stops_with_the_given_probability(self) -> None:
        state = root(self.game).state.apply({0: C, 1: C}).state
        outcomes = dict(state.chance_outcomes())
        assert state.chance == "stop"
        going_on = [outcome for outcome in outcomes if not state.apply_chance(outcome).state.is_over]
        assert sum(outcomes[outcome] for outcome in going_on) == pytest.approx(0.75)

    def test_the_mean_over_rounds_weighs_episodes_alike(self) -> None:
        # Cooperating in the first round only, the mean of own payoffs is (3 + 5 (T - 1)) / T.
        found = value(self.game, [Script(C, D), Script(C)])
        lengths = {t: 0.25 * 0.75 ** (t - 1) for t in range(1, 5)} | {5: 0.75**4}
        expected = sum(p * (3.0 + 5.0 * (t - 1)) / t for t, p in lengths.items())
        assert sum(lengths.values()) == pytest.approx(1.0)
        assert found.payoffs[0] == pytest.approx(expected)


def test_a_told_horizon_weighs_every_round_alike() -> None:
    game = make_game("ipd", rounds=5)
    assert [game.round_weight(t) for t in range(5)] == pytest.approx([0.2] * 5)
