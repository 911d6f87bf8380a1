"""Nobody else is at home."""

from __future__ import annotations

from equipoise.opponents.pools import Pools
from equipoise.tasks.registry import NOBODY

__all__ = ["POOLS"]

POOLS = Pools((NOBODY,))
"""The one pool of a task with one seat."""
