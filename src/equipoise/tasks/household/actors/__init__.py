"""Scripted actors of the household task: functions from a decision to a command."""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.tasks.household.actors import characters
from equipoise.tasks.registry import Actor

__all__ = ["ACTORS"]

ACTORS: Mapping[str, Actor] = {name: getattr(characters, name) for name in characters.__all__}
"""The actors by name."""
