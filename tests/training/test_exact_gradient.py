"""The exact gradient of J, against enumeration with complex steps and against finite differences."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from equipoise.auditing.exact.compile import compile_tree
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.opponents.pools import Pools
from equipoise.opponents.registry import get_strategy
from equipoise.training.exact_gradient import Book
from tests.auditing.oracle import means, named, reading
from tests.objective.learning import Array, Lab, enumerated, lab

CASES = {
    "kuhn uniform": ("kuhn", 1, 0, 0.0),
    "kuhn random": ("kuhn", 1, 3, 1.0),
    "ipd uniform": ("ipd", 2, 0, 0.0),
    "ipd random": ("ipd", 2, 5, 1.0),
}


@cache
def reference(case: str) -> tuple[Lab, float, Array]:
    """Return a lab with J and its gradient by enumeration."""
    one = lab(*CASES[case])
    return (one, *enumerated(one))


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_derivative_of_j_in_the_logits(case: str) -> None:
    one, value, wanted = reference(case)
    step = one.exact()
    assert step.terms.safety == pytest.approx(value, abs=1e-12)
    assert one.gradient(step.batch) == pytest.approx(wanted, abs=1e-12)


def test_uniform_kuhn_at_the_games_weight() -> None:
    # objective.md, section 3, invariant 2: the reference is computed by enumeration, not copied.
    one, _, wanted = reference("kuhn uniform")
    assert one.objective.weights.e == 1.5
    found = one.gradient(one.exact().batch)
    assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(wanted), abs=1e-12)
    # At uniform logits the gradient of each row is antisymmetric in its two actions.
    assert found[:, 0] == pytest.approx(-found[:, 1], abs=1e-15)
    assert np.linalg.norm(found) > 0.1


@pytest.mark.parametrize("name", ["kuhn", "ipd"])
def test_finite_differences_of_the_audited_safety(name: str) -> None:
    one = lab(name, 1 if name == "kuhn" else 3, seed=2, spread=0.7)
    gradient = one.gradient(one.exact().batch)
    config = AuditConfig(exact=True, pools=one.objective.pools)

    def audited(logits: object) -> float:
        one.policy.logits = np.asarray(logits)
        found = audit_game(one.game, one.policy.table(), config).metrics["safety"]
        assert found is not None
        return found.value

    start = one.policy.logits.copy()
    direction = np.random.default_rng(0).normal(size=start.shape)
    h = 1e-5
    slope = (audited(start + h * direction) - audited(start - h * direction)) / (2 * h)
    assert slope == pytest.approx(float((gradient * direction).sum()), rel=1e-6)


def test_gates_are_those_of_the_seat_averaged_gaps() -> None:
    # A nearly pure defector is ahead of nobody's exploiters but behind none: all gaps of ipd close.
    one = lab("ipd", 3)
    one.policy.logits[:, 0] = -30.0  # never cooperate
    step = one.exact()
    assert step.terms.exploitability == pytest.approx(0.0, abs=1e-9)
    assert step.gates["alternating_defect"] == 0.0  # ahead of it
    one.policy.logits[:, 0] = 30.0
    assert one.exact().gates == {"always_defect": 1.0, "alternating_defect": 1.0}


class TestBook:
    def test_states_are_numbered_once_over_all_trees(self) -> None:
        one = lab("kuhn", 1)
        assert len(one.book.legal) == len(one.book.index) == 12
        assert one.book.seats == 2
        again = Book([*one.book.trees, one.book.trees[0]])
        assert again.index == one.book.index
        assert again.seats == 2

    def test_means_are_the_enumerated_ones(self) -> None:
        one = lab("ipd", 2, seed=4, spread=1.0)
        table = one.policy.table().table
        found = one.book.means(one.book.tabulate(one.policy))
        for name, row in found.items():
            wanted = means(one.game, reading(one.game, table), named(one.game, name))
            assert row == pytest.approx(wanted, abs=1e-12)

    def test_an_opponent_may_have_a_tree_of_its_own(self) -> None:
        one = lab("kuhn", 1, seed=4, spread=1.0)
        strategy = get_strategy("kuhn", "random")
        extra = [compile_tree(one.game, {"late": strategy}, seat) for seat in (0, 1)]
        book = Book([*one.book.trees, *extra])
        found = book.means(book.tabulate(one.policy))["late"]
        wanted = means(one.game, reading(one.game, one.policy.table().table), named(one.game, "random"))
        assert found == pytest.approx(wanted, abs=1e-12)

    def test_a_table_as_a_strategy(self) -> None:
        one = lab("kuhn", 1, seed=4, spread=1.0)
        table = one.book.tabulate(one.policy)
        strategy = one.book.strategy("mine", table)
        for key, row in one.book.index.items():
            given = strategy.probabilities(key[1], key[0], one.book.legal[row])
            assert list(given.values()) == pytest.approx(table[row].tolist())


class TestVisits:
    def test_they_are_the_share_of_decisions(self) -> None:
        # Uniform against one uniform opponent over two rounds: half of the decisions open, the rest are
        # spread over four equally likely histories.
        one = lab("ipd", 2, pools=Pools(("mixed_half",)))
        visits = dict(
            zip(
                [d.rules.label(d.observation, d.history) for d in one.book.decisions],
                one.exact().batch.visits.tolist(),
                strict=True,
            )
        )
        assert visits.pop("-/-") == pytest.approx(0.5)
        assert list(visits.values()) == pytest.approx([1 / 8] * 4)

    def test_in_kuhn_they_follow_the_policys_own_reach(self) -> None:
        one: Lab = lab("kuhn", 1, pools=Pools(("always_pass",)))
        step = one.exact()
        by_label = dict(
            zip(
                [d.rules.label(d.observation, d.history) for d in one.book.decisions],
                step.batch.visits.tolist(),
                strict=True,
            )
        )
        assert sum(by_label.values()) == pytest.approx(1.0)
        # The opponent never bets: no decision faces a bet, and each card opens as often as it goes second.
        assert by_label == pytest.approx({f"{card}:{bets}": 1 / 6 for card in "JQK" for bets in ("", "p")})
