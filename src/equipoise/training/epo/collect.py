"""Plays a strategist's episodes of a step: starts, partners, sides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from equipoise.games.rules import Rules
from equipoise.judges.base import Case, Judge, case_of
from equipoise.policies.base import AnyPolicy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule, seated
from equipoise.training.epo.config import EpoConfig
from equipoise.training.epo.credit import Trajectory
from equipoise.types import Episode, Seat

__all__ = ["SELF", "Collected", "Collector"]

SELF = "self"
"""Name of the strategist in training at the other seat; both sides are then trained."""


@dataclass(frozen=True)
class Collected:
    """What a step played.

    Attributes:
        trajectories: One for each side that is trained.
        cases: What the judge was given for each.
        marked: Share of turns that the judge marked.
        sides: The episode and the seat of each.
    """

    trajectories: list[Trajectory]
    cases: list[Case]
    marked: float
    sides: list[tuple[Episode, Seat]] = field(default_factory=list)

    @property
    def score(self) -> float:
        """Mean score of the trajectories."""
        return sum(case.score for case in self.cases) / max(len(self.cases), 1)


@dataclass(frozen=True)
class Collector:
    """Plays and judges.

    Attributes:
        rules: What is played in a round, by its number: scenario subsets of rounds are disjoint.
        judge: Marks decisive turns.
        config: Settings.
        rule: What happens to invalid answers.
    """

    rules: Callable[[int], Rules]
    judge: Judge
    config: EpoConfig
    rule: InvalidRule = field(default_factory=InvalidRule)

    def collect(self, policy: AnyPolicy, partners: Mapping[str, AnyPolicy], step: int) -> Collected:
        """Play a step against partners in turn, and have it judged.

        Args:
            policy: The strategist with its actor.
            partners: Whom it meets, by name; ``self`` is the strategist itself.
            step: Number of the step, over all rounds.
        """
        rules = self.rules(step // self.config.steps)
        requests = self.requests(rules, policy, partners, step)
        episodes = [one.episode for one in play(requests, self.rule)]
        sides = [(episode, seat) for episode in episodes for seat in _trained(episode, rules)]
        cases = [case_of(episode, rules, seat) for episode, seat in sides]
        verdicts = self.judge.judge(cases)
        trajectories = [
            Trajectory.of(
                episode, seat, verdict.marks(len(case.turns)), case.score, self.config.outcome_at_end
            )
            for (episode, seat), case, verdict in zip(sides, cases, verdicts, strict=True)
        ]
        turns = sum(len(case.turns) for case in cases)
        marked = sum(len(verdict.decisive) for verdict in verdicts) / max(turns, 1)
        return Collected(trajectories, cases, marked, sides)

    def requests(
        self, rules: Rules, policy: AnyPolicy, partners: Mapping[str, AnyPolicy], step: int
    ) -> list[EpisodeRequest]:
        """Return the episodes of a step: for each start, rollouts with one partner and at one seat."""
        config, seats = self.config, rules.info_record.seats
        names: Sequence[str] = list(partners)
        requests = []
        for number in range(config.starts):
            index = step * config.starts + number
            # Partners change with every start, seats once all of them were met.
            name, seat = names[index % len(names)], index // len(names) % seats
            deal = Deal(config.seed, Split.TRAIN, rules.info_record.key, index)
            players = seated(policy, partners[name], seat, seats)
            also = tuple(s for s in range(seats) if s != seat) if name == SELF else ()
            requests += [
                EpisodeRequest(rules, deal, "train", name, seat, players, rollout, also=also)
                for rollout in range(config.rollouts)
            ]
        return requests


def _trained(episode: Episode, rules: Rules) -> list[Seat]:
    return list(range(rules.info_record.seats)) if episode.opponent == SELF else [episode.seat]
