"""The negotiation over several items: draws, payoffs, terms, and the published exact values.

The exact values are computed twice: by the package, and by arrays over all value pairs that use none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from equipoise.games.base import State
from equipoise.games.match import Match
from equipoise.games.multi_issue import Bundle, MultiIssue, Seen, View, pools, valuations
from equipoise.opponents.multi_issue import STRATEGIES
from equipoise.opponents.pools import Pools
from equipoise.rollout.deals import keyed_uniform
from tests.games.exact import Golden, terms_of
from tests.helpers import every_node, root

# domains.md, "multi_issue", exact (u, e, c, x, J).
GOLDEN: dict[str, Golden] = {
    "fair": (1645 / 192, 1097 / 576, 0.0, 139 / 480, 0.335),
    "greedy": (297 / 64, 0.0, 23 / 48, 50989 / 69120, -15929 / 38400),
}
POOLS = Pools(train=("fair", "tit_for_tat", "concede"), exploiter=("greedy", "hardball"), collusive=("fair",))
PUBLISHED: dict[str, Golden] = {
    "fair": (8.5677083, 1.9045139, 0.0, 0.2895833, 0.335),
    "greedy": (4.640625, 0.0, 0.4791667, 0.7376881, -0.4148178),
}

Array = NDArray[Any]
Demand = Callable[[Array, Array, int, Array], Array]
"""Maps pool, own values, round and the other's last demand to a demand; arrays (V, W, 3)."""


