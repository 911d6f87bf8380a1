"""From advantages to weights on actions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from equipoise.games.registry import make_game
from equipoise.objective.credit import Credit, Estimator, per_pool
from equipoise.objective.groups import group_episodes
from equipoise.objective.penalties import per_rollout, shared
from equipoise.opponents.pools import Pools
from equipoise.rollout.engine import play
from equipoise.rollout.requests import InvalidRule, Played
from equipoise.training.batch import SampledStep, sampled_batch
from equipoise.types import Choice
from tests.objective.build import objective
from tests.objective.learning import lab
from tests.rollout.players import Answers, invalid, requests

POOLS = Pools(("mixed_half",))


def parts(played: list[Played], value: float = 1.0) -> tuple[Any, Credit]:
    """Return groups, and a credit in which every decision has the same advantage."""
    groups = group_episodes([one.episode for one in played])
    advantages = [[np.full(len(r.rounds), value) for r in g.rollouts] for g in groups]
    episodes: Counter[Any] = Counter()
    for group in groups:
        episodes[group.stream] += len(group.rollouts)
    return groups, Credit(advantages, dict(episodes), 0, 1)


def test_each_decision_weighs_its_advantage_over_the_streams_episodes() -> None:
    one = lab("ipd", 3, seed=1, spread=0.5)
    played = play(one.requests([one.deal(0, 0), one.deal(0, 1)], 3))
    groups = group_episodes([p.episode for p in played])
    gates = one.exact().gates
    credit = per_pool(groups, one.objective, gates, False)
    found = sampled_batch(SampledStep(played, groups, credit, 4.0))
    # The sum by hand, state by state and action by action.
    wanted: dict[tuple[Any, Any], float] = {}
    where = {(g.stream, g.seat, g.deal): i for i, g in enumerate(groups)}
    taken: Counter[int] = Counter()
    for p in played:
        e = p.episode
        stream = (e.pool, e.opponent)
        index = where[stream, e.seat, e.deal]
        row = credit.advantages[index][taken[index]]
        taken[index] += 1
        own = [t for t in e.turns if t.seat == e.seat]
        for turn, advantage in zip(own, row, strict=True):
            key = (turn.label, turn.action)
            wanted[key] = wanted.get(key, 0.0) + advantage / (4.0 * credit.episodes[stream])
    for decision, weights in zip(found.decisions, found.log_weights, strict=True):
        label = decision.rules.label(decision.observation, decision.history)
        for action, weight in zip(decision.legal or (), weights, strict=True):
            assert weight == pytest.approx(wanted.get((label, action), 0.0), abs=1e-12)
    assert not found.prob_weights.any()
    assert len(found.decisions) == len({d.information_state for p in played for d in p.decisions})


def test_streams_weigh_alike_however_many_episodes_each_has() -> None:
    game = make_game("ipd", rounds=1)
    policy = Answers(lambda d: Choice("DEFECT"))
    few = play(requests(game, policy, ("mixed_half",), deals=1))
    many = play(requests(game, policy, ("pavlov",), deals=9))
    groups, credit = parts([*few, *many])
    found = sampled_batch(SampledStep([*few, *many], groups, credit, 1.0))
    # One state, one action: 1 from each stream.
    assert found.log_weights.tolist() == [[0.0, pytest.approx(2.0)]]


def test_visits_are_the_share_of_decisions() -> None:
    game = make_game("ipd", rounds=3)
    played = play(requests(game, Answers(lambda d: Choice("DEFECT")), ("tit_for_tat",), deals=2))
    groups, credit = parts(played)
    found = sampled_batch(SampledStep(played, groups, credit, 1.0))
    assert found.visits.tolist() == pytest.approx([1 / 3] * 3)


def test_a_fallback_is_not_credited_but_was_visited() -> None:
    game = make_game("ipd", rounds=2)
    policy = Answers(lambda d: invalid(d) if d.round == 0 else Choice("COOPERATE"))
    played = play(requests(game, policy, ("always_defect",), deals=1), InvalidRule(0, "fallback", "DEFECT"))
    groups, credit = parts(played)
    found = sampled_batch(SampledStep(played, groups, credit, 1.0))
    rounds = [d.round for d in found.decisions]
    assert rounds == [0, 1]
    assert found.log_weights.tolist() == [[0.0, 0.0], [pytest.approx(1.0), 0.0]]
    assert found.visits.tolist() == [0.5, 0.5]


def test_rows_of_different_width_are_padded() -> None:
    from dataclasses import replace

    game = make_game("ipd", rounds=2)
    played = play(requests(game, Answers(lambda d: Choice("COOPERATE")), ("always_cooperate",), deals=1))
    wide = [
        replace(
            p,
            decisions=tuple(
                replace(d, legal=("COOPERATE", "DEFECT", "PASS")) if d.round else d for d in p.decisions
            ),
        )
        for p in played
    ]
    groups, credit = parts(wide)
    found = sampled_batch(SampledStep(wide, groups, credit, 1.0))
    assert found.log_weights.shape == (2, 3)
    assert found.log_weights[0, 2] == 0.0


def test_the_scale_of_rewards_is_the_objectives() -> None:
    # One round, u only: advantage ±(own difference)·s; a group of two that differ by T − R or P − S.
    one = lab("ipd", 1, seed=1, pools=Pools(("always_cooperate",)))
    played = play(one.requests([one.deal(0, i) for i in range(8)], 2))
    groups, gradient = one.sampled(played, {})
    actions = [next(t.action for t in p.episode.turns if t.seat == p.episode.seat) for p in played]
    pairs = [set(actions[i : i + 2]) for i in range(0, len(actions), 2)]
    mixed = sum(len(pair) == 2 for pair in pairs)
    # Each mixed pair: +(5 − 3 + x terms) for D and the same against C.
    x = one.objective.weights.x * (1 / 6 - 0.0)
    share = mixed * (5.0 - 3.0 - x) / len(played)
    assert mixed > 2
    # ∂ log π: ascent − p·Σ ascent with Σ = 0.
    assert gradient[0].tolist() == pytest.approx([-share, share])
    assert objective().scale == 1.0
    assert len(groups) == 16


@pytest.mark.parametrize("assign", [shared, per_rollout])
def test_streams_that_are_not_trained_on_are_left_out(assign: Estimator) -> None:
    one = lab("ipd", 3, seed=1, spread=0.5)
    played = play(one.requests([one.deal(0, 0), one.deal(0, 1)], 3))
    groups = group_episodes([p.episode for p in played])
    credit = assign(groups, one.objective, one.exact().gates, False)
    found = sampled_batch(SampledStep(played, groups, credit, 1.0))
    assert {pool for pool, _ in credit.episodes} == {"train"}
    train = [p for p in played if p.episode.pool == "train"]
    visited = Counter(d.information_state for p in train for d in p.decisions)
    assert {d.information_state for d in found.decisions} == set(visited)
    # Neither do they count in the averages of KL and entropy.
    for decision, share in zip(found.decisions, found.visits, strict=True):
        assert share == pytest.approx(visited[decision.information_state] / visited.total())
    kept = [(g, rows) for g, rows in zip(groups, credit.advantages, strict=True) if rows]
    alone = replace(credit, advantages=[rows for _, rows in kept])
    again = sampled_batch(SampledStep(train, [g for g, _ in kept], alone, 1.0))
    assert np.array_equal(found.log_weights, again.log_weights)
