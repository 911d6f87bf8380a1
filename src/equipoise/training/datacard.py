"""What a data set holds and how it came about: counted while it is written, kept as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.rollout.deals import Deal, check_disjoint
from equipoise.training.data import SPLITS, Demonstrations, Example
from equipoise.training.teachers.mixtures import teachers_of

__all__ = ["LICENCE", "Counts", "card"]

LICENCE = "Apache-2.0"
"""Everything in the data is made by this package: its prompts, and moves that its code computes."""

LIMITS = (
    "The answers are moves of short rules, no play of people and no optimum; each is as good as its rule.",
    "The prompts are in English, in the plain wording of this version.",
    "Short games have few situations, so many examples are equal; how many are is counted.",
    "Splits go by episode: a held-out example may be equal to one of the training split; that is counted.",
    "With the same seed the recipe stage `sft` plays the same episodes and knows no test split.",
)
PAPER_LIMIT = (
    "The recipe paper shows harm too: always_defect takes from those who cooperate, and random moves are in "
    "most of its mixtures."
)
REASONS_LIMIT = (
    "Reasons are sentences of fixed forms; each was checked against what it speaks of. The prompts are those "
    "of audits and ask for one line; an answer with a reason has two, of which the last is read."
)


@dataclass
class Counts:
    """What was written of one game.

    Attributes:
        played: Where the examples come from.
        files: The files they stand in, relative to the data set.
    """

    played: Demonstrations
    files: list[str] = field(default_factory=list)
    _examples: dict[str, Counter[str]] = field(default_factory=dict)
    _episodes: dict[str, dict[str, set[int]]] = field(default_factory=dict)
    _seen: set[bytes] = field(default_factory=set)
    _prompts: set[bytes] = field(default_factory=set)
    _train: set[bytes] = field(default_factory=set)
    _held_out: list[bytes] = field(default_factory=list)

    def add(self, example: Example, row: Mapping[str, Any]) -> None:
        """Count an example and the row it became."""
        named = {
            "split": example.split,
            "teacher": example.teacher,
            "opponent": example.opponent,
            "action": row["action"],
        }
        for kind, name in named.items():
            self._examples.setdefault(kind, Counter())[name] += 1
            self._episodes.setdefault(kind, {}).setdefault(name, set()).add(example.episode)
        prompt = row["prompt"][0]["content"]
        key = _digest(prompt, row["completion"][0]["content"])
        self._seen.add(key)
        self._prompts.add(_digest(prompt))
        if example.split == "train":
            self._train.add(key)
        else:
            self._held_out.append(key)

    def examples(self, split: str) -> int:
        """Return the number of examples of a split."""
        return self._examples.get("split", Counter())[split]

    def check(self) -> None:
        """Check that no episode is in two splits and that nobody of the shift pool was met.

        Raises:
            EquipoiseError: One of the two does not hold.
        """
        groups: list[list[Deal]] = [
            [self.played.deal(number) for number in numbers] for numbers in self._episodes["split"].values()
        ]
        check_disjoint(groups)
        if met := set(self._examples["opponent"]) & set(self.played.pools.shift):
            raise EquipoiseError(f"{sorted(met)[0]!r} is held out but stands in the data")

    def to_json(self) -> dict[str, Any]:
        """Return the game's part of the card."""
        game, total = self.played.game, self._examples["split"].total()
        sources = {one.name: one.strategy.source for one in teachers_of(game.name)}
        episodes = set().union(*self._episodes["split"].values())
        return {
            "game": game.info_record.key,
            "options": game.options.changed(),
            "deals": {"split": "sft", "first": min(episodes), "last": max(episodes)},
            "episodes": len(episodes),
            "examples": total,
            "splits": {name: self._count("split", name) for name in SPLITS},
            "teachers": {
                one.name: {"weight": weight, **self._count("teacher", one.name), "source": sources[one.name]}
                for one, weight in self.played.mixture.teachers
            },
            "opponents": {name: self._count("opponent", name) for name in self.played.mixture.opponents},
            "held_out_opponents": list(self.played.pools.shift),
            "actions": dict(sorted(self._examples["action"].items())),
            "duplicates": {
                "distinct_prompts": len(self._prompts),
                "distinct_examples": len(self._seen),
                "duplicates": total - len(self._seen),
                "held_out_seen_in_train": sum(key in self._train for key in self._held_out),
            },
            "files": self.files,
        }

    def _count(self, kind: str, name: str) -> dict[str, int]:
        episodes = self._episodes.get(kind, {}).get(name, set())
        return {"episodes": len(episodes), "examples": self._examples.get(kind, Counter())[name]}


def card(
    games: Mapping[str, Counts], request: Mapping[str, Any], command: str, left_out: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the data card.

    Args:
        games: What was written, by game.
        request: How it was asked for: recipe, seed, shares, sizes, reasons.
        command: The command that makes the same data again.
        left_out: Games that the recipe has no teachers for.
    """
    limits = list(LIMITS)
    if request["recipe"] == "paper":
        limits.append(PAPER_LIMIT)
    if request["reasons"]:
        limits.append(REASONS_LIMIT)
    return {
        "schema": 1,
        **request,
        "equipoise": version("equipoise"),
        "command": command,
        "licence": LICENCE,
        "limits": limits,
        "left_out": list(left_out),
        "games": {name: counts.to_json() for name, counts in games.items()},
    }


def _digest(*texts: str) -> bytes:
    return blake2b(json.dumps(texts).encode(), digest_size=16).digest()
