"""Scripted shoppers: functions from a decision to an action."""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.tasks.registry import Actor
from equipoise.tasks.shop.actors import characters

__all__ = ["ACTORS"]

ACTORS: Mapping[str, Actor] = {name: getattr(characters, name) for name in characters.__all__}
"""The actors by name."""
