"""Exact values against OpenSpiel's own algorithms, and its Kuhn poker against ours."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspiel")
pytest.importorskip("open_spiel.python.algorithms.exploitability")

from equipoise.auditing.certify import Budget, certify
from equipoise.auditing.exact.product import expected_features
from equipoise.auditing.exact.reply import worst_case
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.games.kuhn import BET, CALL, CARDS, FOLD, PASS
from equipoise.games.registry import make_game
from equipoise.opponents.pools import Pools
from equipoise.opponents.registry import get_strategy
from equipoise.policies.registry import load_game
from equipoise.policies.scripted import StrategyPolicy
from equipoise.policies.tabular import TabularPolicy
from tests.adapters.openspiel.tables import random_pair, their_nash_conv, their_value, uniform_pair

SMALL_DICE = "liars_dice(numdice=1,dice_sides=3)"
HIDDEN_GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=descending)"
CASES = [
    *[("kuhn_poker", seed) for seed in range(5)],
    *[("leduc_poker", seed) for seed in range(2)],
    *[(SMALL_DICE, seed) for seed in range(2)],
    *[(HIDDEN_GOOFSPIEL, seed) for seed in range(2)],
    ("misere(game=kuhn_poker())", 0),
    ("python_kuhn_poker", 0),
]
"""Games with seeds: poker, dice, a game of simultaneous moves, a transformed game, one written in Python."""


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_best_response_is_openspiels_exploitability(name: str, seed: int) -> None:
    theirs, ours = random_pair(name, seed)
    wanted = their_nash_conv(name, theirs, use_cpp_br="python" not in name) / 2.0
    game = load_game(f"openspiel:{name}")
    strategy = ours.strategy(game)
    assert wanted > 0.01
    assert worst_case(game, [(strategy, 0), (strategy, 1)]).best_response == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_values_are_openspiels_from_both_seats(name: str, seed: int) -> None:
    first, second = random_pair(name, seed), random_pair(name, seed + 1000)
    game = load_game(f"openspiel:{name}")
    ours, other = first.ours.strategy(game), second.ours.strategy(game)
    wanted = their_value(name, first.theirs, second.theirs)
    assert expected_features(game, ours, other, 0)[:2] == pytest.approx(wanted, abs=1e-9)
    assert expected_features(game, other, ours, 1)[:2] == pytest.approx(wanted[::-1], abs=1e-9)


def test_an_audit_reports_the_same_numbers() -> None:
    theirs, ours = random_pair("leduc_poker", 7)
    uniform = uniform_pair("leduc_poker").theirs
    result = audit_game(load_game("openspiel:leduc_poker"), ours, AuditConfig(exact=True))
    values = {key: None if one is None else one.value for key, one in result.metrics.items()}
    as_first, as_second = (
        their_value("leduc_poker", theirs, uniform)[0],
        their_value("leduc_poker", uniform, theirs)[1],
    )
    assert values["utility"] == pytest.approx((as_first + as_second) / 2, abs=1e-9)
    wanted = their_nash_conv("leduc_poker", theirs, use_cpp_br=True) / 2.0
    assert values["best_response"] == pytest.approx(wanted, abs=1e-9)
    assert (values["collusion"], values["externality"]) == (None, None)
    assert result.game == "openspiel:leduc_poker"


@pytest.mark.parametrize(
    ("name", "published"),
    [
        # OpenSpiel's exploitability_test.py and matrix games: 11/12 is the NashConv of uniform Kuhn.
        ("kuhn_poker", 11 / 24),
        # Uniform play cannot be exploited in rock, paper, scissors.
        ("matrix_rps", 0.0),
        # OpenSpiel's exploitability_test.py: the NashConv of uniform Leduc is 4.747222222222222.
        ("leduc_poker", 4.747222222222222 / 2),
    ],
)
def test_uniform_play_has_its_known_exploitability(name: str, published: float) -> None:
    game, policy = load_game(f"openspiel:{name}"), uniform_pair(name).ours.strategy
    found = worst_case(game, [(policy(game), 0), (policy(game), 1)]).best_response
    assert found == pytest.approx(published, abs=1e-9)


def test_the_later_mover_of_a_simultaneous_game_does_not_see_the_earlier_move() -> None:
    # If it did, a best reply to anything but a pure first move would win always.
    game = load_game("openspiel:matrix_rps")
    policy = uniform_pair("matrix_rps").ours.strategy(game)
    assert worst_case(game, [(policy, 0)]).best_response == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_our_kuhn_is_theirs(seed: int) -> None:
    theirs, other = load_game("openspiel:kuhn_poker"), make_game("kuhn").stage()
    pair = [random_pair("kuhn_poker", seed).ours, random_pair("kuhn_poker", seed + 1000).ours]
    mine = [_as_ours(table).strategy(other) for table in pair]
    spiels = [table.strategy(theirs) for table in pair]
    for seat in (0, 1):
        assert expected_features(theirs, *spiels, seat) == pytest.approx(
            expected_features(other, *mine, seat), abs=1e-9
        )
    native, found = (
        worst_case(game, [(one, 0), (one, 1)]) for game, one in ((other, mine[0]), (theirs, spiels[0]))
    )
    assert found.best_response == pytest.approx(native.best_response, abs=1e-9)
    assert found.security == pytest.approx(native.security, abs=1e-9)


def _as_ours(policy: TabularPolicy) -> TabularPolicy:
    """Return a table for OpenSpiel's Kuhn poker, labels like ``1: 0pb``, as one for ours."""
    table = {}
    for label, row in policy.table.items():
        known = label.partition(": ")[2]
        card, bets = CARDS[int(known[0])], known[1:]
        bold, meek = (CALL, FOLD) if bets.endswith("b") else (BET, PASS)
        table[f"{card}:{bets}"] = {bold: row["Bet"], meek: row["Pass"]}
    return TabularPolicy("kuhn@1", table)


def test_both_kuhns_have_one_objective() -> None:
    config = AuditConfig(exact=True, pools=Pools(train=("random",), exploiter=("random",)))
    table = random_pair("kuhn_poker", 3).ours
    found = audit_game(load_game("openspiel:kuhn_poker"), table, config)
    native = audit_game(make_game("kuhn"), _as_ours(table), config)
    for metric in ("safety", "utility", "exploitability", "nra", "regret", "best_response", "optimum"):
        theirs, ours = found.metrics[metric], native.metrics[metric]
        assert theirs is not None
        assert ours is not None
        assert theirs.value == pytest.approx(ours.value, abs=1e-9)


def test_moves_made_at_once_are_no_complete_information() -> None:
    game = load_game("openspiel:matrix_rps")
    # In turns, whoever comes second would win for certain if it knew the first move.
    assert game.info_record.information == "imperfect"
    policy = StrategyPolicy(get_strategy(game.name, "random"))
    for queries in (1, 10):
        found = certify(policy, game, Budget(queries=queries)).best_response
        assert found.low is not None
        assert found.high is not None
        assert found.low <= 0.0 <= found.high
