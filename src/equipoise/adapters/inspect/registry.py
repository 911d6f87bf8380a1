"""What Inspect loads when it is asked for something of ``equipoise`` (entry point ``inspect_ai``)."""

from equipoise.adapters.inspect.playing import play
from equipoise.adapters.inspect.scoring import audit, episode
from equipoise.adapters.inspect.tasks import TASKS, game

__all__ = ["TASKS", "audit", "episode", "game", "play"]
