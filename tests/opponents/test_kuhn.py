"""Strategies of Kuhn poker at the twelve information states, and whether their classifiers tell the truth.

Behaviour and names come from ``domains.md`` and H. W. Kuhn (1950).
"""

from __future__ import annotations

from itertools import product

import pytest

from equipoise.games.kuhn import BET, CALL, CARDS, FOLD, PASS, View
from equipoise.games.registry import make_game
from equipoise.opponents.base import Strategy
from equipoise.opponents.kuhn import nash
from equipoise.opponents.registry import strategies
from tests.helpers import every_decision, value

ALL = strategies("kuhn")
LEGAL = {"": (PASS, BET), "p": (PASS, BET), "b": (CALL, FOLD), "pb": (CALL, FOLD)}
VIEWS = [View(card, bets) for card, bets in product(CARDS, LEGAL)]
THIRD = 1.0 / 3.0

every = pytest.mark.parametrize("strategy", ALL.values(), ids=ALL)


def bold(strategy: Strategy, view: View) -> float:
    """Return the probability to bet or call."""
    legal = LEGAL[view.bets]
    return strategy.probabilities(None, view, legal).get(CALL if CALL in legal else BET, 0.0)


# Probability to bet or call with J, Q, K: as opener, after a pass, called upon after passing, facing a bet.
RATES: dict[str, dict[str, tuple[float, float, float]]] = {
    "nash": {"": (THIRD, 0, 1), "p": (THIRD, 0, 1), "pb": (0, 2 * THIRD, 1), "b": (0, THIRD, 1)},
    "tight_passive": dict.fromkeys(LEGAL, (0, 0, 1)),
    "loose_aggressive": dict.fromkeys(LEGAL, (0, 1, 1)),
    "max_exploiter": {"": (0, 1, 1), "p": (0, 1, 1), "pb": (0, 0, 1), "b": (0, 0, 1)},
    "always_bet": dict.fromkeys(LEGAL, (1, 1, 1)),
    "always_pass": dict.fromkeys(LEGAL, (0, 0, 0)),
    "random": dict.fromkeys(LEGAL, (0.5, 0.5, 0.5)),
}


def test_the_names_are_those_of_the_domain() -> None:
    assert set(ALL) == set(RATES)


@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("bets", LEGAL)
def test_rates_at_every_information_state(name: str, bets: str) -> None:
    found = [bold(ALL[name], View(card, bets)) for card in CARDS]
    assert found == pytest.approx(RATES[name][bets], abs=1e-12)


@every
def test_answers_are_distributions_over_legal_actions(strategy: Strategy) -> None:
    for game in (make_game("kuhn", rounds=1), make_game("kuhn", rounds=2, memory=True)):
        for decision in every_decision(game):
            assert decision.legal is not None
            given = strategy.probabilities(None, decision.observation, decision.legal)
            assert set(given) <= set(decision.legal)
            assert all(probability >= 0.0 for probability in given.values())
            assert sum(given.values()) == pytest.approx(1.0, abs=1e-12)


@every
def test_there_is_one_empty_memory(strategy: Strategy) -> None:
    assert strategy.start() == ((None, 1.0),)
    assert strategy.update(None, ("anything",)) is None


@every
def test_the_memory_depth_is_zero_and_the_number_of_the_hand_does_not_matter(strategy: Strategy) -> None:
    assert strategy.classifier.memory_depth == 0
    assert not strategy.classifier.uses_horizon
    for view in VIEWS:
        assert {bold(strategy, view._replace(hand=hand)) for hand in range(3)} == {bold(strategy, view)}


@every
def test_the_stochastic_flag_tells_the_truth(strategy: Strategy) -> None:
    assert strategy.classifier.stochastic == any(0.0 < bold(strategy, view) < 1.0 for view in VIEWS)


@pytest.mark.parametrize("name", ALL)
def test_the_private_flag_tells_the_truth(name: str) -> None:
    uses = any(len({bold(ALL[name], View(card, bets)) for card in CARDS}) > 1 for bets in LEGAL)
    assert ALL[name].classifier.knows_private == uses


@every
def test_every_strategy_says_where_it_comes_from(strategy: Strategy) -> None:
    assert strategy.source
    assert ALL[strategy.name].name == strategy.name


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.2, THIRD])
def test_every_member_of_the_family_is_an_equilibrium(alpha: float) -> None:
    # Kuhn 1950: the opener's value is -1/18 whichever member either side plays.
    game = make_game("kuhn", rounds=1)
    for other in (0.0, 0.15, THIRD):
        assert value(game, [nash(alpha), nash(other)]).payoffs[0] == pytest.approx(-1.0 / 18.0, abs=1e-12)


@pytest.mark.parametrize("alpha", [-0.1, 0.5])
def test_a_rate_outside_the_family_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        nash(alpha)


def test_the_source_of_a_member_names_its_rate() -> None:
    assert nash(0.0).source != nash(THIRD).source
