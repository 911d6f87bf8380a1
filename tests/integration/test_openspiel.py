"""Kuhn poker against OpenSpiel: values and exploitability of random policies."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise.auditing.exact.product import expected_features
from equipoise.auditing.exact.reply import worst_case
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.games.kuhn import BET, CALL, CARDS, FOLD, PASS, View
from equipoise.games.registry import make_game
from equipoise.opponents.kuhn import nash
from equipoise.policies.tabular import TabularPolicy
from tests.auditing.oracle import random_policy

pyspiel = pytest.importorskip("pyspiel")
exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
expected_game_score = pytest.importorskip("open_spiel.python.algorithms.expected_game_score")
spiel_policy = pytest.importorskip("open_spiel.python.policy")

GAME = make_game("kuhn")
STAGE = GAME.stage()
SEEDS = range(8)


@pytest.fixture(scope="module")
def spiel() -> Any:
    return pyspiel.load_game("kuhn_poker")


def translated(spiel: Any, policy: TabularPolicy) -> Any:
    """Return our table as OpenSpiel's; its states are named card and bets, ``0pb``; action 1 is bold."""
    found = spiel_policy.TabularPolicy(spiel)
    for state, row in found.state_lookup.items():
        card, bets = CARDS[int(state[0])], state[1:]
        ours = policy.table[f"{card}:{bets}"]
        bold, meek = (CALL, FOLD) if bets.endswith("b") else (BET, PASS)
        found.action_probability_array[row] = [ours[meek], ours[bold]]
    return found


def test_both_have_the_same_twelve_states(spiel: Any) -> None:
    policy = random_policy(STAGE, 0)
    assert {f"{CARDS[int(s[0])]}:{s[1:]}" for s in translated(spiel, policy).state_lookup} == set(
        policy.table
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_values_agree_in_both_positions(spiel: Any, seed: int) -> None:
    policy, other = (random_policy(STAGE, s) for s in (seed, seed + 1000))
    a, b = translated(spiel, policy), translated(spiel, other)
    first = expected_game_score.policy_value(spiel.new_initial_state(), [a, b])[0]
    second = expected_game_score.policy_value(spiel.new_initial_state(), [b, a])[1]
    for seat, wanted in enumerate((first, second)):
        found = expected_features(STAGE, policy.strategy(STAGE), other.strategy(STAGE), seat)
        assert found[:2] == pytest.approx([wanted, -wanted], abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_best_response_is_half_of_nashconv(spiel: Any, seed: int) -> None:
    policy = random_policy(STAGE, seed)
    wanted = exploitability.nash_conv(spiel, translated(spiel, policy)) / 2.0
    strategy = policy.strategy(STAGE)
    assert worst_case(STAGE, [(strategy, 0), (strategy, 1)]).best_response == pytest.approx(wanted, abs=1e-9)
    audited = audit_game(GAME, policy, AuditConfig(exact=True)).metrics["best_response"]
    assert audited is not None
    assert audited.value == pytest.approx(wanted, abs=1e-9)
    assert exploitability.exploitability(spiel, translated(spiel, policy)) == pytest.approx(wanted, abs=1e-9)


def test_the_published_constant(spiel: Any) -> None:
    # OpenSpiel's exploitability_test.py: NashConv of uniform Kuhn is 11/12.
    uniform = TabularPolicy(
        "kuhn@1", {k: dict.fromkeys(v, 0.5) for k, v in random_policy(STAGE, 0).table.items()}
    )
    assert exploitability.nash_conv(spiel, translated(spiel, uniform)) == pytest.approx(11 / 12)
    strategy = uniform.strategy(STAGE)
    assert worst_case(STAGE, [(strategy, 0), (strategy, 1)]).best_response == pytest.approx(
        11 / 24, abs=1e-12
    )


@pytest.mark.parametrize("alpha", [0.0, 1 / 9, 1 / 3])
def test_kuhns_family_is_an_equilibrium_there_too(spiel: Any, alpha: float) -> None:
    # Kuhn 1950: worth -1/18 to the first player.
    strategy = nash(alpha)
    table = {}
    for card in CARDS:
        for bets, legal in (("", (BET, PASS)), ("p", (BET, PASS)), ("b", (CALL, FOLD)), ("pb", (CALL, FOLD))):
            table[f"{card}:{bets}"] = dict(strategy.probabilities(None, View(card, bets), legal))
    theirs = translated(spiel, TabularPolicy("kuhn@1", table))
    assert exploitability.nash_conv(spiel, theirs) == pytest.approx(0.0, abs=1e-9)
    value = expected_game_score.policy_value(spiel.new_initial_state(), [theirs, theirs])[0]
    assert value == pytest.approx(-1 / 18, abs=1e-9)
    assert expected_features(STAGE, strategy, strategy, 0)[0] == pytest.approx(value, abs=1e-9)
