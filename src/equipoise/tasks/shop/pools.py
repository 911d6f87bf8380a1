"""Whom a shopper meets: nobody."""

from __future__ import annotations

from equipoise.opponents.pools import Pools
from equipoise.tasks.registry import NOBODY

__all__ = ["POOLS"]

POOLS = Pools(train=(NOBODY,))
"""A shopper is alone: only its own score is measured."""
