"""What a learner is given at a step: weights on the actions of the decisions it saw.

Both forms of the policy gradient reduce to it. Sampled: −Σ (A / episodes of the stream) · log π(a|s), so the
advantage goes to ``log_weights`` at the sampled action. All actions: −Σ_a w_a · π(a|s) with w the action
values times the probability of getting there (held fixed), in ``prob_weights``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.objective.credit import Credit
from equipoise.objective.groups import Group
from equipoise.objective.safety import Stream
from equipoise.rollout.requests import Played
from equipoise.types import Decision, Turn

__all__ = ["Batch", "CreditPart", "SampledStep", "pad", "sampled_batch"]

CreditPart = Callable[[str, Sequence[int]], Mapping[int, Sequence[NDArray[np.float64]]]]


@dataclass(frozen=True)
class Batch:
    """Decisions with weights on their actions; decisions that cannot be told apart are one row.

    Attributes:
        decisions: One for each row.
        log_weights: (N, A) weights of log π(a|s), the ascent direction.
        prob_weights: (N, A) weights of π(a|s), the ascent direction.
        visits: (N,) share of the visited decisions that fall on the row; sums to 1.
    """

    decisions: tuple[Decision, ...]
    log_weights: NDArray[np.float64]
    prob_weights: NDArray[np.float64]
    visits: NDArray[np.float64]


@dataclass(frozen=True)
class SampledStep:
    """The episodes of a step and what their decisions are credited with.

    Attributes:
        played: The episodes, in the order in which they were grouped.
        groups: Their groups.
        credit: Their advantages.
        divisor: What advantages are divided by.
        credit_part: Tells what is due to one component of the reward: from its name and the numbers of groups
            to the advantages of each of these groups; None where nobody asks.
    """

    played: Sequence[Played]
    groups: Sequence[Group]
    credit: Credit
    divisor: float
    credit_part: CreditPart | None = None

    def members(self) -> dict[tuple[Stream, int, int], list[Played]]:
        """Return the episodes of each group, by its stream, seat and deal."""
        by_group: dict[tuple[Stream, int, int], list[Played]] = {}
        for one in self.played:
            episode = one.episode
            key = ((episode.pool, episode.opponent), episode.seat, episode.deal)
            by_group.setdefault(key, []).append(one)
        return by_group

    def share(self, stream: Stream) -> float:
        """Return what an advantage of a stream counts for: 1 / (divisor · episodes of the stream)."""
        return 1.0 / (self.divisor * self.credit.episodes[stream])

    def credited(self) -> Iterator[tuple[Decision, Turn, float, Stream]]:
        """Give every decision that is trained on: what was asked and answered, its advantage, its stream.

        Advantages are divided by nothing yet (see :meth:`share`).
        """
        by_group = self.members()
        for group, rows in zip(self.groups, self.credit.advantages, strict=True):
            if group.stream not in self.credit.episodes:
                continue
            for one, advantages in zip(by_group[group.stream, group.seat, group.deal], rows, strict=True):
                own = [turn for turn in one.episode.turns if turn.seat == one.episode.seat]
                for decision, turn, advantage in zip(one.decisions, own, advantages, strict=True):
                    yield decision, turn, float(advantage), group.stream


def sampled_batch(step: SampledStep) -> Batch:
    """Return the batch of a sampled step: the decisions of all streams that are trained on."""
    index: dict[object, int] = {}
    decisions: list[Decision] = []
    weights: list[NDArray[np.float64]] = []
    visits: list[float] = []
    for decision, turn, advantage, stream in step.credited():
        legal = decision.legal or ()
        row = index.setdefault(decision.information_state, len(decisions))
        if row == len(decisions):
            decisions.append(decision)
            weights.append(np.zeros(len(legal)))
            visits.append(0.0)
        # A fallback was not sampled from the policy: there is nothing to credit.
        if turn.choice.action == turn.action:
            weights[row][legal.index(turn.action)] += step.share(stream) * advantage
        visits[row] += 1.0
    log_weights = pad(weights)
    counts = np.array(visits)
    return Batch(tuple(decisions), log_weights, np.zeros_like(log_weights), counts / counts.sum())


def pad(rows: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return rows of unequal length as one matrix, filled up with 0."""
    width = max((len(row) for row in rows), default=0)
    padded = np.zeros((len(rows), width))
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row
    return padded
