"""Groups built from numbers, for tests of credit assignment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from equipoise.games.base import GameInfo
from equipoise.games.registry import make_game
from equipoise.objective.groups import Group, Rollout
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools

IPD: GameInfo = make_game("ipd").info_record
KUHN: GameInfo = make_game("kuhn").info_record

POOLS = Pools(("a", "b", "a"), ("d", "e"), ("c",))
"""Two train opponents, one of them twice; two exploiters; one collusive partner."""


def objective(info: GameInfo = IPD, pools: Pools = POOLS) -> Objective:
    return Objective.of(info, pools)


def rollout(features: NDArray[np.floating[Any]], keys: Sequence[tuple[int, int]] | None = None) -> Rollout:
    """Return a rollout; by default it has one decision in every round."""
    if keys is None:
        keys = [(t, 0) for t in range(len(features))]
    rounds, steps = np.array([key[0] for key in keys]), np.array([key[1] for key in keys])
    return Rollout(features, rounds.astype(np.int64), steps.astype(np.int64))  # type: ignore[arg-type]


def group(
    stream: tuple[str, str],
    members: Sequence[Rollout],
    seat: int = 0,
    deal: int = 0,
) -> Group:
    return Group(stream, seat, deal, tuple(members))


@st.composite
def groups(draw: Any, stream: tuple[str, str] = ("train", "a"), low: int = 2, high: int = 5) -> Group:
    """Draw a group: some rounds, some members, each acting at most twice a round, like in Kuhn."""
    rounds = draw(st.integers(1, 4))
    members = []
    for _ in range(draw(st.integers(low, high))):
        seed = draw(st.integers(0, 2**20))
        features = np.random.default_rng(seed).uniform(-3.0, 3.0, size=(rounds, 4))
        counts = draw(st.lists(st.integers(0, 2), min_size=rounds, max_size=rounds))
        members.append(rollout(features, [(t, n) for t, count in enumerate(counts) for n in range(count)]))
    return group(stream, members)
