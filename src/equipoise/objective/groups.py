"""What credit assignment needs to know of played episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import RequestError
from equipoise.objective.features import REWARD_FEATURES, features
from equipoise.objective.safety import Stream
from equipoise.types import Episode

__all__ = ["Group", "Rollout", "group_episodes"]


@dataclass(frozen=True)
class Rollout:
    """One episode, seen from the policy's seat.

    Attributes:
        features: (T, 4) reward features of each round.
        rounds: (D,) round of each of the policy's own decisions, in order.
        steps: (D,) which own decision of its round each one is.
    """

    features: NDArray[np.float64]
    rounds: NDArray[np.int64]
    steps: NDArray[np.int64]


@dataclass(frozen=True)
class Group:
    """Rollouts of one (opponent, seat, deal).

    Attributes:
        stream: Pool and opponent.
        seat: Seat of the policy.
        deal: Index of the deal that all members share.
        rollouts: The members.
    """

    stream: Stream
    seat: int
    deal: int
    rollouts: tuple[Rollout, ...]

    @property
    def gap(self) -> float:
        """Mean over members and rounds of the opponent's minus the own payoff."""
        leads = [float((r.features[:, 1] - r.features[:, 0]).mean()) for r in self.rollouts]
        return float(np.mean(leads))


def group_episodes(episodes: Sequence[Episode]) -> list[Group]:
    """Group episodes by stream, seat and deal, in order of first appearance.

    Raises:
        RequestError: Members of a group did not see the same chance outcomes where they should have.
    """
    found: dict[tuple[Stream, int, int], list[Episode]] = {}
    for episode in episodes:
        key = ((episode.pool, episode.opponent), episode.seat, episode.deal)
        found.setdefault(key, []).append(episode)
    for members in found.values():
        _check_deal(members)
    return [
        Group(stream, seat, deal, tuple(_rollout(episode) for episode in members))
        for (stream, seat, deal), members in found.items()
    ]


def _rollout(episode: Episode) -> Rollout:
    own = [turn for turn in episode.turns if turn.seat == episode.seat]
    rows = [features(outcome, episode.seat)[:REWARD_FEATURES] for outcome in episode.rounds]
    return Rollout(
        np.array(rows).reshape(len(rows), REWARD_FEATURES),
        np.array([turn.round for turn in own], dtype=np.int64),
        np.array([turn.step for turn in own], dtype=np.int64),
    )


def _check_deal(members: Sequence[Episode]) -> None:
    """Check that equal chance nodes had equal outcomes: the deal is shared, not just its number."""
    first = dict(members[0].chance)
    for member in members[1:]:
        for node, outcome in member.chance:
            if node in first and first[node] != outcome:
                raise RequestError(
                    f"episode {member.id!r} and {members[0].id!r} should share a deal but differ at "
                    f"chance node {node!r}: the game's draws must depend on the deal alone"
                )
