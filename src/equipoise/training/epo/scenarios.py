"""Which scenarios are trained on in which round, and which are kept for selection: none twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.errors import RequestError
from equipoise.games.rules import Rules
from equipoise.tasks.base import Task

__all__ = ["Scenarios", "check_disjoint", "split_scenarios"]

SELECTION = 0.25
"""Share of the training scenarios that is kept for selection."""


@dataclass(frozen=True)
class Scenarios:
    """The rules of every round, and those of selection.

    Attributes:
        rounds: What is played in each round.
        selection: What scores are taken on.
    """

    rounds: tuple[Rules, ...]
    selection: Rules

    def of_round(self, number: int) -> Rules:
        """Return what is played in a round."""
        return self.rounds[number]


def split_scenarios(rules: Rules, rounds: int, seed: int) -> Scenarios:
    """Deal the scenarios of a task out to rounds and selection.

    Games, and tasks that do not list their scenarios, have deals of their own for training and selection:
    they are the same in all rounds.

    Raises:
        RequestError: There are fewer scenarios than rounds and selection need.
    """
    ids = rules.scenario_ids() if isinstance(rules, Task) else ()
    if not ids:
        return Scenarios((rules,) * rounds, rules)
    kept = max(1, round(SELECTION * len(ids)))
    if len(ids) - kept < rounds:
        raise RequestError(
            f"{rules.name}: {len(ids)} scenarios are too few for {rounds} rounds and a selection: use at "
            f"most {len(ids) - kept} rounds, or more scenarios"
        )
    order = np.random.Generator(np.random.Philox([seed, 17])).permutation(len(ids))
    shuffled = [ids[i] for i in order]
    parts = [shuffled[kept:][number::rounds] for number in range(rounds)]
    check_disjoint([shuffled[:kept], *parts])
    return Scenarios(tuple(_only(rules, part) for part in parts), _only(rules, shuffled[:kept]))


def check_disjoint(parts: Sequence[Sequence[str]]) -> None:
    """Check that no scenario is in two parts.

    Raises:
        RequestError: One is; the message names it.
    """
    seen: set[str] = set()
    for part in parts:
        for one in part:
            if one in seen:
                raise RequestError(f"scenario {one!r} would be used twice: parts must not share one")
        seen.update(part)


def _only(rules: Rules, ids: Sequence[str]) -> Rules:
    options = {**rules.options.model_dump(exclude_defaults=True), "only": tuple(ids)}
    return type(rules).create(**options)
