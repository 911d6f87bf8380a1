"""Invariants of objective.md, section 3, on the production code path.

Played episodes → ``group_episodes`` → ``per_pool`` → ``sampled_batch`` → ``TabularLearner.gradient``, with
exact gates, against the exact gradient (which ``test_exact_gradient`` checks by enumeration). Invariants of
the numbers alone are in ``tests/objective``. Invariant 3 is about the other estimators.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest
from scipy import stats

from equipoise.errors import RequestError
from equipoise.objective.credit import per_pool
from equipoise.objective.groups import group_episodes
from equipoise.objective.penalties import ESTIMATORS
from equipoise.opponents.pools import Pools
from equipoise.rollout.engine import play
from equipoise.training.batch import SampledStep, sampled_batch
from tests.objective.learning import Array, Lab, hands, lab, plain

EXPLOIT = ("exploitability",)


@dataclass(frozen=True)
class Plan:
    """An experiment on bias: what is played, and how much of it."""

    game: str
    rounds: int
    logits: int
    spread: float
    rollouts: int
    batches: int
    deals: int


# Numbers of episodes are chosen so that the interval of the projection is narrower than ±0.05.
PLANS = {
    "kuhn uniform": Plan("kuhn", 1, 0, 0.0, 8, 32, 6),
    "kuhn random": Plan("kuhn", 1, 8, 1.0, 8, 36, 6),
    "ipd uniform": Plan("ipd", 3, 0, 0.0, 8, 18, 4),
    "ipd random": Plan("ipd", 3, 7, 1.0, 8, 22, 4),
}


@cache
def exact(case: str) -> tuple[Lab, Any, Array]:
    plan = PLANS[case]
    one = lab(plan.game, plan.rounds, plan.logits, plan.spread)
    step = one.exact()
    return one, step, one.gradient(step.batch)


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("case", PLANS)
def test_2_the_sampled_gradient_is_unbiased(case: str, seed: int) -> None:
    plan = PLANS[case]
    one, step, wanted = exact(case)
    sets = hands(one, seed) if plan.game == "kuhn" else plain(one, seed, plan.deals)
    found = np.array(
        [
            one.sampled(play(one.requests(deals, plan.rollouts)), step.gates)[1]
            for deals in islice(sets, plan.batches)
        ]
    )
    mean = found.mean(axis=0)
    projections = (found * wanted).sum(axis=(1, 2)) / (wanted**2).sum()
    low, high = _interval(projections)
    assert (high - low) / 2 < 0.05
    assert low <= 1.0 <= high
    cosine = (mean * wanted).sum() / (np.linalg.norm(mean) * np.linalg.norm(wanted))
    assert cosine >= 0.99
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    moving = error > 1e-12
    assert np.abs((mean - wanted)[~moving]).max(initial=0.0) < 1e-9
    assert np.abs((mean - wanted)[moving] / error[moving]).max() <= 4.2


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("case", ["kuhn random", "ipd random"])
def test_3_penalties_apart_from_their_decisions_have_no_exploit_gradient(case: str, seed: int) -> None:
    plan = PLANS[case]
    one, step, _ = exact(case)
    wanted = one.gradient(one.exact(components=EXPLOIT).batch)
    found: dict[str, list[Array]] = {name: [] for name in ESTIMATORS}
    for deals in islice(plain(one, seed, 4), 20):
        played = play(one.requests(deals, plan.rollouts))
        for name, assign in ESTIMATORS.items():
            found[name].append(one.sampled(played, step.gates, components=EXPLOIT, assign=assign)[1])
    assert not np.any(found["shared"])
    shares = {
        name: (np.array(rows) * wanted).sum(axis=(1, 2)) / (wanted**2).sum() for name, rows in found.items()
    }
    low, high = _interval(shares["per_rollout"])
    assert (high - low) / 2 < 0.05
    assert low <= 0.0 <= high
    assert np.any(found["per_rollout"])
    # The same episodes show the exploit gradient to whoever trains on them.
    low, high = _interval(shares["per_pool"])
    assert 0.5 < low <= 1.0 <= high


def _interval(values: Array) -> tuple[float, float]:
    """Return Student's 95 % interval of the mean."""
    low, high = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    return float(low), float(high)


@cache
def batch(name: str) -> tuple[Lab, list[Any], dict[str, float]]:
    """Return a lab with played episodes and the exact gates."""
    rounds = 2 if name == "kuhn" else 3
    one = lab(name, rounds, seed=5, spread=0.8)
    deals = [one.deal(0, index) for index in range(4)]
    return one, play(one.requests(deals, 5)), one.exact().gates


