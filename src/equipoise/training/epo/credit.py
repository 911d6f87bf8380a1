"""From judged trajectories to samples: the REINFORCE objective over a strategist's turns.

    L = −(1/T) Σ_t A_t · mean over the tokens of strategy t (its end-of-turn token included) of log π

averaged over trajectories (the objective of EPO, arXiv 2502.12486; T is the trajectory's number of
strategies). Both means weight up what is short: the words of short strategies, the turns of short
trajectories. With ``token_reduction = sum`` there is neither, which makes it the gradient of the expected
return. Trainers add up weight · log π over tokens, so all of it is in the samples' advantages.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import RequestError, unknown
from equipoise.objective.advantages import group, loo, maxabs, outcome_at_end
from equipoise.training.samples import DecisionSample
from equipoise.types import STRATEGIST, Episode, Generation, Seat

__all__ = ["ADVANTAGES", "Reduction", "Trajectory", "strategies_of", "trajectory_samples", "turn_advantages"]

Reduction = Literal["mean", "sum"]
ADVANTAGES = ("maxabs", "group", "loo")
"""What a turn's return is set against: its trajectory's largest, its group's mean and spread, the others."""


@dataclass(frozen=True)
class Trajectory:
    """One side's strategies in an episode, with their rewards.

    Attributes:
        start: What trajectories of one group share: scenario or deal, seat and partner.
        episode: Identifier of the episode and its side.
        partner: Who was met.
        strategies: The strategist's generations, in order.
        rewards: (T,) reward of each.
    """

    start: Hashable
    episode: str
    partner: str
    strategies: tuple[Generation, ...]
    rewards: NDArray[np.float64]

    @classmethod
    def of(
        cls, episode: Episode, seat: Seat, marks: Sequence[float], score: float, with_outcome: bool
    ) -> Trajectory:
        """Return a side's trajectory.

        Args:
            episode: The episode.
            seat: The side.
            marks: What the judge gave each turn of the side.
            score: How the episode ended for it, in [0, 1].
            with_outcome: Whether an unmarked last turn gets the score.
        """
        made = strategies_of(episode, seat)
        if len(made) != len(marks):
            raise RequestError(f"episode {episode.id!r}: {len(made)} strategies but {len(marks)} marks")
        rewards = outcome_at_end(marks, score) if with_outcome else np.array(marks, dtype=np.float64)
        partner = episode.opponent if seat == episode.seat else "self"
        start = (episode.pool, episode.opponent, episode.deal, episode.seat, seat)
        return cls(start, f"{episode.id}@{seat}", partner, made, rewards)


def strategies_of(episode: Episode, seat: Seat) -> tuple[Generation, ...]:
    """Return the strategist's generations at a seat, one for each of its turns."""
    return tuple(
        made
        for turn in episode.turns
        if turn.seat == seat
        for made in turn.choice.generations
        if made.role == STRATEGIST
    )


def turn_advantages(
    trajectories: Sequence[Trajectory], advantage: str, gamma: float
) -> list[NDArray[np.float64]]:
    """Return (T,) advantages for each trajectory.

    Args:
        trajectories: The trajectories of a batch.
        advantage: ``maxabs`` (the paper's), ``group`` or ``loo``, within trajectories of one start.
        gamma: Discount a turn.

    Raises:
        RequestError: There is no such kind of advantage.
    """
    if advantage not in ADVANTAGES:
        raise unknown("advantage", advantage, ADVANTAGES)
    if advantage == "maxabs":
        return [maxabs(one.rewards, gamma) for one in trajectories]
    compare = group if advantage == "group" else loo
    members: dict[Hashable, list[int]] = {}
    for i, one in enumerate(trajectories):
        members.setdefault(one.start, []).append(i)
    found: dict[int, NDArray[np.float64]] = {}
    for rows in members.values():
        found.update(zip(rows, compare([trajectories[i].rewards for i in rows], gamma), strict=True))
    return [found[i] for i in range(len(trajectories))]


def trajectory_samples(
    trajectories: Sequence[Trajectory],
    advantages: Sequence[NDArray[np.float64]],
    reduction: Reduction = "mean",
) -> list[DecisionSample]:
    """Return one sample for each strategy that can be trained; equal advantages of 0 are kept, as zeros.

    Args:
        trajectories: The trajectories of a batch.
        advantages: (T,) for each of them.
        reduction: Whether turns and tokens are averaged or added up.
    """
    samples = []
    for one, row in zip(trajectories, advantages, strict=True):
        for turn, (made, advantage) in enumerate(zip(one.strategies, row, strict=True)):
            # A strategy without a sampled token has no sample, whatever its share.
            share = float(advantage) / (len(row) * max(sum(made.mask), 1) if reduction == "mean" else 1)
            stream = ("train", one.partner)
            samples.append(DecisionSample.of(made, share, stream, len(trajectories), one.episode, turn))
    return [sample for sample in samples if sample is not None]


def mark_shares(trajectories: Sequence[Trajectory]) -> Mapping[str, float]:
    """Return what share of turns has a reward, and what share of trajectories has any."""
    turns = np.concatenate([np.zeros(0), *(one.rewards for one in trajectories)])
    some = [bool(one.rewards.any()) for one in trajectories]
    return {
        "rewarded_turns": float(np.mean(turns != 0.0)) if len(turns) else 0.0,
        "rewarded_trajectories": float(np.mean(some)) if some else 0.0,
    }
