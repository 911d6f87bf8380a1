"""How large a game is, without walking it."""

from __future__ import annotations

import math

from equipoise.games.base import State
from equipoise.rollout.deals import keyed_uniform

__all__ = ["estimated_histories"]

PROBES = 200


def estimated_histories(root: State, enough: float) -> float:
    """Estimate the number of histories of a game whose seats move in turn.

    Knuth's estimator (*Estimating the efficiency of backtrack programs*, 1975): along a random path, the
    number of histories at each depth is estimated without bias by the product of the branching above. Paths
    are drawn from fixed keys, so a game has one estimate.

    Args:
        root: Where the game starts.
        enough: A path that alone counts more than this, times the number of paths, settles the matter.

    Returns:
        The estimate, or infinity if it was settled.
    """
    total = 0.0
    for probe in range(PROBES):
        total += _path(root, probe, enough * PROBES)
        if math.isinf(total):
            break
    return total / PROBES


def _path(state: State, probe: int, enough: float) -> float:
    count = weight = 1.0
    depth = 0
    while not state.is_over and count <= enough:
        chance = state.chance is not None
        seat = 0 if chance else state.players_to_move[0]
        branches = [o for o, _ in state.chance_outcomes()] if chance else list(state.legal_actions(seat))
        weight *= len(branches)
        count += weight
        chosen = branches[int(keyed_uniform(f"size|{probe}|{depth}") * len(branches))]
        step = state.apply_chance(chosen) if chance else state.apply({seat: chosen})  # type: ignore[dict-item]
        state, depth = step.state, depth + 1
    return count if count <= enough else math.inf
