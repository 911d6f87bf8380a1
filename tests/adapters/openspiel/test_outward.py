"""Our games in OpenSpiel: its own simulations, and its algorithms against our exact values."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="open-spiel is not installed")
pytest.importorskip("open_spiel.python.algorithms.exploitability")

import pyspiel
from open_spiel.python.algorithms import expected_game_score, exploitability

from equipoise.adapters.openspiel import as_openspiel, as_openspiel_policy
from equipoise.auditing.exact.reply import worst_case
from equipoise.errors import RequestError
from equipoise.games.commons import Commons
from equipoise.games.registry import make_game
from equipoise.opponents.registry import get_strategy
from equipoise.policies.registry import load_policy
from tests.helpers import value

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("kuhn", {}),
    ("kuhn", {"rounds": 2, "memory": True}),
    ("ipd", {"rounds": 2}),
    ("ipd", {"rounds": 3, "noise": 0.1, "continuation": 0.7}),
    ("commons", {"rounds": 3}),
    ("split", {"rounds": 2}),
    ("auction", {"rounds": 2}),
    ("multi_issue", {"rounds": 1, "valuation": "pool10", "pool": (2, 1, 4)}),
]


def in_turns(game: Any) -> Any:
    at_once = game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    return pyspiel.convert_to_turn_based(game) if at_once else game


@pytest.mark.parametrize(("name", "options"), SMALL)
def test_openspiels_simulations_find_nothing_wrong(name: str, options: dict[str, Any]) -> None:
    game = as_openspiel(name, **options)
    pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)
    pyspiel.random_sim_test(in_turns(game), num_sims=5, serialize=True, verbose=False)


@pytest.mark.parametrize(("name", "options"), SMALL)
def test_the_name_alone_brings_the_same_game(name: str, options: dict[str, Any]) -> None:
    game = as_openspiel(name, **options)
    again = pyspiel.load_game(str(game))
    assert str(again) == str(game)
    assert again.rules.options == make_game(name, **options).stage().options


@pytest.mark.parametrize(
    ("strategy", "wanted"),
    # domains.md: NashConv / 2 in chips a hand.
    [
        ("nash", 0.0),
        ("tight_passive", 1 / 4),
        ("loose_aggressive", 1 / 6),
        ("always_bet", 1 / 3),
        ("always_pass", 1.0),
        ("random", 11 / 24),
        ("max_exploiter", 1 / 4),
    ],
)
def test_kuhn_is_as_exploitable_there_as_here(strategy: str, wanted: float) -> None:
    game, rules = as_openspiel("kuhn"), make_game("kuhn").stage()
    policy = as_openspiel_policy(game, load_policy(f"scripted:{strategy}", rules))
    assert exploitability.nash_conv(game, policy) / 2 == pytest.approx(wanted, abs=1e-12)
    own = get_strategy("kuhn", strategy)
    assert worst_case(rules, [(own, 0), (own, 1)]).best_response == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("strategy", "wanted"),
    # Two rounds by hand: cooperate, then defect on a cooperator (3 + 5); defect twice on one who never minds.
    [("tit_for_tat", 4.0), ("grim_trigger", 4.0), ("always_cooperate", 5.0), ("always_defect", 1.0)],
)
def test_two_rounds_of_the_dilemma_are_as_exploitable_there_as_here(strategy: str, wanted: float) -> None:
    rules = make_game("ipd", rounds=2)
    game = in_turns(as_openspiel(rules))
    policy = as_openspiel_policy(game, load_policy(f"scripted:{strategy}", rules))
    own = get_strategy("ipd", strategy)
    assert worst_case(rules, [(own, 0), (own, 1)]).best_response == pytest.approx(wanted, abs=1e-12)
    for player in (0, 1):
        found = exploitability.best_response(game, policy, player)["best_response_value"]
        assert found / 2 == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "options", "first", "second"),
    [
        ("kuhn", {}, "nash", "nash"),
        ("ipd", {"rounds": 3, "noise": 0.1}, "generous_tit_for_tat", "random"),
        ("commons", {"rounds": 3}, "reciprocal", "late_grabber"),
        ("split", {"rounds": 2}, "concede", "random_3_7"),
        ("auction", {"rounds": 2}, "adaptive", "rational_random"),
    ],
)
def test_expected_returns_are_ours(name: str, options: dict[str, Any], first: str, second: str) -> None:
    rules = make_game(name, **options).stage()
    game = in_turns(as_openspiel(rules))
    policy = as_openspiel_policy(game, *(load_policy(f"scripted:{one}", rules) for one in (first, second)))
    found = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    wanted = value(rules, [get_strategy(name, first), get_strategy(name, second)]).payoffs
    assert [one / rules.info_record.rounds for one in found] == pytest.approx(wanted, abs=1e-12)


def test_equilibrium_gives_the_first_player_its_known_value() -> None:
    game = as_openspiel("kuhn")
    policy = as_openspiel_policy(game, load_policy("scripted:nash", make_game("kuhn")))
    # Kuhn 1950: -1/18.
    assert expected_game_score.policy_value(game.new_initial_state(), [policy, policy])[0] == pytest.approx(
        -1 / 18
    )


def test_tensors_tell_apart_what_strings_do() -> None:
    game = in_turns(as_openspiel("commons", rounds=2))
    found: dict[tuple[int, str], set[bytes]] = {}

    def visit(state: Any) -> None:
        if state.is_terminal():
            return
        player = state.current_player()
        shown = np.array(state.information_state_tensor(player)).tobytes()
        found.setdefault((player, state.information_state_string(player)), set()).add(shown)
        for action in state.legal_actions():
            visit(state.child(action))

    visit(game.new_initial_state())
    # Of each player: the first round, then nine pairs of requests.
    assert len(found) == 20
    assert all(len(shown) == 1 for shown in found.values())
    assert len({(player, *shown) for (player, _), shown in found.items()}) == 20


def test_a_process_that_used_it_ends_well() -> None:
    code = "from equipoise.adapters.openspiel import as_openspiel\ng = as_openspiel('kuhn')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


class MyCommons(Commons):
    """A game of one's own."""

    name = "my_commons"


class Impostor(Commons):
    """Other rules under a name that is taken."""


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: as_openspiel("openspiel:kuhn_poker"), "'openspiel:kuhn_poker' comes from elsewhere"),
        (lambda: as_openspiel("multi_issue"), "multi_issue is too large to walk"),
        (lambda: as_openspiel("social"), "is a free-text task"),
        (lambda: as_openspiel(make_game("ipd"), rounds=2), "option 'rounds': the game is made already"),
        (
            lambda: (as_openspiel("commons"), as_openspiel(Impostor())),
            "other rules are registered",
        ),
    ],
)
def test_what_does_not_fit_is_said(make: Any, error: str) -> None:
    with pytest.raises(RequestError, match=error):
        make()


def test_a_game_of_ones_own_goes_by_its_name_with_actions_as_they_are_met() -> None:
    game = as_openspiel(MyCommons())
    assert game.get_type().short_name == "equipoise_my_commons"
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


def test_without_openspiel_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(RequestError, match=r"pip install 'equipoise\[exact\]'"):
        as_openspiel("kuhn")