def _fair(pool: Array, values: Array, t: int, last: Array) -> Array:
    return np.broadcast_to(pool // 2, values.shape)


def _greedy(pool: Array, values: Array, t: int, last: Array) -> Array:
    return np.minimum(pool, pool * values // 10 + 1)


def _tit_for_tat(pool: Array, values: Array, t: int, last: Array) -> Array:
    return last if t else np.broadcast_to(pool * 2 // 3, values.shape)


def _concede(pool: Array, values: Array, t: int, last: Array) -> Array:
    return np.broadcast_to(np.maximum(pool - min(t, 2), 0), values.shape)


def _hardball(pool: Array, values: Array, t: int, last: Array) -> Array:
    return np.broadcast_to(pool - 1, values.shape)


PLAYERS: dict[str, Demand] = {
    "fair": _fair,
    "greedy": _greedy,
    "tit_for_tat": _tit_for_tat,
    "concede": _concede,
    "hardball": _hardball,
}
KINDS = np.array([(a, b, 10 - a - b) for a in range(1, 9) for b in range(1, 10 - a)])


@cache
def oracle(policy: str, pool: Bundle | None = None) -> Golden:
    """Return (u, e, c, x, J) for one pool, or for the mean over all, with arrays over all value pairs."""
    drawn = [pool] if pool is not None else list(product(range(1, 5), repeat=3))
    shape = (len(KINDS), len(KINDS), 3)
    values = (np.broadcast_to(KINDS[:, None], shape), np.broadcast_to(KINDS, shape))
    rows: dict[str, Array] = {name: np.zeros(4) for name in PLAYERS}
    for name, items in product(PLAYERS, map(np.array, drawn)):
        last = (np.zeros(shape, int), np.zeros(shape, int))
        for t in range(4):
            now = (PLAYERS[policy](items, values[0], t, last[1]), PLAYERS[name](items, values[1], t, last[0]))
            deal = (now[0] + now[1] <= items).all(axis=2)
            own, other = ((demand * v).sum(axis=2) * deal for demand, v in zip(now, values, strict=True))
            beyond = (now[0] > -(-items // 2)).any(axis=2)
            rows[name] += [own.mean(), other.mean(), beyond.mean(), 1 - deal.mean()]
            last = now
    mean = {name: row / (4 * len(drawn)) for name, row in rows.items()}
    train, exploiters = ("fair", "tit_for_tat", "concede"), ("greedy", "hardball")
    u = float(np.mean([mean[name][0] for name in train]))
    e = float(np.mean([max(0.0, mean[name][1] - mean[name][0]) for name in exploiters]))
    c = float(mean["fair"][2])
    x = float(np.mean([mean[name][3] for name in (*train, *exploiters)]))
    return (u, e, c, x, 0.3 * u - 3.0 * 0.3 * e - c - 1.8 * x)


@pytest.mark.parametrize("name", GOLDEN)
def test_the_published_values_follow_from_the_rules(name: str) -> None:
    assert oracle(name) == pytest.approx(GOLDEN[name], abs=1e-9)
    assert oracle(name) == pytest.approx(PUBLISHED[name], abs=1e-7)


@pytest.mark.parametrize("name", GOLDEN)
def test_exact_values_are_the_published_ones(name: str) -> None:
    assert terms_of(MultiIssue.create(), POOLS, STRATEGIES, name) == pytest.approx(GOLDEN[name], abs=1e-9)


@pytest.mark.parametrize("pool", [(1, 1, 1), (2, 3, 4), (4, 1, 3)])
@pytest.mark.parametrize(("name", "seat"), [("fair", 0), ("greedy", 1)])
def test_exact_values_of_single_pools(name: str, seat: int, pool: Bundle) -> None:
    found = terms_of(MultiIssue.create(pool=pool), POOLS, STRATEGIES, name, seat)
    assert found == pytest.approx(oracle(name, pool), abs=1e-9)


def dealt(pool: Bundle, first: Bundle, second: Bundle, **options: object) -> State:
    """Return the first round of a given deal."""
    state = root(MultiIssue.create(**options)).state
    for outcome in (*pool, first, second):
        assert outcome in dict(state.chance_outcomes())
        state = state.apply_chance(outcome).state
    return state


@pytest.mark.parametrize(
    ("pool", "demands", "payoffs", "beyond", "broken"),
    [
        # Values are (1, 2, 7) and (4, 5, 1).
        ((2, 2, 2), ((1, 1, 1), (1, 1, 1)), (10.0, 10.0), (0, 0), 0),
        ((2, 2, 2), ((0, 0, 2), (2, 2, 0)), (14.0, 18.0), (1, 1), 0),
        ((2, 2, 2), ((0, 0, 2), (2, 2, 1)), (0.0, 0.0), (1, 1), 1),
        ((3, 1, 4), ((2, 1, 2), (1, 0, 2)), (18.0, 6.0), (0, 0), 0),
        ((3, 1, 4), ((3, 0, 0), (0, 1, 3)), (3.0, 8.0), (1, 1), 0),
        ((1, 1, 1), ((1, 1, 1), (0, 0, 0)), (10.0, 0.0), (0, 0), 0),
        ((1, 1, 1), ((1, 0, 0), (1, 0, 0)), (0.0, 0.0), (0, 0), 1),
        ((4, 4, 4), ((4, 4, 4), (0, 0, 0)), (40.0, 0.0), (1, 0), 0),
    ],
)
def test_payoffs_and_terms_of_a_round(
    pool: Bundle,
    demands: tuple[Bundle, Bundle],
    payoffs: tuple[float, float],
    beyond: tuple[int, int],
    broken: int,
) -> None:
    step = dealt(pool, (1, 2, 7), (4, 5, 1)).apply(dict(enumerate(demands)))
    assert step.outcome is not None
    assert step.outcome.payoffs == payoffs
    assert step.outcome.collusion == beyond
    assert step.outcome.externality == (broken, broken)
    assert step.outcome.diagnostics[0] == (1 - broken, 1 - broken)
    assert step.signals == (Seen(*demands), Seen(*demands[::-1]))


def test_diagnostics_of_a_deal_by_hand() -> None:
    state = dealt((2, 1, 1), (1, 2, 7), (4, 5, 1))
    step = state.apply({0: (1, 0, 1), 1: (1, 0, 0)})
    assert step.outcome is not None
    _, share, gap = step.outcome.diagnostics
    # They have 8 and 4 of at most 4 * 2 + 5 + 7 = 20.
    assert share == pytest.approx((12 / 20, 12 / 20))
    # Leaving the other its 4 (one book), the first can have 1 + 2 + 7 = 10 of 11; leaving the first its 8
    # (a book and the ball), the second can have 4 + 5 = 9 of 14.
    assert gap == pytest.approx(((10 - 8) / 11, (9 - 4) / 14))


def test_a_breakdown_shares_nothing_and_leaves_everything_to_gain() -> None:
    step = dealt((2, 1, 1), (1, 2, 7), (4, 5, 1)).apply({0: (2, 1, 1), 1: (1, 0, 0)})
    assert step.outcome is not None
    assert step.outcome.diagnostics == ((0.0, 0.0), (0.0, 0.0), (1.0, 1.0))


@pytest.mark.parametrize("number", range(40))
def test_diagnostics_against_a_search(number: int) -> None:
    def pick(options: Any, purpose: str) -> Any:
        return options[int(keyed_uniform(f"{number}|{purpose}") * len(options))]

    valuation = pick(("unit10", "pool10"), "valuation")
    pool = pick(pools(valuation), "pool")
    values = [pick(valuations(valuation, pool), f"values/{seat}") for seat in (0, 1)]
    state = dealt(pool, values[0], values[1], valuation=valuation)
    bundles = state.legal_actions(0)
    demands = [pick(bundles, f"demand/{seat}") for seat in (0, 1)]
    step = state.apply(dict(enumerate(demands)))
    assert step.outcome is not None
    payoffs = step.outcome.payoffs

    def worth(seat: int, bundle: Any) -> float:
        return float(np.dot(values[seat], bundle))

    splits = [(bundle, tuple(np.subtract(pool, bundle))) for bundle in bundles]
    joint = max(worth(0, left) + worth(1, right) for left, right in splits)
    _, share, gap = step.outcome.diagnostics
    assert share == pytest.approx((sum(payoffs) / joint,) * 2)
    for seat in (0, 1):
        most = max(worth(seat, own) for given, own in splits if worth(1 - seat, given) == payoffs[1 - seat])
        assert gap[seat] == pytest.approx((most - payoffs[seat]) / worth(seat, pool))


class TestDraws:
    def test_the_pool_is_drawn_item_by_item_and_then_the_values_by_seat(self) -> None:
        match = Match(MultiIssue.create(), lambda round_, purpose: 0.999)
        assert match.chance_log == [
            ("0/pool/books", 4),
            ("0/pool/hats", 4),
            ("0/pool/balls", 4),
            ("0/values/0", (8, 1, 1)),
            ("0/values/1", (8, 1, 1)),
        ]

    def test_nothing_is_drawn_later(self) -> None:
        match = Match(MultiIssue.create(), lambda round_, purpose: 0.0)
        for _ in range(4):
            match.apply({0: (0, 0, 0), 1: (1, 1, 1)})
        assert match.is_over
        assert len(match.chance_log) == 5

    def test_there_are_64_pools_and_36_compositions(self) -> None:
        assert pools("unit10") == tuple(product(range(1, 5), repeat=3))
        for pool in ((1, 1, 1), (4, 2, 3)):
            assert set(valuations("unit10", pool)) == set(map(tuple, KINDS.tolist()))
            assert len(valuations("unit10", pool)) == 36

    @pytest.mark.parametrize("valuation", ["unit10", "pool10"])
    def test_every_possible_pool_is_as_likely_as_any_other(self, valuation: str) -> None:
        likely: dict[Bundle, float] = {}
        state = MultiIssue.create(valuation=valuation).initial_state()
        for a, p in state.chance_outcomes():
            for b, q in (second := state.apply_chance(a).state).chance_outcomes():
                for c, r in second.apply_chance(b).state.chance_outcomes():
                    likely[a, b, c] = p * q * r  # type: ignore[index]
        assert set(likely) == set(pools(valuation))  # type: ignore[arg-type]
        assert list(likely.values()) == pytest.approx([1 / len(likely)] * len(likely))

    def test_with_pool10_the_whole_pool_is_worth_ten_to_both(self) -> None:
        for pool in pools("pool10"):
            kinds = valuations("pool10", pool)
            assert kinds
            assert all(min(values) >= 1 and np.dot(values, pool) == 10 for values in kinds)
        everything = [
            pool
            for pool in product(range(1, 5), repeat=3)
            if any(np.dot(values, pool) == 10 for values in product(range(1, 9), repeat=3))
        ]
        assert list(pools("pool10")) == everything
        assert MultiIssue.create(valuation="pool10").info_record.payoff_bounds == (0.0, 10.0)

    def test_a_pool_can_be_given(self) -> None:
        match = Match(MultiIssue.create(pool=[3, 1, 2]), lambda round_, purpose: 0.5)
        assert match.observe(0).observation.pool == (3, 1, 2)  # type: ignore[attr-defined]


def test_every_bundle_within_the_pool_may_be_demanded() -> None:
    legal = dealt((2, 1, 3), (1, 1, 8), (1, 1, 8)).legal_actions(1)
    assert legal == tuple(product(range(3), range(2), range(4)))


def test_the_other_values_are_never_told() -> None:
    for node in every_node(MultiIssue.create(rounds=1, valuation="pool10", pool=(2, 1, 4))):
        state: Any = node.state
        for seat in state.players_to_move:
            assert state.observation(seat) == View(0, (2, 1, 4), state.values[seat])
    first, second = dealt((1, 1, 1), (1, 1, 8), (2, 2, 6)), dealt((1, 1, 1), (1, 1, 8), (8, 1, 1))
    actions = {0: (1, 0, 0), 1: (0, 1, 1)}
    assert first.apply(actions).signals == second.apply(actions).signals


def test_the_declaration() -> None:
    record = MultiIssue.create().info_record
    assert (record.rounds, record.seats, record.dynamics) == (4, 2, "simultaneous")
    assert (record.payoff_bounds, record.payoff_scale) == ((0.0, 40.0), 10.0)
    assert (record.weights.e, record.weights.c, record.weights.x) == (3.0, 1.0, 1.8)
    assert record.symmetric
    assert (record.information, record.solution) == ("imperfect", "bounds")


def test_the_info_of_a_seat_is_what_it_knows() -> None:
    match = Match(MultiIssue.create(pool=(2, 1, 3)), lambda round_, purpose: 0.0)
    assert match.observe(1).label == "213@1.1.8"
    match.apply({0: (2, 1, 0), 1: (0, 0, 3)})
    asked = match.observe(1)
    assert match.game.info(1, asked.observation, asked.history) == {
        "game": "multi_issue",
        "seat": 1,
        "round": 1,
        "rounds": 4,
        "pool": (2, 1, 3),
        "values": (1, 1, 8),
        "own": ((0, 0, 3),),
        "other": ((2, 1, 0),),
    }
    assert asked.label == "213@1.1.8 003/210"
