"""Responders and leagues: what they are, how they are kept, and how a run goes on with them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from equipoise.auditing.exact.compile import compile_tree
from equipoise.games.registry import make_game
from equipoise.objective.safety import RESPONDER
from equipoise.opponents.registry import get_strategy
from equipoise.training.arena import Arena
from equipoise.training.config import SepoConfig
from equipoise.training.exploiters import Exploiters
from equipoise.training.responders import LIBRARY, LabelStrategy, Responder, ResponderLeague, labelled
from tests.objective.learning import Lab, lab

KUHN = make_game("kuhn").stage()
ALL = "pool+best_response+library_response+league"


def scripted(name: str, step: int) -> Responder:
    return Responder(LIBRARY, get_strategy("kuhn", name), step, name)


def table(rows: dict[str, dict[Any, float]], step: int) -> Responder:
    return Responder(RESPONDER, LabelStrategy(RESPONDER, KUHN, rows), step)


class TestLeague:
    def test_it_keeps_the_last_distinct_ones(self) -> None:
        league = ResponderLeague(KUHN, 2)
        for step, name in enumerate(["nash", "always_bet", "always_pass"]):
            league.retire([scripted(name, step)], [scripted("random", step + 1)])
        assert [m.name for m in league.members] == ["library_response@1", "library_response@2"]
        league.retire([scripted("always_bet", 7)], [scripted("random", 8)])
        assert [m.name for m in league.members] == ["library_response@2", "library_response@7"]

    def test_who_is_in_force_is_no_member(self) -> None:
        league = ResponderLeague(KUHN, 3)
        league.retire([scripted("nash", 0)], [scripted("random", 1)])
        league.retire([scripted("random", 1)], [scripted("nash", 2)])
        assert [m.scripted for m in league.members] == ["random"]

    def test_tables_are_compared_by_what_they_play(self) -> None:
        one, same, other = ({"J:": {"BET": p, "PASS": 1.0 - p}} for p in (0.0, 0.0, 1.0))
        league = ResponderLeague(KUHN, 3)
        for step, rows in enumerate((one, same, other)):
            league.retire([table(rows, step)], [])
        assert [m.name for m in league.members] == ["best_response@1", "best_response@2"]

    def test_of_size_zero_it_stays_empty(self) -> None:
        league = ResponderLeague(KUHN, 0)
        league.retire([scripted("nash", 0)], [])
        assert league.members == []


def test_a_table_by_label_plays_what_it_was_made_from() -> None:
    one = lab("kuhn", 1, seed=3, spread=1.0)
    found = Exploiters(KUHN, one.objective, one.book.trees, "pool+best_response")
    found.respond(one.policy, 4)
    assert found.strategy is not None
    rows = labelled(found.strategy, KUHN)
    copy = LabelStrategy("r", KUHN, rows)
    trees = [compile_tree(KUHN, {"r": s}, seat) for s in (found.strategy, copy) for seat in (0, 1)]
    for a, b in zip(trees[:2], trees[2:], strict=True):
        assert a.keys == b.keys
        assert np.array_equal(a.payoff, b.payoff)
    # Where it is silent, it is uniform.
    key = next(iter(one.policy.legal))
    assert LabelStrategy("r", KUHN, {}).probabilities(key[1], key[0], ("a", "b")) == {"a": 0.5, "b": 0.5}


def moved(one: Lab, size: float, seed: int) -> None:
    noise = np.random.default_rng(seed).standard_normal(one.policy.logits.shape)
    one.policy.logits = one.policy.logits + size * noise


@pytest.mark.parametrize("kind", ["pool+best_response+league", "pool+library_response+league", ALL])
def test_a_restored_pool_is_the_same_to_the_last_bit(kind: str) -> None:
    one = lab("kuhn", 2, seed=3, spread=1.0)
    config = SepoConfig(exploiters=kind, league_size=2, gradient="exact")
    first = Arena(one.game, one.objective, one.policy, config)
    for step in range(5):
        first.respond(one.policy, step)
        moved(one, 2.0, step)
    state = json.loads(json.dumps(first.state_dict()))
    second = Arena(one.game, one.objective, one.policy, config)
    second.load_state_dict(state)
    assert second.objective == first.objective
    assert list(second.opponents) == list(first.opponents)
    assert second.state_dict() == first.state_dict()
    assert len(first.objective.pools.exploiter) >= 5
    a, b = (arena.exact(one.policy, {}) for arena in (first, second))
    assert np.array_equal(a.prob_weights, b.prob_weights)
    # Both go on alike.
    for arena in (first, second):
        arena.respond(one.policy, 5)
    assert second.state_dict() == first.state_dict()


def test_names_stand_for_others_when_responders_change() -> None:
    one = lab("kuhn", 1, seed=3, spread=1.0)
    arena = Arena(one.game, one.objective, one.policy, SepoConfig(exploiters=ALL, gates="running"))
    arena.respond(one.policy, 0)
    arena.sample(one.policy, 0, {})
    known = {key.rpartition("|")[0] for key in arena.gates.state_dict()}
    assert {RESPONDER, LIBRARY} <= known
    # The policy has not changed: the same responders, and what is known of them.
    arena.respond(one.policy, 1)
    assert {key.rpartition("|")[0] for key in arena.gates.state_dict()} == known
    one.policy.logits = -one.policy.logits
    arena.respond(one.policy, 2)
    known = {key.rpartition("|")[0] for key in arena.gates.state_dict()}
    assert RESPONDER not in known
    assert set(one.objective.pools.exploiter) <= known
    assert f"{RESPONDER}@0" in arena.opponents


def test_the_score_leaves_the_league_out_and_keeps_the_schedule() -> None:
    one = lab("kuhn", 1, seed=3, spread=1.0)
    arena = Arena(one.game, one.objective, one.policy, SepoConfig(exploiters=ALL, gradient="exact"))
    for step in range(3):
        arena.respond(one.policy, step)
        moved(one, 2.0, step)
    before = arena.state_dict()
    objective, book, players = arena.exploiters.fresh(one.policy)
    assert objective.pools.exploiter == (*one.objective.pools.exploiter, RESPONDER, LIBRARY)
    assert set(players) == {RESPONDER, LIBRARY}
    assert book is not None
    means = book.means(book.tabulate(one.policy))
    leads = {name: row[1] - row[0] for name, row in means.items()}
    # Nobody leads by more than the best response to the very policy.
    assert leads[RESPONDER] == pytest.approx(max(leads.values()), abs=1e-12)
    assert arena.state_dict() == before
