"""From judged trajectories to samples, and the gradient of the loss they stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.policies.local.loading import load_spec
from equipoise.policies.registry import load_policy
from equipoise.policies.strategist import AdvisedPolicy
from equipoise.rollout.engine import play
from equipoise.training.epo.credit import (
    Reduction,
    Trajectory,
    mark_shares,
    strategies_of,
    trajectory_samples,
    turn_advantages,
)
from equipoise.types import STRATEGIST, Episode, Generation, StopReason
from tests.rollout.players import requests

IPD = make_game("ipd", rounds=3)


def strategy(*ids: int, trainable: bool = True) -> Generation:
    return Generation(
        STRATEGIST, (1, 2), ids, (-1.0,) * len(ids), (1,) * len(ids), StopReason.FINISHED, trainable
    )


def trajectory(rewards: list[float], start: object = 0, **changes: object) -> Trajectory:
    made = tuple(strategy(*range(3, 4 + n)) for n in range(len(rewards)))
    return replace(Trajectory(start, f"e{start}", "tough", made, np.array(rewards)), **changes)  # type: ignore[arg-type]


def episodes() -> list[Episode]:
    policy = load_policy("strategist:tiny-random>scripted:tit_for_tat", IPD, quiet=True)
    assert isinstance(policy, AdvisedPolicy)
    return [one.episode for one in play(requests(IPD, policy, ("grim_trigger",), 2))]


def test_a_trajectory_has_a_strategy_and_a_reward_a_turn() -> None:
    episode = episodes()[0]
    one = Trajectory.of(episode, episode.seat, [0.0, 1.0, 0.0], 0.6, with_outcome=True)
    assert one.strategies == strategies_of(episode, episode.seat)
    assert len(one.strategies) == 3
    assert one.rewards.tolist() == [0.0, 1.0, 0.6]
    assert one.partner == "grim_trigger"
    plain = Trajectory.of(episode, episode.seat, [0.0, 1.0, 0.0], 0.6, with_outcome=False)
    assert plain.rewards.tolist() == [0.0, 1.0, 0.0]
    with pytest.raises(RequestError, match="3 strategies but 1 marks"):
        Trajectory.of(episode, episode.seat, [1.0], 0.6, with_outcome=False)
    # The other side has no strategist.
    assert strategies_of(episode, 1 - episode.seat) == ()


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_a_turn_weighs_its_share_of_its_trajectory_and_its_tokens(reduction: Reduction) -> None:
    rows = [trajectory([0.0, 1.0]), trajectory([1.0], 1)]
    samples = trajectory_samples(rows, [np.array([0.5, 1.0]), np.array([-1.0])], reduction)
    # First strategy: one token; second: two tokens. Two trajectories, of two turns and one.
    wanted = [0.5 / 2, 1.0 / 2, -1.0 / 2] if reduction == "sum" else [0.5 / 2 / 2, 1.0 / 2 / 2 / 2, -1.0 / 2]
    assert [s.weight for s in samples] == pytest.approx(wanted)
    assert [s.episodes_of_stream for s in samples] == [2, 2, 2]


def test_only_what_can_be_trained_has_a_sample() -> None:
    one = trajectory([1.0, 1.0], strategies=(strategy(3), strategy(4, trainable=False)))
    assert len(trajectory_samples([one], [np.ones(2)])) == 1


def test_nothing_rewarded_weighs_nothing() -> None:
    rows = [trajectory([0.0, 0.0]), trajectory([0.0, 0.0])]
    for kind in ("maxabs", "group", "loo"):
        samples = trajectory_samples(rows, turn_advantages(rows, kind, 0.99))
        assert {s.weight for s in samples} == {0.0}


def test_groups_are_trajectories_of_one_start() -> None:
    rows = [trajectory([1.0], 0), trajectory([0.0], 0), trajectory([1.0], 1), trajectory([1.0], 1)]
    assert [a.tolist() for a in turn_advantages(rows, "loo", 1.0)] == [[1.0], [-1.0], [0.0], [0.0]]
    assert [a.tolist() for a in turn_advantages(rows, "group", 1.0)] == [[1.0], [-1.0], [0.0], [0.0]]
    assert [a.tolist() for a in turn_advantages(rows, "maxabs", 1.0)] == [[1.0], [0.0], [1.0], [1.0]]
    with pytest.raises(RequestError, match="unknown advantage 'lo': did you mean 'loo'"):
        turn_advantages(rows, "lo", 1.0)


def test_shares_of_what_is_rewarded() -> None:
    rows = [trajectory([0.0, 1.0]), trajectory([0.0, 0.0])]
    assert mark_shares(rows) == {"rewarded_turns": 0.25, "rewarded_trajectories": 0.5}
    assert mark_shares([]) == {"rewarded_turns": 0.0, "rewarded_trajectories": 0.0}


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_the_samples_add_up_to_the_papers_loss_and_its_gradient(reduction: Reduction) -> None:
    """Written out turn by turn, with a finite difference along the gradient."""
    model = load_spec("tiny-random", trainable=True).model.double()
    rows = [Trajectory.of(e, e.seat, [0.0, 1.0, 0.0], 0.5, with_outcome=True) for e in episodes()[:2]]
    advantages = turn_advantages(rows, "maxabs", 0.99)

    def logprobs(made: Generation) -> torch.Tensor:
        ids = torch.tensor([[*made.prompt_ids, *made.ids]])
        logits = model(input_ids=ids).logits[0, len(made.prompt_ids) - 1 : -1]
        return torch.log_softmax(logits, dim=-1).gather(1, torch.tensor(made.ids)[:, None])[:, 0]

    def paper() -> torch.Tensor:
        total = torch.zeros((), dtype=torch.float64)
        for one, row in zip(rows, advantages, strict=True):
            for made, advantage in zip(one.strategies, row, strict=True):
                part = logprobs(made)
                reduced = part.mean() if reduction == "mean" else part.sum()
                turns = len(row) if reduction == "mean" else 1
                total = total - float(advantage) * reduced / turns / len(rows)
        return total

    samples = trajectory_samples(rows, advantages, reduction)
    by_prompt = {(g.prompt_ids, g.ids): g for one in rows for g in one.strategies}
    ours = -sum(s.weight * logprobs(by_prompt[s.prompt_ids, s.completion_ids]).sum() for s in samples)
    assert float(ours) == pytest.approx(float(paper()), abs=1e-9)
    weights = [p for p in model.parameters() if p.requires_grad] or list(model.parameters())
    for p in weights:
        p.requires_grad_(True)
    gradient = torch.autograd.grad(paper(), weights)
    norm = sum(float((g**2).sum()) for g in gradient)
    step = 1e-4  # norms are computed in single precision
    with torch.no_grad():
        values = []
        for sign in (1, -2):
            for p, g in zip(weights, gradient, strict=True):
                p.add_(sign * step * g)
            values.append(float(paper()))
    assert (values[0] - values[1]) / (2 * step) == pytest.approx(norm, rel=5e-3)
