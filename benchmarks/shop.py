"""Prints the tables of ``docs/shop.md``: shoppers by split, and what advice does to them.

    OMP_NUM_THREADS=1 python benchmarks/shop.py

Every goal of a split is dealt once; the figures are those of ``audit_game``, with the goal as the unit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from equipoise.auditing.result import GameResult
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.policies.base import Policy
from equipoise.tasks.registry import get_actor
from equipoise.tasks.shop.goals import SPLITS
from equipoise.tasks.shop.task import Shop
from equipoise.types import Choice, Decision

SHOWN = ("utility", "kind", "attributes", "options", "price")


def informed(decision: Decision) -> tuple[str, ...]:
    """Return what somebody who knows the goal's truth would say in every turn."""
    task, name = decision.rules, decision.info["scenario"]
    assert isinstance(task, Shop)
    goal = next(one for one in task.source if one.id == name)
    kind = task.catalogue.by_id[goal.product].query
    values = " and ".join(value for _, value in goal.options)
    must = f"It must have {goal.attributes[0]}. Read the features. Choose {values}."
    return (f"Search for {kind} {' '.join(goal.attributes)}. {must}",)


ADVICE: dict[str, Callable[[Decision], tuple[str, ...]]] = {
    "none": lambda decision: (),
    "care": lambda decision: ("Use key words, read the features, and choose the options before you buy.",),
    "informed": informed,
    "haste": lambda decision: ("Just take the first one, forget the options.",),
    "astray": lambda decision: ("Search for a nice present.",),
}


class Coached(Policy):
    """An actor with somebody at its side who says the same in every turn."""

    always_legal = True

    def __init__(self, actor: str, advice: str) -> None:
        """Take the actor and what it is told."""
        self.name, self.actor, self.advice = f"{actor}, {advice}", get_actor("shop", actor), ADVICE[advice]
        self.fingerprint = self.name

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Let the advised actor act."""
        return [Choice(self.actor(replace(decision, advice=self.advice(decision)))) for decision in decisions]


def audited(split: str, actor: str, advice: str = "none") -> GameResult:
    """Return the audit of an actor over all goals of a split."""
    task = Shop.create(split=split)
    return audit_game(task, Coached(actor, advice), AuditConfig(episodes=len(task.dealt)))


def row(result: GameResult, *cells: str) -> None:
    """Print a line of a table."""
    found = []
    for name in SHOWN:
        one = result.metrics[name]
        assert one is not None
        found.append(f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]")
    print(f"| {' | '.join((*cells, *found))} |", flush=True)


def main() -> None:
    """Print both tables as Markdown."""
    print("| split | actor | score | r_type | attributes | options | price |\n|---|---|---|---|---|---|---|")
    for split in SPLITS:
        for actor in ("hasty", "weak", "sensible", "oracle"):
            row(audited(split, actor), split, actor)
    print("\n| split | actor | advice | score | r_type | attributes | options | price |")
    print("|---|---|---|---|---|---|---|---|")
    for split in ("train", "hard"):
        for actor in ("weak", "sensible"):
            for advice in ADVICE:
                row(audited(split, actor, advice), split, actor, advice)


if __name__ == "__main__":
    main()
