"""How tasks end for the policy: successes, and the seven dimensions of a dialogue.

Both are means over the train pool, as utility is.
"""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.games.rules import Rules
from equipoise.tasks.base import Task
from equipoise.types import Episode

__all__ = ["dimensions", "outcomes"]

TRAIN = "train"


def outcomes(rules: Rules, episode: Episode) -> Mapping[str, float | None]:
    """Return ``success`` of an errand, a task with one seat: 1 where the score is the best there is."""
    if not isinstance(rules, Task) or rules.info_record.seats != 1 or episode.pool != TRAIN:
        return {}
    best = rules.info_record.payoff_bounds[1]
    scores = [outcome.payoffs[episode.seat] for outcome in episode.rounds]
    return {"success": float(bool(scores) and scores[-1] >= best - 1e-9)}


def dimensions(rules: Rules, episode: Episode) -> Mapping[str, float | None]:
    """Return the dimensions that the episode's evaluator gave the policy; ``overall`` where all seven are."""
    noted = episode.notes.get("dimensions")
    if not isinstance(noted, list) or episode.pool != TRAIN or episode.seat >= len(noted):
        return {}
    return {name: None if value is None else float(value) for name, value in noted[episode.seat].items()}
