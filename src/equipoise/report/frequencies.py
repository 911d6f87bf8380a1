"""How often actions are played, counted from recorded episodes, with intervals over deals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from equipoise.auditing.statistics.intervals import Range, mean_estimate
from equipoise.types import Estimate

__all__ = ["Frequencies"]

LEVEL = 0.95
MANY = 16
"""Actions that a chart of a game can show."""


class Frequencies:
    """Counts the own actions of policies by situation; the deal is the unit of independence."""

    def __init__(self) -> None:
        """Start with nothing counted."""
        self._counts: dict[tuple[str, str, str], dict[object, Counter[str]]] = defaultdict(
            lambda: defaultdict(Counter)
        )
        self._episodes: dict[tuple[str, str, str], set[str]] = defaultdict(set)

    def add(self, game: str, policy: str, episode: Mapping[str, Any]) -> None:
        """Count the own decisions of an episode, as its transcript has it."""
        for turn in episode["turns"]:
            if turn["seat"] == episode["seat"]:
                key = (game, policy, _situation(game, turn["label"]))
                self._counts[key][episode["deal"]][_word(turn["action"])] += 1
                self._episodes[key].add(episode["id"])

    def policies(self, game: str) -> list[str]:
        """Return the policies with episodes in a game."""
        return list(dict.fromkeys(policy for played, policy, _ in self._counts if played == game))

    def actions(self, game: str) -> list[str]:
        """Return the actions that were played in a game, in order; none if they are too many to show."""
        found = {
            action
            for (played, _, _), deals in self._counts.items()
            if played == game
            for row in deals.values()
            for action in row
        }
        return sorted(found, key=_order) if len(found) <= MANY else []

    def rate(self, game: str, policy: str, situation: str, action: str) -> Estimate | None:
        """Return how often a policy plays an action in a situation; None if it never was in it."""
        key = (game, policy, situation)
        if key not in self._counts:
            return None
        rates = np.array([row[action] / row.total() for row in self._counts[key].values()])
        return mean_estimate(rates, Range(0.0, 1.0), LEVEL, len(self._episodes[key]))


ANY = "all rounds"
FIRST, AFTER = "first round", "after the other’s "


def _situation(game: str, label: str) -> str:
    """Return the situation a decision belongs to: in the dilemma the other's last move."""
    if game != "ipd":
        return ANY
    other = label.rpartition("/")[2]
    return FIRST if other in ("", "-") else AFTER + other[-1]


def _word(action: Any) -> str:
    return ", ".join(map(str, action)) if isinstance(action, list) else str(action)


def _order(action: str) -> tuple[int, float, str]:
    ranked = {"COOPERATE": 0, "DEFECT": 1, "LOW": 0, "MEDIUM": 1, "HIGH": 2}
    try:
        return 0, float(action), action
    except ValueError:
        return 1, float(ranked.get(action, 9)), action
