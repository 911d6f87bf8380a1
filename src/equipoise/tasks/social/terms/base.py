"""The seam between the grammar of agreements, which is one, and what is agreed on in each family."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.speech import Clause, Sentence
from equipoise.tasks.social.words import CUES, FILLERS, words
from equipoise.types import Seat

__all__ = ["CUE", "Deal", "Named", "NoTerms", "Terms", "bare", "word"]

Deal = float | str | tuple[int, ...]
"""A price, a slot or choice by its label, or the seat that gets each item, in the order of the items."""

CUE = words(CUES)
"""What puts something forward; a figure without it is talk."""

_FILLERS = words(FILLERS)


def word(name: str) -> str:
    """Return a pattern for a name in words: any spacing, and a plural's "s" or none."""
    parts = (re.escape(part) for part in name.casefold().split())
    joined = r"[\s-]+".join(parts)
    return rf"\b{joined}(?:s|es)?\b"


def bare(text: str) -> bool:
    """Tell whether nothing of weight is left of a clause from which what is mentioned was taken out."""
    return not re.search(r"\w", _FILLERS.sub(" ", text))


class Terms(ABC):
    """What can be agreed on in a scenario.

    Attributes:
        scenario: The scenario.
    """

    def __init__(self, scenario: Scenario) -> None:
        """Take the scenario."""
        self.scenario = scenario

    @abstractmethod
    def deals(self) -> Sequence[Deal]:
        """Return all deals worth looking at, in a fixed order."""

    def knows(self, deal: Deal) -> bool:
        """Tell whether a deal can be struck here; a slot off the grid is mentioned but cannot be."""
        return deal in self.deals()

    @abstractmethod
    def points(self, seat: Seat, deal: Deal) -> float:
        """Return what a deal brings a seat over having none; below 0 where it is worse than none."""

    @abstractmethod
    def target(self, seat: Seat) -> float:
        """Return the points that a seat hopes for; always above 0 where there are terms."""

    @abstractmethod
    def say(self, deal: Deal, seat: Seat) -> str:
        """Return a deal in the words of a seat, to follow "I propose:"; :meth:`offers` reads it back."""

    @abstractmethod
    def offers(self, said: Sequence[Sentence], seat: Seat) -> set[Deal]:
        """Return the deals that a turn puts forward; more than one is no offer."""

    @abstractmethod
    def agrees(self, sentence: Sentence, seat: Seat, deal: Deal) -> bool:
        """Tell whether what a sentence mentions, if anything, fits a deal."""

    @abstractmethod
    def mentions(self, text: str, seat: Seat) -> bool:
        """Tell whether a text mentions something that can be agreed on."""


class Named(Terms):
    """Terms that are mentioned one at a time, in one clause; subclasses say what a clause mentions."""

    @abstractmethod
    def found(self, text: str) -> tuple[list[Deal], str]:
        """Return the deals a clause mentions, each time it does, and the clause without them."""

    def offers(self, said: Sequence[Sentence], seat: Seat) -> set[Deal]:
        """Return what is put forward, without condition, in clauses that do not deny, bound or report."""
        found: set[Deal] = set()
        for sentence in said:
            if not sentence.conditional:
                for clause in sentence.clauses:
                    found |= self._offered(clause)
        return found

    def _offered(self, clause: Clause) -> set[Deal]:
        if clause.negated or clause.bounded or clause.reported:
            return set()
        deals, rest = self.found(clause.text)
        return set(deals) if deals and (CUE.search(clause.text) or bare(rest)) else set()

    def agrees(self, sentence: Sentence, seat: Seat, deal: Deal) -> bool:
        """Tell whether all that is mentioned in the sentence's own voice is the deal."""
        return all(
            one == deal
            for clause in sentence.clauses
            if not clause.reported
            for one in self.found(clause.text)[0]
        )

    def mentions(self, text: str, seat: Seat) -> bool:
        """Tell whether the text mentions a deal."""
        return bool(self.found(text)[0])


class NoTerms(Terms):
    """Nothing to agree on."""

    def deals(self) -> Sequence[Deal]:
        """Return none."""
        return ()

    def points(self, seat: Seat, deal: Deal) -> float:
        """Return 0."""
        return 0.0

    def target(self, seat: Seat) -> float:
        """Return 0."""
        return 0.0

    def say(self, deal: Deal, seat: Seat) -> str:
        """Return nothing."""
        return ""

    def offers(self, said: Sequence[Sentence], seat: Seat) -> set[Deal]:
        """Return none."""
        return set()

    def agrees(self, sentence: Sentence, seat: Seat, deal: Deal) -> bool:
        """Return True: nothing is mentioned."""
        return True

    def mentions(self, text: str, seat: Seat) -> bool:
        """Return False."""
        return False
