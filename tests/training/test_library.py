"""Which scripted strategy is the strongest now: exactly, or estimated on common deals."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from equipoise.errors import RequestError
from equipoise.opponents.pools import default_pools
from equipoise.opponents.registry import strategies
from equipoise.rollout.deals import Split
from equipoise.training import library as module
from equipoise.training.library import FIRST_DEAL, Library
from equipoise.training.responders import LIBRARY
from tests.auditing.oracle import means, playing, reading
from tests.objective.learning import Lab, lab

CASES = [("kuhn", 1), ("ipd", 3)]


def library(one: Lab, exact: bool = True, deals: int = 8, shift: tuple[str, ...] = ()) -> Library:
    return Library(one.game, shift, one.policy.exact_states if exact else 0, deals, seed=0)


@pytest.mark.parametrize(("name", "rounds"), CASES)
def test_leads_are_those_of_walking_the_game(name: str, rounds: int) -> None:
    one = lab(name, rounds, seed=3, spread=1.0)
    found = library(one).leads(one.policy, Split.TRAIN, 0)
    stage = one.game.stage()
    policy = reading(stage, one.policy.table().table)
    for candidate, strategy in strategies(name).items():
        row = means(stage, policy, playing(strategy))
        assert found[candidate] == pytest.approx(row[1] - row[0], abs=1e-12)


@pytest.mark.parametrize(("name", "rounds"), CASES)
def test_the_strongest_has_the_largest_lead_and_its_own_tables(name: str, rounds: int) -> None:
    one = lab(name, rounds, seed=3, spread=1.0)
    books = library(one)
    leads = books.leads(one.policy, Split.TRAIN, 0)
    best = books.strongest(one.policy, Split.TRAIN, 6)
    assert (best.name, best.step) == (LIBRARY, 6)
    assert leads[best.scripted] == max(leads.values())
    assert best.strategy is books.candidates[best.scripted]
    assert {tree.opponents for tree in best.trees} == {(LIBRARY,)}


def test_the_shift_pool_is_held_out() -> None:
    one = lab("kuhn", 1, seed=3, spread=1.0)
    shift = default_pools("kuhn").shift
    found = library(one, shift=shift)
    assert set(found.candidates) == set(strategies("kuhn")) - set(shift)
    wrapped = library(one, shift=("frozen:nash", "mixture:random+always_bet", "noisy:0.1:always_pass"))
    assert set(strategies("kuhn")) - set(wrapped.candidates) == {"nash", "random", "always_bet"}
    with pytest.raises(RequestError, match="kuhn has no scripted strategy outside its shift pool"):
        library(one, shift=tuple(strategies("kuhn")))


def test_estimates_come_near_the_exact_leads() -> None:
    one = lab("ipd", 3, seed=3, spread=1.0)
    exact = library(one).leads(one.policy, Split.TRAIN, 0)
    found = library(one, exact=False, deals=100).leads(one.policy, Split.TRAIN, 0)
    # Leads are at most 5 a round, and their spread below 2: five standard errors of 200 episodes.
    assert found == {name: pytest.approx(lead, abs=0.5) for name, lead in exact.items()}
    assert found != exact


def test_a_table_too_large_for_the_policy_is_estimated() -> None:
    one = lab("kuhn", 1)
    one.policy.exact_states = 11
    assert library(one).trees is None
    one.policy.exact_states = 12
    assert library(one).trees is not None


def test_all_candidates_meet_the_same_deals_and_no_gradient_ever_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    original = module.play

    def watching(requests: Any, rule: Any) -> Any:
        asked.extend(requests)
        return original(requests, rule)

    monkeypatch.setattr(module, "play", watching)
    one = lab("kuhn", 1, seed=3, spread=1.0)
    found = library(one, exact=False, deals=3)
    for number in (0, 1):
        found.leads(one.policy, Split.TRAIN, number)
    deals = defaultdict(list)
    for request in asked:
        deals[request.opponent].append((request.deal.index, request.seat))
        assert request.deal.split is Split.TRAIN
    assert set(deals) == set(strategies("kuhn"))
    wanted = [(FIRST_DEAL + index, seat) for index in range(6) for seat in (0, 1)]
    assert {tuple(rows) for rows in deals.values()} == {tuple(wanted)}
    # No run has as many steps.
    assert FIRST_DEAL > 10**9
    assert len({request.id for request in asked[: len(asked) // 2]}) == len(asked) // 2


def test_equal_leads_keep_the_order_of_the_game() -> None:
    # Several defect throughout against a policy that always cooperates.
    one = lab("ipd", 3)
    one.policy.logits[:, 0] = 50.0
    found = library(one)
    leads = found.leads(one.policy, Split.TRAIN, 0)
    best = max(leads.values())
    equal = [name for name, lead in leads.items() if lead == best]
    assert found.strongest(one.policy, Split.TRAIN, 0).scripted == equal[0]
    assert np.isclose(best, 5.0)