@pytest.mark.parametrize("name", ["kuhn", "ipd"])
def test_1_a_constant_in_every_reward_changes_no_gradient(name: str) -> None:
    one, played, gates = batch(name)
    groups = group_episodes([p.episode for p in played])
    independent = one.game.info_record.independent_rounds
    by = np.array([1.25, -0.5, 2.0, 0.75])
    moved = [
        replace(g, rollouts=tuple(replace(r, features=r.features + by) for r in g.rollouts)) for g in groups
    ]
    before, after = (
        one.gradient(
            sampled_batch(SampledStep(played, gs, per_pool(gs, one.objective, gates, independent), 1.0))
        )
        for gs in (groups, moved)
    )
    assert after == pytest.approx(before, abs=1e-12)
    assert np.abs(before).max() > 1e-3


@pytest.mark.parametrize(
    ("name", "weight", "component"),
    [
        ("kuhn", "e", "exploitability"),
        ("ipd", "e", "exploitability"),
        ("ipd", "c", "collusion"),
        ("ipd", "x", "externality"),
    ],
)
def test_4_doubling_a_weight_doubles_its_part_of_the_gradient_exactly(
    name: str, weight: str, component: str
) -> None:
    one, played, gates = batch(name)
    double = one.weighted(**{weight: 2.0 * getattr(one.objective.weights, weight)})
    _, part = one.sampled(played, gates, components=[component])
    _, twice = one.sampled(played, gates, double, [component])
    assert np.array_equal(twice, 2.0 * part)
    assert np.abs(part).max() > 1e-3
    _, whole = one.sampled(played, gates)
    _, more = one.sampled(played, gates, double)
    assert more - whole == pytest.approx(part, abs=1e-12)


