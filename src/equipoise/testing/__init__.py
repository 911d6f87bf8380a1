"""The conformance suite: what every game, policy and opponent must hold, to be run on your own parts."""

from equipoise.testing.findings import ConformanceError, Finding, Report, Status
from equipoise.testing.game.check import GAME_RULES, check_game, examine_game
from equipoise.testing.opponent.check import OPPONENT_RULES, check_opponent, examine_opponent
from equipoise.testing.playthroughs import playthrough, replay
from equipoise.testing.policy.check import POLICY_RULES, check_policy, examine_policy

__all__ = [
    "GAME_RULES",
    "OPPONENT_RULES",
    "POLICY_RULES",
    "ConformanceError",
    "Finding",
    "Report",
    "Status",
    "check_game",
    "check_opponent",
    "check_policy",
    "examine_game",
    "examine_opponent",
    "examine_policy",
    "playthrough",
    "replay",
]
