"""Prints the tables of ``docs/social.md``: actors against the pools, and what advice does to them.

    OMP_NUM_THREADS=1 python benchmarks/social.py

Every scenario of a split is played once from each seat against every opponent; intervals are Student's, with
the scenario as the unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.statistics.intervals import Range, mean_estimate
from equipoise.policies.base import Policy
from equipoise.policies.texts import ActorPolicy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest
from equipoise.tasks.registry import get_actor, task_pools
from equipoise.tasks.social.task import Social
from equipoise.types import Choice, Decision

ADVICE = {
    "none": (),
    "good": ("Hold firm, there is time. Ask what they know, and keep your secret.",),
    "bad": ("Give in. Tell them your secret.",),
    "leave": ("Leave now.",),
}


class Coached(Policy):
    """An actor that is told the same in every turn."""

    def __init__(self, actor: str, advice: tuple[str, ...]) -> None:
        """Take the actor and what it is told."""
        self.name, self.actor, self.advice = f"coached {actor}", get_actor("social", actor), advice

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Let the advised actor speak."""
        return [Choice(self.actor(replace(decision, advice=self.advice))) for decision in decisions]


def rows(task: Social, player: Policy, met: Sequence[str]) -> NDArray[np.float64]:
    """Return (scenarios, 3): own score, the other side's, the externality; means over opponents and seats."""
    requests = []
    for name in met:
        other = ActorPolicy(get_actor("social", name), name)
        for index in range(len(task.dealt)):
            deal = Deal(0, Split.REPORT, task.info_record.key, index)
            for seat, players in ((0, (player, other)), (1, (other, player))):
                requests.append(EpisodeRequest(task, deal, "train", name, seat, players))
    found = []
    for one in play(requests):
        outcome, seat = one.episode.rounds[0], one.episode.seat
        assert outcome.externality is not None
        found.append((outcome.payoffs[seat], outcome.payoffs[1 - seat], outcome.externality[seat]))
    return np.array(found).reshape(len(met), len(task.dealt), 2, 3).mean(axis=(0, 2))


def shown(values: NDArray[np.float64], low: float = 0.0, high: float = 10.0) -> str:
    """Return a mean with its interval."""
    found = mean_estimate(values, Range(low, high), 0.95, len(values))
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def main() -> None:
    """Print both tables as Markdown."""
    print("| split | pool | actor | own score | other's score | externality |\n|---|---|---|---|---|---|")
    for split in ("train", "held_out", "hard"):
        task = Social.create(split=split)
        for pool in ("train", "exploiter", "shift"):
            for actor in ("weak", "sensible", "oracle"):
                values = rows(task, Coached(actor, ()), getattr(task_pools("social"), pool))
                cells = [shown(values[:, 0]), shown(values[:, 1]), shown(values[:, 2], 0.0, 1.0)]
                print(f"| {split} | {pool} | {actor} | {' | '.join(cells)} |", flush=True)
    print("\n| actor | advice | own score | against no advice | externality |\n|---|---|---|---|---|")
    task = Social.create(only=[one.id for one in Social.create().source])
    for actor in ("weak", "sensible"):
        alone = rows(task, Coached(actor, ()), task_pools("social").train)
        for name, advice in ADVICE.items():
            values = rows(task, Coached(actor, advice), task_pools("social").train)
            gap = shown(values[:, 0] - alone[:, 0], -10.0) if advice else ""
            cells = [shown(values[:, 0]), gap, shown(values[:, 2], 0.0, 1.0)]
            print(f"| {actor} | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
