"""For every rule about opponents one strategy that breaks it, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from equipoise.games.ipd import COOPERATE, DEFECT
from equipoise.opponents.auction import STRATEGIES as BIDDERS
from equipoise.opponents.base import Classifier, MemoryOne, Strategy, certain
from equipoise.types import Action

PLAIN = Classifier(memory_depth=0)
UNBOUNDED = Classifier(memory_depth=None, uses_horizon=True)


class Base(Strategy):
    """Always cooperates."""

    name = "base"
    classifier = PLAIN
    source = "a test"

    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        return certain(COOPERATE)


class Anonymous(Base):
    source = ""


class Unclassified(Base):
    classifier = None  # type: ignore[assignment]


class Raises(Base):
    def update(self, memory: Any, signal: Any) -> Any:
        return {(COOPERATE, COOPERATE): None}[tuple(signal)]  # type: ignore[index]


class HalfAStart(Base):
    def start(self) -> tuple[tuple[Any, float], ...]:
        return ((None, 0.5),)


class NoStart(Base):
    def start(self) -> tuple[tuple[Any, float], ...]:
        return ()


class Lists(Base):
    classifier = UNBOUNDED

    def update(self, memory: Any, signal: Any) -> Any:
        return [*(memory or ()), signal]


class Lossy(Base):
    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        return {COOPERATE: 0.5, DEFECT: 0.4}


class Foreign(Base):
    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        return certain("BETRAY")


class Counts(Base):
    """Remembers how often it was told anything, whoever told it."""

    classifier = UNBOUNDED

    def __init__(self) -> None:
        self.count = 0

    def update(self, memory: Any, signal: Any) -> Any:
        self.count += 1
        return self.count


class Draws(Base):
    """Draws by itself: another action each time it is asked."""

    classifier = UNBOUNDED

    def __init__(self) -> None:
        self.asked = 0

    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        self.asked += 1
        return certain(legal[int(Random(self.asked).random() * len(legal))])


class Mixes(Base):
    def probabilities(
        self, memory: Any, observation: Any, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        return {COOPERATE: 0.5, DEFECT: 0.5}


class MixesAtTheStart(Base):
    def start(self) -> tuple[tuple[Any, float], ...]:
        return (("a", 0.5), ("b", 0.5))


FORGETFUL = MemoryOne(
    "forgetful",
    # It looks two rounds back and says one; the horizon is declared, so that nothing else is wrong.
    Classifier(memory_depth=1, uses_horizon=True),
    "a test",
    act=lambda streak, view: certain(DEFECT if streak >= 2 else COOPERATE),
    first=0,
    learn=lambda streak, seen: min(2, streak + 1) if seen.other == DEFECT else 0,
)

FORESEES = MemoryOne(
    "foresees", Classifier(memory_depth=-1, uses_horizon=True), "a test", act=lambda m, v: certain(COOPERATE)
)

HOARDER = MemoryOne(
    "hoarder",
    Classifier(memory_depth=0, uses_horizon=True),
    "a test",
    act=lambda memory, view: certain(COOPERATE),
    first=(),
    learn=lambda memory, seen: (*memory, seen),
)

BY_THE_CLOCK = MemoryOne(
    "by_the_clock",
    PLAIN,
    "a test",
    act=lambda memory, view: certain(DEFECT if view.round % 2 else COOPERATE),
)

COUNTS_ROUNDS = MemoryOne(
    "counts_rounds",
    Classifier(memory_depth=1),
    "a test",
    act=lambda rounds, view: certain(DEFECT if rounds >= 3 else COOPERATE),
    first=0,
    learn=lambda rounds, seen: min(3, rounds + 1),
)

LATE = MemoryOne(
    "late",
    Classifier(memory_depth=0, uses_horizon=False),
    "a test",
    act=lambda memory, view: certain("HIGH" if view.rounds <= 6 else "LOW"),
)

SHADY = MemoryOne("shady", PLAIN, "a test", act=BIDDERS["shaded"].act)  # type: ignore[attr-defined]

BROKEN: tuple[tuple[str, str, Strategy, str], ...] = (
    ("declaration", "ipd", Anonymous(), "source is ''"),
    ("declaration", "ipd", Unclassified(), "classifier is None"),
    ("runs", "ipd", Raises(), "KeyError"),
    ("declaration", "ipd", FORESEES, "memory_depth is -1"),
    ("start-distribution", "ipd", HalfAStart(), "sum 0.5"),
    ("start-distribution", "ipd", NoStart(), "sum 0"),
    ("hashable-memory", "ipd", Lists(), "cannot be hashed"),
    ("legal-probabilities", "ipd", Lossy(), "'DEFECT': 0.4"),
    ("legal-probabilities", "ipd", Foreign(), "BETRAY"),
    ("pure-update", "ipd", Counts(), "the memory is"),
    ("pure-probabilities", "ipd", Draws(), "it answers"),
    ("stochastic", "ipd", Mixes(), "it mixes"),
    ("stochastic", "ipd", MixesAtTheStart(), "it draws one of 2 memories"),
    ("memory-depth", "ipd", FORGETFUL, "which differ before the last 1 rounds"),
    ("recall", "ipd", HOARDER, "memories where the last 0 rounds differ in"),
    ("uses-horizon", "ipd", BY_THE_CLOCK, "View(round="),
    ("uses-horizon", "ipd", COUNTS_ROUNDS, "of them alone"),
    ("uses-horizon", "auction", LATE, "rounds=7"),
    ("knows-private", "auction", SHADY, "value="),
)
"""The rule, the game, a strategy that breaks the rule in it, and what the message must name."""

CONSEQUENCES = {
    # Without a classifier nothing of what it says can be checked.
    "declaration": {"stochastic", "memory-depth", "recall", "uses-horizon", "knows-private"},
    # Whoever counts rounds has more memories than one recent round has forms.
    "uses-horizon": {"recall"},
    "pure-probabilities": {"stochastic"},
}
"""Rules that cannot hold where another is broken."""
