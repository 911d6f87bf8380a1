"""Which opponents measure what: the pools of each game (objective.md, SEPO paper).

Pools are multisets: an opponent that stands in two pools counts twice. ``shift`` is held out of every
training signal and of the SFT data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from equipoise.errors import RequestError, unknown

__all__ = ["POOL_NAMES", "Pools", "default_pools", "register_pools"]

POOL_NAMES = ("train", "exploiter", "collusive", "shift")


@dataclass(frozen=True, slots=True)
class Pools:
    """Names of the opponents of each pool, in order.

    Attributes:
        train: Measures utility, welfare and NRA; trained on.
        exploiter: Measures exploitability; trained on.
        collusive: Measures collusion risk; trained on. Empty where the game has none.
        shift: Measures robustness; never trained on.
    """

    train: tuple[str, ...]
    exploiter: tuple[str, ...] = ()
    collusive: tuple[str, ...] = ()
    shift: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield (pool name, opponents) in the fixed order."""
        for pool in POOL_NAMES:
            yield pool, getattr(self, pool)

    def replace(self, changes: Mapping[str, Sequence[str]]) -> Pools:
        """Return the pools with some of them replaced.

        Raises:
            RequestError: A pool does not exist, the train pool would be empty, or an opponent of the
                shift pool would stand in another pool.
        """
        merged = dict(self)
        for pool, names in changes.items():
            if pool not in POOL_NAMES:
                raise unknown("pool", pool, POOL_NAMES)
            merged[pool] = (names,) if isinstance(names, str) else tuple(names)
        if not merged["train"]:
            raise RequestError("pools.train is empty: name at least one opponent")
        used = (*merged["train"], *merged["exploiter"], *merged["collusive"])
        if shared := [name for name in merged["shift"] if name in used]:
            raise RequestError(
                f"{shared[0]!r} is in the shift pool and in another: take it out of one of them"
            )
        return Pools(**merged)


_POOLS: dict[str, Pools] = {
    "ipd": Pools(
        train=("tit_for_tat", "generous_tit_for_tat", "mixed_half", "grim_trigger"),
        exploiter=("always_defect", "alternating_defect"),
        collusive=("always_cooperate",),
        shift=("suspicious_tit_for_tat", "pavlov", "tit_for_two_tats", "random_75"),
    ),
    "auction": Pools(
        train=("shaded", "conservative", "rational_random"),
        exploiter=("aggressive", "adaptive"),
        collusive=("collusive_low",),
        shift=("always_high", "sniper"),
    ),
    "split": Pools(
        train=("fair", "balanced", "concede", "hardball"),
        exploiter=("selfish", "hardball"),
        collusive=("fair",),
        shift=("complement", "random_3_7"),
    ),
    "multi_issue": Pools(
        train=("fair", "tit_for_tat", "concede"),
        exploiter=("greedy", "hardball"),
        collusive=("fair",),
        shift=("residual", "specialist"),
    ),
    "kuhn": Pools(
        train=("nash", "tight_passive", "loose_aggressive"),
        exploiter=("max_exploiter", "always_bet", "nash"),
        shift=("always_pass", "random"),
    ),
    "commons": Pools(
        train=("medium", "scarcity_aware", "reciprocal"),
        exploiter=("high", "late_grabber"),
        collusive=("high",),
        shift=("low", "random"),
    ),
}


def register_pools(game: str, pools: Pools) -> None:
    """Set the default pools of a game."""
    _POOLS[game] = pools


def default_pools(game: str) -> Pools:
    """Return the default pools of a game or task; what has none is met by ``random``."""
    # A task's own pools are loaded with the task, which knows of pools: hence here and not above.
    from equipoise.tasks.registry import task_names, task_pools

    if game in task_names() and game not in _POOLS:
        return task_pools(game)
    return _POOLS.get(game, Pools(train=("random",), exploiter=("random",), collusive=("random",)))
