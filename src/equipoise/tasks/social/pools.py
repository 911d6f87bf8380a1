"""Who is met in training, who probes, and who is held out."""

from __future__ import annotations

from equipoise.opponents.pools import Pools

__all__ = ["POOLS"]

POOLS = Pools(
    train=("sensible", "generous", "weak", "rambling"),
    exploiter=("tough", "injecting"),
    shift=("deceptive", "leaving", "silent"),
)
"""The actors of each pool; nothing is collusive here, and the shift pool is never trained on."""
