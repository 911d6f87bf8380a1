"""The games under the name by which verifiers finds them: ``--env.taskset.id equipoise-verifiers``.

verifiers imports plugins by a name of one part, hence a package beside ``equipoise``.
"""

from equipoise.adapters.verifiers.env import GameEnv
from equipoise.adapters.verifiers.harness import GameHarness
from equipoise.adapters.verifiers.taskset import GameTaskset

__all__ = ["GameEnv", "GameHarness", "GameTaskset"]
