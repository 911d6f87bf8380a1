"""What an evaluator that reads says of an audit's dialogues, and how far it agrees with the rules.

As the dimensions by rule, ratings are of the train pool and of the seat under study. Dialogues are rated in
batches; pairs of scores are kept, which is little beside what rating costs.
"""

from __future__ import annotations

from typing import Any

from equipoise.auditing.transcripts.outcomes import TRAIN
from equipoise.auditing.transcripts.readings import Readings
from equipoise.judges.evaluator import LanguageEvaluator, tally
from equipoise.judges.rating import Rating
from equipoise.judges.scores import score_agreement
from equipoise.tasks.social.dimensions import RANGES, Dialogue
from equipoise.tasks.social.scoring import Result
from equipoise.tasks.social.task import Social
from equipoise.types import Episode, Estimate

__all__ = ["RATED", "Ratings", "dialogue_of"]

RATED = "rated"
BATCH = 32
"""Dialogues that are rated together."""


class Ratings:
    """Takes in episodes, has them rated, and hands the scores on to readings."""

    def __init__(self, task: Social, evaluator: LanguageEvaluator, readings: Readings) -> None:
        """Take what is played, who rates, and where scores are added up."""
        self.task, self.evaluator, self.readings = task, evaluator, readings
        self._waiting: list[Episode] = []
        self._ratings: list[Rating] = []
        self._pairs: dict[str, list[tuple[int, float, float]]] = {}

    def add(self, episode: Episode) -> None:
        """Take an episode; it is rated when enough wait."""
        if episode.pool != TRAIN:
            return
        self._waiting.append(episode)
        if len(self._waiting) >= BATCH:
            self.finish()

    def finish(self) -> None:
        """Rate what waits."""
        waiting, self._waiting = self._waiting, []
        sides = [(dialogue_of(self.task, one), one.seat) for one in waiting]
        for episode, rating in zip(waiting, self.evaluator.rate(sides), strict=True):
            self._ratings.append(rating)
            self._take(episode, rating)

    def agreement(self, level: float) -> dict[str, Estimate]:
        """Return correlation and kappa with the rules, for every dimension that both know."""
        found = {}
        for name, rows in self._pairs.items():
            deals, rule, rated = ([row[k] for row in rows] for k in range(3))
            both = score_agreement([int(deal) for deal in deals], rule, rated, level)
            found.update({f"{name}_{kind}": estimate for kind, estimate in both.items()})
        return found

    def account(self) -> dict[str, Any]:
        """Return who rated and what it took; the same in a run that was interrupted."""
        name, fingerprint = self.evaluator.writer.name, self.evaluator.fingerprint
        return {"name": name, "fingerprint": fingerprint, **tally(self._ratings)}

    def _take(self, episode: Episode, rating: Rating) -> None:
        scores = rating.dimensions.to_json()
        self.readings.put(RATED, {**scores, "unrated": float(rating.failed)}, episode)
        noted = episode.notes.get("dimensions")
        by_rule = noted[episode.seat] if isinstance(noted, list) and episode.seat < len(noted) else {}
        for name in RANGES:
            rule, rated = by_rule.get(name), scores[name]
            if rule is not None and rated is not None:
                self._pairs.setdefault(name, []).append((episode.deal, float(rule), rated))


def dialogue_of(task: Social, episode: Episode) -> Dialogue:
    """Return an episode's dialogue as an evaluator gets it."""
    notes: Any = episode.notes
    deal = notes.get("deal")
    told = notes.get("told") or ((), ())
    return Dialogue(
        task.by_id[str(notes["scenario"])],
        tuple((turn.seat, str(turn.action)) for turn in episode.turns if turn.action is not None),
        Result(tuple(deal) if isinstance(deal, list) else deal, (frozenset(told[0]), frozenset(told[1]))),
    )
