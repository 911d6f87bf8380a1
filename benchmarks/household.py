"""Prints the tables of ``docs/household.md``: how often actors do the errands, and what advice does to them.

    OMP_NUM_THREADS=1 python benchmarks/household.py

Every world of a split is played once. The first table is an audit (``audit_game``); the second compares
paired by world, with Student's intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.statistics.intervals import Range, mean_estimate
from equipoise.policies.base import Policy
from equipoise.policies.registry import load_policy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest
from equipoise.tasks.household.coach import informed
from equipoise.tasks.household.task import Household
from equipoise.tasks.registry import NOBODY, get_actor, make_task
from equipoise.types import Choice, Decision

RULES = "Open what is closed, and do not search the same place twice."
ADVICE: dict[str, str | None] = {
    "none": "",
    "informed": None,
    "rules of thumb": RULES,
    "look": "Look around.",
    "put": "Put it down right here.",
    "leave closed": "Do not open anything.",
}


class Coached(Policy):
    """An actor that is told the same in every turn, or what an informed coach says."""

    def __init__(self, actor: str, advice: str | None) -> None:
        """Take the actor and what it is told; None for the informed coach."""
        self.name, self.actor, self.advice = f"coached {actor}", get_actor("household", actor), advice

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Let the advised actor act."""
        return [Choice(self.actor(replace(one, advice=self._told(one)))) for one in decisions]

    def _told(self, decision: Decision) -> tuple[str, ...]:
        said = informed(decision) if self.advice is None else self.advice
        return (said,) if said else ()


def scores(task: Household, player: Policy) -> NDArray[np.float64]:
    """Return the score in every world that is dealt."""
    deals = [Deal(0, Split.REPORT, task.info_record.key, index) for index in range(len(task.dealt))]
    requests = [EpisodeRequest(task, deal, "train", NOBODY, 0, (player,)) for deal in deals]
    return np.array([one.episode.rounds[0].payoffs[0] for one in play(requests)])


def shown(values: NDArray[np.float64], low: float = 0.0) -> str:
    """Return a mean with its interval."""
    found = mean_estimate(values, Range(low, 1.0), 0.95, len(values))
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def main() -> None:
    """Print both tables as Markdown."""
    print("| split | actor | errands done |\n|---|---|---|")
    for split in ("train", "held_out", "hard"):
        task = make_task("household", split=split)
        assert isinstance(task, Household)
        for actor in ("weak", "sensible", "oracle"):
            config = AuditConfig(episodes=len(task.dealt))
            found = audit_game(task, load_policy(f"scripted:{actor}", task), config).metrics["utility"]
            print(f"| {split} | {actor} | {found} |", flush=True)
    print("\n| actor | advice | errands done | against no advice |\n|---|---|---|---|")
    task = Household.create(only=[one.id for one in Household.create().source])
    for actor in ("weak", "sensible"):
        alone = scores(task, Coached(actor, ""))
        for name, advice in ADVICE.items():
            values = scores(task, Coached(actor, advice))
            gap = "" if name == "none" else shown(values - alone, -1.0)
            print(f"| {actor} | {name} | {shown(values)} | {gap} |", flush=True)


if __name__ == "__main__":
    main()
