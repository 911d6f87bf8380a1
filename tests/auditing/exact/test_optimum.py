"""J*: golden values, attained by the programme's own policy, and exceeded by none."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.auditing.exact.optimum import Optimum, objective_trees, optimum
from equipoise.auditing.exact.reply import reply_table
from equipoise.errors import EquipoiseError
from equipoise.games.base import Game, Weights
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools, default_pools
from equipoise.opponents.recall import TableStrategy
from equipoise.policies.registry import load_opponents, strategies_of
from tests.auditing.oracle import Mixture, named, playing, random_table, reading, terms

CASES: dict[str, tuple[Game, Pools, tuple[float, float, float]]] = {
    "ipd, its own pools": (make_game("ipd", rounds=3), default_pools("ipd"), (2.4, 1.0, 1.8)),
    "ipd, no penalty": (make_game("ipd", rounds=3), default_pools("ipd"), (0.0, 0.0, 0.0)),
    "ipd, other pools": (
        make_game("ipd", rounds=3, temptation=7.0, reward=4.0),
        Pools(("pavlov", "tit_for_two_tats", "pavlov"), ("random_75", "always_defect"), ("tit_for_tat",)),
        (0.7, 3.0, 0.2),
    ),
    "ipd, no exploiter": (
        make_game("ipd", rounds=3),
        Pools(("grim_trigger",), (), ("always_cooperate",)),
        (5.0, 0.5, 0.5),
    ),
    "ipd, hidden horizon": (
        make_game("ipd", rounds=3, continuation=0.7),
        default_pools("ipd"),
        (2.4, 1.0, 1.8),
    ),
    "kuhn, its own pools": (make_game("kuhn", rounds=1), default_pools("kuhn"), (1.5, 0.0, 0.0)),
    "kuhn, a light penalty": (make_game("kuhn", rounds=1), default_pools("kuhn"), (0.2, 0.0, 0.0)),
    "kuhn, a multiset": (
        make_game("kuhn", rounds=1),
        Pools(("always_pass", "nash"), ("random", "random", "nash", "always_bet")),
        (4.0, 0.0, 0.0),
    ),
}


def solved(game: Game, pools: Pools, weights: tuple[float, float, float]) -> Optimum:
    pools = replace(pools, shift=())
    objective = Objective.of(game.info_record, pools, Weights(*weights))
    strategies = strategies_of(load_opponents((n for _, names in pools for n in names), game), game)
    assert strategies is not None
    return optimum(objective_trees(game, objective, strategies), objective)


def best_policy(found: Optimum) -> Mixture:
    """Return the programme's policy; both positions of Kuhn are covered by their own tree."""
    rows = {}
    for tree, plan in zip(found.trees, found.probabilities, strict=True):
        rows.update(reply_table("optimum", tree, plan).table)
    return playing(TableStrategy("optimum", rows))


@pytest.mark.parametrize(
    ("name", "weights", "value"),
    # objective.md, section 1: J* at the weights of domains.md.
    [("ipd", (2.4, 1.0, 1.8), 1.8798828125), ("kuhn", (1.5, 0.0, 0.0), 1 / 6)],
)
def test_published_optima(name: str, weights: tuple[float, float, float], value: float) -> None:
    assert solved(make_game(name).stage(), default_pools(name), weights).value == pytest.approx(
        value, abs=1e-9
    )


@pytest.mark.parametrize("case", CASES)
def test_the_policy_found_has_that_value(case: str) -> None:
    game, pools, weights = CASES[case]
    found = solved(game, pools, weights)
    assert terms(game, best_policy(found), pools, weights)["J"] == pytest.approx(found.value, abs=1e-9)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=6, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**20))
def test_no_other_policy_has_more(case: str, seed: int) -> None:
    game, pools, weights = CASES[case]
    policy = reading(game, random_table(game, seed, sharpness=0.2))
    assert terms(game, policy, pools, weights)["J"] <= solved(game, pools, weights).value + 1e-9


@pytest.mark.parametrize("weights", [(2.4, 1.0, 1.8), (0.3, 0.0, 0.0), (0.0, 2.0, 5.0)])
def test_one_round_by_hand(weights: tuple[float, float, float]) -> None:
    # In one round J is linear in the chance to cooperate (both exploiters open with D, so no hinge turns
    # off), and its maximum is at an end.
    game, pools = make_game("ipd", rounds=1), default_pools("ipd")
    ends = [
        terms(game, named(game, name), pools, weights)["J"] for name in ("always_cooperate", "always_defect")
    ]
    assert solved(game, pools, weights).value == pytest.approx(max(ends), abs=1e-9)


def test_more_penalty_never_helps() -> None:
    values = [
        solved(make_game("ipd", rounds=3), default_pools("ipd"), (e, 0.0, 0.0)).value
        for e in (0.0, 0.1, 0.5, 1.5, 10.0)
    ]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1] + 1e-3


def test_a_solver_that_fails_is_an_error_of_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = SimpleNamespace(success=False, message="time is up")
    monkeypatch.setattr("equipoise.auditing.exact.optimum.linprog", lambda *args, **settings: failed)
    with pytest.raises(EquipoiseError, match=r"linear programme for J\* failed: time is up"):
        solved(make_game("kuhn", rounds=1), default_pools("kuhn"), (1.5, 0.0, 0.0))