@pytest.mark.parametrize("name", ["kuhn", "ipd"])
def test_5_a_reward_moves_no_decision_of_a_later_round(name: str) -> None:
    one, played, gates = batch(name)
    independent = one.game.info_record.independent_rounds
    groups = group_episodes([p.episode for p in played])
    before = per_pool(groups, one.objective, gates, independent).advantages
    for k in range(len(groups[0].rollouts[0].features)):
        for g in (0, len(groups) // 2, len(groups) - 1):
            group = groups[g]
            features = group.rollouts[1].features.copy()
            features[k] += [3.0, -1.0, 0.5, 0.25]
            rollouts = list(group.rollouts)
            rollouts[1] = replace(rollouts[1], features=features)
            changed = [*groups[:g], replace(group, rollouts=tuple(rollouts)), *groups[g + 1 :]]
            after = per_pool(changed, one.objective, gates, independent).advantages
            for other, (a, b) in enumerate(zip(before, after, strict=True)):
                for rollout, x, y in zip(groups[other].rollouts, a, b, strict=True):
                    still = rollout.rounds != k if independent else rollout.rounds > k
                    untouched = still | (other != g)
                    assert np.array_equal(x[untouched], y[untouched])


@pytest.mark.parametrize("size", [2, 6])
def test_6_equal_rollouts_give_exactly_zero(size: int) -> None:
    # All logits far apart: every rollout of a group plays the same against a deterministic opponent.
    one = lab("ipd", 3, pools=Pools(("tit_for_tat",), ("always_defect",), ("always_cooperate",)))
    one.policy.logits[:, 1] = 1000.0
    played = play(one.requests([one.deal(0, 0)], size))
    groups, gradient = one.sampled(played, {"always_defect": 1.0})
    assert not gradient.any()  # neither NaN nor a rounding error
    credit = per_pool(groups, one.objective, {"always_defect": 1.0}, False)
    assert credit.dead == credit.keys == 3 * len(groups)


@pytest.mark.parametrize("name", ["kuhn", "ipd"])
def test_7_the_order_of_episodes_does_not_matter(name: str) -> None:
    one, played, gates = batch(name)
    _, wanted = one.sampled(played, gates)
    order = np.random.default_rng(0).permutation(len(played))
    groups, found = one.sampled([played[i] for i in order], gates)
    assert found == pytest.approx(wanted, abs=1e-12)
    # Each group's advantages are the same numbers to the last bit, permuted like its members.
    independent = one.game.info_record.independent_rounds
    before = group_episodes([p.episode for p in played])
    old = {(g.stream, g.seat, g.deal): rows for g, rows in _advantages(one, before, gates, independent)}
    for group, rows in _advantages(one, groups, gates, independent):
        kept = sorted(row.tolist() for row in old[group.stream, group.seat, group.deal])
        assert sorted(row.tolist() for row in rows) == kept


def _advantages(one: Lab, groups: Any, gates: Any, independent: bool) -> Any:
    return zip(groups, per_pool(groups, one.objective, gates, independent).advantages, strict=True)


@pytest.mark.parametrize("name", ["kuhn", "ipd"])
def test_7_nor_does_that_of_the_pools(name: str) -> None:
    one, played, gates = batch(name)
    _, wanted = one.sampled(played, gates)
    pools = one.objective.pools
    turned = replace(pools, train=pools.train[::-1], exploiter=pools.exploiter[::-1])
    _, found = one.sampled(played, gates, replace(one.objective, pools=turned))
    assert np.array_equal(found, wanted)


class TestInvariant8:
    @pytest.mark.parametrize("name", ["kuhn", "ipd"])
    def test_the_same_seed_gives_the_same_gradient_bit_for_bit(self, name: str) -> None:
        one, played, gates = batch(name)
        again = play(one.requests([one.deal(0, index) for index in range(4)], 5))
        assert [p.episode for p in again] == [p.episode for p in played]
        assert np.array_equal(one.sampled(again, gates)[1], one.sampled(played, gates)[1])

    @pytest.mark.parametrize("name", ["kuhn", "ipd"])
    def test_another_seed_gives_another(self, name: str) -> None:
        one, played, gates = batch(name)
        other = play(one.requests([one.deal(1, index) for index in range(4)], 5))
        assert not np.array_equal(one.sampled(other, gates)[1], one.sampled(played, gates)[1])
        different = [a.episode.turns != b.episode.turns for a, b in zip(other, played, strict=True)]
        assert np.mean(different) > 0.5

    def test_members_of_a_group_share_their_deal(self) -> None:
        _, played, _ = batch("kuhn")
        cards: dict[Any, set[Any]] = {}
        for one in played:
            key = (one.episode.pool, one.episode.opponent, one.episode.seat, one.episode.deal)
            cards.setdefault(key, set()).add(one.episode.chance)
        assert all(len(found) == 1 for found in cards.values())
        # It is asserted: a group put together from two deals is refused.
        mixed = [played[0].episode, *(replace(p.episode, deal=0) for p in played if p.episode.deal == 1)]
        with pytest.raises(RequestError, match="should share a deal"):
            group_episodes(mixed)


class TestInvariant9:
    def test_against_opponents_that_lose_the_exploit_gradient_is_exactly_zero(self) -> None:
        # domains.md: nash takes 1/9 from always_bet and 1/36 from max_exploiter.
        one = lab("kuhn", 1, pools=Pools(("tight_passive",), ("always_bet", "max_exploiter")))
        _nash(one)
        step = one.exact()
        assert step.gates == {"always_bet": 0.0, "max_exploiter": 0.0}
        played = play(one.requests([one.deal(0, index) for index in range(6)], 4))
        _, part = one.sampled(played, step.gates, components=["exploitability"])
        assert not part.any()
        _, whole = one.sampled(played, step.gates)
        _, heavy = one.sampled(played, step.gates, one.weighted(e=1e6))
        assert np.array_equal(whole, heavy)
        assert whole.any()

    def test_so_it_is_in_the_exact_gradient(self) -> None:
        one = lab("kuhn", 1, pools=Pools(("tight_passive",), ("always_bet", "max_exploiter")))
        _nash(one)
        light, heavy = one.exact(), one.exact(one.weighted(e=1e6))
        assert np.array_equal(one.gradient(light.batch), one.gradient(heavy.batch))

    def test_one_open_gate_does_not_open_another(self) -> None:
        one = lab("kuhn", 1, pools=Pools(("tight_passive",), ("always_bet", "nash")))
        _nash(one)
        one.policy.logits += np.array([0.0, 0.3])  # no equilibrium any more: behind nash, ahead of always_bet
        step = one.exact()
        assert step.gates == {"always_bet": 0.0, "nash": 1.0}
        played = play(one.requests([one.deal(0, index) for index in range(6)], 4))
        groups = group_episodes([p.episode for p in played])
        credit = per_pool(groups, one.objective, step.gates, True, ["exploitability"])
        alive = {
            group.stream
            for group, rows in zip(groups, credit.advantages, strict=True)
            if any(row.any() for row in rows)
        }
        assert alive == {("exploiter", "nash")}


def _nash(one: Lab) -> None:
    """Set the logits to Kuhn's equilibrium (α = 1/3), 0 and 1 rounded to 1e-9."""
    from equipoise.opponents.kuhn import nash

    strategy = nash()
    for row, (key, legal) in enumerate(one.policy.legal.items()):
        given: Any = strategy.probabilities(None, key[0], legal)  # type: ignore[arg-type]
        one.policy.logits[row] = np.log([max(1e-9, given[action]) for action in legal])
