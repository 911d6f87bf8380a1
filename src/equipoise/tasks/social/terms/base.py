"""The seam between the grammar of agreements, which is one, and what is agreed on in each family."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.speech import Clause, Sentence
from equipoise.types import Seat

__all__ = ["CUE", "Deal", "Named", "NoTerms", "Terms", "bare", "word"]

Deal = float | str | tuple[int, ...]
"""A price, a slot or choice by its label, or the seat that gets each item, in the order of the items."""

CUE = re.compile(
    r"\b(?:how about|what about|how (?:does|do|would|is)|whether you (?:would|could|might)|a deal (?:at|"
    r"for|on)|(?:we|you)(?:'ve| have)(?: got)? a deal|works[.!]?$|what if we|shall we|"
    r"could we|can we|may we|let's|let us|let me|i (?:offer|"
    r"propose|"
    r"want|need|suggest|bid|ask|say|vote|pick|choose|recommend|accept|take)|i(?:'d| would)(?: be (?:happy|"
    r"glad|willing|ready) (?:to|with))?"
    r"(?: (?:like|suggest|propose|say|go|take|pay|give|offer|accept|let|sell|buy|do|vote|pick|choose|"
    r"settle|be up for))?"
    r"|i(?:'ll| will| can| could| might|'m willing to| am willing to|'m prepared to| am prepared to|"
    r"'m ready to|"
    r"'m happy to| am ready to| am happy to)(?: \w+){0,2}? (?:pay|give|offer|do|go|take|sell|let|buy|"
    r"accept|come|meet|settle|"
    r"bid|make|manage|stretch|book|agree|drop|raise)"
    r"|i(?:'m| am) (?:offering|asking|proposing|suggesting|free|available|open)"
    r"|(?:would|could|can|will|do) you (?:\w+ )?(?:take|accept|consider|do|pay|go|agree|sell|let|manage|"
    r"meet|come|make|give)"
    r"|my (?:\w+ )?(?:offer|price|proposal|bid|counter|counteroffer|suggestion|figure|vote|choice|"
    r"preference)|make it|make that|"
    r"call it|say|settle (?:on|for|at)|meet (?:me )?at|go (?:with|for)|best i can do|final offer|"
    r"it's yours|it is yours|yours for|works(?: \w+)? for (?:me|us)|work(?: \w+)? for (?:me|you|us)|"
    r"suits? (?:me|you|us)|"
    r"(?:would be|is|sounds|seems) (?:fair|good|fine|best|perfect|ideal)|it is\b|we (?:could|can|should|"
    r"might))\b"
)
"""What puts something forward; a figure without it is talk."""

_FILLERS = re.compile(
    r"\b(?:ok|okay|well|then|for|at|on|and|just|so|please|fine|hmm|um|uh|all right|alright|yes|deal|agreed|"
    r"done|"
    r"final|flat|even|total|the|a|it|only|cash|in|to|i|accept|take|your|offer|of|price|my|friend|sold|it's|"
    r"that's|is)\b"
)


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
