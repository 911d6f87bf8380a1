"""The equilibrium of sampled policies, and how much of it survives when the deals are drawn anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.cross.cells import Cell
from equipoise.auditing.cross.equilibrium import FEW, Profile, equilibrium
from equipoise.auditing.cross.result import PolicyEquilibrium
from equipoise.auditing.statistics.intervals import Range, mean_estimate, t_interval
from equipoise.games.base import GameInfo
from equipoise.progress import Reporter
from equipoise.rollout.deals import keyed_uniform
from equipoise.types import Estimate, Kind

__all__ = ["policy_equilibrium", "resampled"]

RESAMPLES, RESAMPLES_OF_MANY = 200, 50
"""Bootstrap resamples for up to ``FEW`` policies, and for more, where each takes longer."""

USED = 1e-6
"""Weight from which a policy is in the support."""


def policy_equilibrium(
    info: GameInfo,
    names: Sequence[str],
    cells: Mapping[tuple[str, str], Cell],
    level: float,
    seed: int,
    reporter: Reporter,
) -> tuple[PolicyEquilibrium | None, str]:
    """Return the equilibrium of the game between policies, or None and the reason in one line.

    Args:
        info: The game's declaration.
        names: The policies.
        cells: What they earn against each other.
        level: Level of the intervals.
        seed: Seed of the resamples.
        reporter: Shows progress.
    """
    means = np.array([[cells[row, column].own.mean() for column in names] for row in names])
    try:
        profile = equilibrium(means)
    except ImportError:
        return None, "the equilibrium needs nashpy: pip install 'equipoise[exact]'"
    if profile is None:
        return None, f"no equilibrium was found among these {len(names)} policies: cross fewer of them"
    if all(cell.is_exact for cell in cells.values()):
        return _exact(names, profile, means), ""
    found = []
    count = RESAMPLES if len(names) <= FEW else RESAMPLES_OF_MANY
    with reporter.task("equilibria of resampled deals", count) as advance:
        for matrix in resampled(names, cells, count, seed):
            again = equilibrium(matrix)
            if again is not None:
                found.append((again, float(again.row @ matrix @ again.column)))
            advance(1)
    return _sampled(names, profile, cells, found, Range(*info.payoff_bounds), level), ""


def resampled(
    names: Sequence[str], cells: Mapping[tuple[str, str], Cell], count: int, seed: int
) -> Iterable[NDArray[np.float64]]:
    """Yield payoff matrices of deals drawn with replacement, the same ones for all cells (bootstrap)."""
    own = _by_deal(names, cells)
    deals = own.shape[2]
    draws = np.random.default_rng(int(keyed_uniform(f"{seed}|cross|bootstrap") * 2.0**53))
    for _ in range(count):
        yield own[:, :, draws.integers(deals, size=deals)].mean(axis=2)


def _by_deal(names: Sequence[str], cells: Mapping[tuple[str, str], Cell]) -> NDArray[np.float64]:
    """Return (N, N, D) payoffs by row, column and deal; what is exact is the same in every deal."""
    deals = max(len(cell.own) for cell in cells.values())
    return np.array([[np.broadcast_to(cells[row, col].own, deals) for col in names] for row in names])


def _exact(names: Sequence[str], profile: Profile, means: NDArray[np.float64]) -> PolicyEquilibrium:
    def weights(values: NDArray[np.float64]) -> dict[str, Estimate]:
        return {name: Estimate.exact(float(w)) for name, w in zip(names, values, strict=True)}

    return PolicyEquilibrium(
        weights(profile.row),
        None if profile.is_symmetric else weights(profile.column),
        Estimate.exact(float(profile.row @ means @ profile.column)),
        profile.found,
        profile.method,
    )


def _sampled(
    names: Sequence[str],
    profile: Profile,
    cells: Mapping[tuple[str, str], Cell],
    found: Sequence[tuple[Profile, float]],
    within: Range,
    level: float,
) -> PolicyEquilibrium:
    episodes = sum(cell.episodes for cell in cells.values())
    own = _by_deal(names, cells)
    deals = own.shape[2]
    worth = np.einsum("i,ijd,j->d", profile.row, own, profile.column)

    def estimate(value: float, others: NDArray[np.float64], least: tuple[float, float]) -> Estimate:
        """Join the percentiles of the resamples with an interval that knows of what none of them saw."""
        low, high = np.quantile([*others, value], [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        ends = min(float(low), least[0]), max(float(high), least[1])
        return Estimate(value, *ends, level, episodes, deals, Kind.SAMPLE)

    def weights(values: NDArray[np.float64], others: NDArray[np.float64]) -> dict[str, Estimate]:
        return {
            name: estimate(w, others[:, i], t_interval(np.full(deals, w), Range(0.0, 1.0), level))
            for i, (name, w) in enumerate(zip(names, values.tolist(), strict=True))
        }

    rows = np.array([again.row for again, _ in found]).reshape(-1, len(names))
    columns = np.array([again.column for again, _ in found]).reshape(-1, len(names))
    used = (rows > USED).astype(float)
    share = {
        name: mean_estimate(used[:, i], Range(0.0, 1.0), level, len(found)) for i, name in enumerate(names)
    }
    return PolicyEquilibrium(
        weights(profile.row, rows),
        None if profile.is_symmetric else weights(profile.column, columns),
        estimate(
            float(worth.mean()), np.array([value for _, value in found]), t_interval(worth, within, level)
        ),
        profile.found,
        profile.method,
        share if found else None,
        len(found),
    )
