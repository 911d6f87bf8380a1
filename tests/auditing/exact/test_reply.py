"""Best replies and worst cases, against trying every pure strategy."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.auditing.exact.compile import TooLargeError, compile_tree
from equipoise.auditing.exact.product import expected_features
from equipoise.auditing.exact.reply import best_reply, gap_reward, reply_table, responder, worst_case
from equipoise.games.base import Game
from equipoise.games.registry import make_game
from equipoise.objective.features import OPPONENT, OWN
from equipoise.opponents.kuhn import nash
from equipoise.opponents.registry import get_strategy
from equipoise.policies.tabular import TabularPolicy
from equipoise.types import Action
from tests.auditing.oracle import Mixture, means_at, playing, random_policy, reading, states
from tests.helpers import every_decision

seeds = st.integers(0, 2**20)
IPD = make_game("ipd", rounds=2)
KUHN = make_game("kuhn", rounds=1)


def pure_strategies(game: Game, seat: int) -> Iterator[Mixture]:
    """Yield every pure strategy of a seat."""
    own: dict[str, tuple[Action, ...]] = {}
    for decision in every_decision(game):
        if decision.seat == seat and decision.legal is not None:
            own[game.label(decision.observation, decision.history)] = decision.legal
    for chosen in product(*own.values()):
        yield reading(game, {label: {action: 1.0} for label, action in zip(own, chosen, strict=True)})


def by_hand(game: Game, policy: Mixture, seat: int) -> tuple[float, float]:
    """Return what an opponent can reach at most, and what it can push the policy down to, at one seat."""
    rows = [means_at(game, policy, reply, seat) for reply in pure_strategies(game, 1 - seat)]
    return max(row[1] for row in rows), min(row[0] for row in rows)


@settings(max_examples=5, derandomize=True, deadline=None)
@given(seed=seeds)
def test_the_worst_case_of_a_random_table_in_the_dilemma(seed: int) -> None:
    policy = random_policy(IPD, seed)
    # Deviations at unreached states matter: 32 pure strategies, from opening and four histories.
    best, secure = by_hand(IPD, reading(IPD, policy.table), 0)
    found = worst_case(IPD, [(policy.strategy(IPD), 0)])
    assert (found.best_response, found.security) == pytest.approx((best, secure), abs=1e-12)


@settings(max_examples=3, derandomize=True, deadline=None)
@given(seed=seeds)
def test_the_worst_case_of_a_random_table_in_kuhn(seed: int) -> None:
    policy = random_policy(KUHN, seed)
    by_seat = [by_hand(KUHN, reading(KUHN, policy.table), seat) for seat in (0, 1)]
    strategy = policy.strategy(KUHN)
    found = worst_case(KUHN, [(strategy, 0), (strategy, 1)])
    assert found.best_response == pytest.approx(np.mean([best for best, _ in by_seat]), abs=1e-12)
    assert found.security == pytest.approx(np.mean([secure for _, secure in by_seat]), abs=1e-12)


def test_a_strategy_with_its_own_memory_has_the_worst_case_of_its_behaviour() -> None:
    game = make_game("ipd", rounds=3, noise=0.1)
    strategy = get_strategy("ipd", "generous_tit_for_tat")
    pavlov = get_strategy("ipd", "pavlov")
    for known in (strategy, pavlov):
        table = {
            label: dict(playing(known)[0][0](d.observation, d.history, d.legal or ()))
            for d in every_decision(game)
            for label in [game.label(d.observation, d.history)]
        }
        spelled = TabularPolicy(game.info_record.key, table).strategy(game)
        assert worst_case(game, [(known, 0)]).best_response == pytest.approx(
            worst_case(game, [(spelled, 0)]).best_response, abs=1e-12
        )


@pytest.mark.parametrize("alpha", [0.0, 0.1, 1 / 3])
def test_nobody_gains_on_an_equilibrium(alpha: float) -> None:
    # Kuhn 1950: every α of the family is an equilibrium; the seat-averaged value is 0.
    found = worst_case(KUHN, [(nash(alpha), 0), (nash(alpha), 1)])
    assert (found.best_response, found.security) == pytest.approx((0.0, 0.0), abs=1e-12)
    opener = worst_case(KUHN, [(nash(alpha), 0)])
    assert opener.security == pytest.approx(-1 / 18, abs=1e-12)


def test_in_a_zero_sum_game_reach_and_security_mirror_each_other() -> None:
    strategy = random_policy(KUHN, 5).strategy(KUHN)
    found = worst_case(KUHN, [(strategy, 0), (strategy, 1)])
    assert found.best_response == pytest.approx(-found.security, abs=1e-12)


@pytest.mark.parametrize("name", ["tit_for_tat", "grim_trigger", "pavlov", "mixed_half", "always_defect"])
def test_the_best_reply_earns_what_it_says_when_it_is_played(name: str) -> None:
    game, opponent = make_game("ipd", rounds=4), get_strategy("ipd", name)
    tree = compile_tree(game, {name: opponent}, 0)
    value, choice = best_reply(tree, tree.payoff[:, 0, OWN])
    played = reply_table("reply", tree, choice)
    assert expected_features(game, played, opponent, 0)[OWN] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "value"),
    # Cooperate to the last round, then defect: (3 + 3 + 3 + 5)/4; against D only D pays; against C take 5.
    [("tit_for_tat", 3.5), ("grim_trigger", 3.5), ("always_defect", 1.0), ("always_cooperate", 5.0)],
)
def test_best_replies_by_hand(name: str, value: float) -> None:
    tree = compile_tree(make_game("ipd", rounds=4), {name: get_strategy("ipd", name)}, 0)
    assert best_reply(tree, tree.payoff[:, 0, OWN])[0] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("options", [{"rounds": 3}, {"rounds": 2, "noise": 0.2}], ids=str)
def test_a_responder_leads_by_as_much_as_anyone_can(options: dict[str, object]) -> None:
    game = make_game("ipd", **options)
    policy = random_policy(game, 8)
    strategy = policy.strategy(game)
    found = responder(game, strategy, gap_reward(game), "best_response")
    row = expected_features(game, strategy, found, 0)
    tree = compile_tree(game, {"policy": strategy}, 1)
    best = best_reply(tree, tree.payoff[:, 0, OWN] - tree.payoff[:, 0, OPPONENT])[0]
    assert row[OPPONENT] - row[OWN] == pytest.approx(best, abs=1e-12)
    assert found.name == "best_response"


def test_one_responder_plays_both_seats_of_kuhn() -> None:
    strategy = get_strategy("kuhn", "random")
    found = responder(KUHN, strategy, gap_reward(KUHN), "r")
    gains = [means_at(KUHN, playing(found), playing(strategy), seat)[0] for seat in (0, 1)]
    assert np.mean(gains) == pytest.approx(11 / 24, abs=1e-12)  # domains.md, best_response of random
    table: Mapping[tuple[Hashable, tuple[Hashable, ...]], Mapping[Action, float]] = found.table  # type: ignore[attr-defined]
    assert {KUHN.label(*key) for key in table} == set(states(KUHN))


def test_a_pruned_responder_plays_the_same_in_fewer_states() -> None:
    game = make_game("ipd", rounds=4)
    strategy = random_policy(game, 8).strategy(game)
    whole, pruned = (responder(game, strategy, gap_reward(game), "r", whole=w) for w in (True, False))
    a, b = (expected_features(game, strategy, found, 0) for found in (whole, pruned))
    assert np.array_equal(a, b)
    # It never deviates from itself: 1 + 2 + 4 + 8 states of 1 + 4 + 16 + 64.
    assert [len(found.table) for found in (whole, pruned)] == [85, 15]  # type: ignore[attr-defined]


def test_limits() -> None:
    game, strategy = make_game("ipd", rounds=3), get_strategy("ipd", "mixed_half")
    with pytest.raises(TooLargeError):
        worst_case(game, [(strategy, 0)], limit=5)
    with pytest.raises(TooLargeError):
        responder(game, strategy, gap_reward(game), "r", limit=20)
