"""Nobody else is at home."""

from __future__ import annotations

from equipoise.opponents.pools import default_pools
from equipoise.tasks.household.pools import POOLS


def test_the_one_pool_holds_nobody() -> None:
    assert default_pools("household") is POOLS
    assert POOLS.train == ("nobody",)
    assert (POOLS.exploiter, POOLS.collusive, POOLS.shift) == ((), (), ())
