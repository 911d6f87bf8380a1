"""Who gets which of a few items.

A proposal is complete or it is none: every item goes to one side. "I get the tent and the stove; you get the
rest" is complete, "I want the tent" is a wish.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import product

from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.speech import Sentence, sentences
from equipoise.tasks.social.terms.base import Deal, Terms, word
from equipoise.types import Seat

__all__ = ["Items"]

REST, UNCLEAR = -1, -2
"""In place of an item: whatever no other words name. In place of a seat: it cannot be told whose."""

_ME, _YOU, _WHO = " @me ", " @you ", " @who "
_SUBJECT = (
    r"(?:(?:'ll|'d| will| would| can| could| may| might| should| shall| get to| want to|"
    r" (?:would )?like to|'d like to)?(?: also| then| just| happily| gladly)?)"
)
_VERB = (
    "(?:have|has|had|take|takes|took|keep|keeps|kept|get|gets|got|receive|want|need|claim|end up with|"
    "be left with|walk away with)"
)
_DIRECTIONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"\b(?:i|we)"
            + _SUBJECT
            + r" (?:give|leave|let|hand|offer|grant|pass)s? you(?: have| keep| take| get)?\b"
        ),
        _YOU,
    ),
    (
        re.compile(
            r"\b(?:you"
            + _SUBJECT
            + r" )?(?:give|leave|let|hand|offer|grant|pass) me(?: have| keep| take| get)?\b"
        ),
        _ME,
    ),
    (re.compile(r"\b(?:let|leave|give) you(?: have| keep| take| get)?\b"), _YOU),
    (re.compile(r"\byou" + _SUBJECT + r" " + _VERB + r"\b"), _YOU),
    (re.compile(r"\b(?:i|me)" + _SUBJECT + r" " + _VERB + r"\b"), _ME),
    (re.compile(r"(?:^|(?<=and )|(?<=, )|(?<=then ))(?:keep|take|have|get)\b"), _WHO),
    (re.compile(r"\bmy share(?: is| would be)?\b|\bfor me,?(?= the|:)"), _ME),
    (re.compile(r"\byour share(?: is| would be)?\b|\bfor you,?(?= the|:)"), _YOU),
)
_AFTER = re.compile(
    r"(?:\b(?:goes?|would go|can go|should go|going) (?:to|with)|\b(?:is|are|will be|would be|stays?)|'s|"
    r"\bto|\bfor|\bwith)"
    r" (?P<who>you|me|yours|mine)\b|\b(?P<alone>yours|mine)\b"
)
_REST = re.compile(
    r"\b(?:the rest|everything else|all else|the (?:other|remaining|last)(?: \w+)?|(?:all )?the others|"
    r"what(?:'s| is) left|"
    r"whatever(?:'s| is) left|the remainder)\b"
)
_ALL = re.compile(
    r"\b(?:everything|all of (?:it|them)|all (?:two|three|four|five|six)|the (?:whole )?lot|it all|"
    r"them all)\b"
)
_CARES = re.compile(r"\b(?:care (?:most )?about|matters? (?:the )?most|most important (?:to|for) me)\b")
_BREAK = re.compile(r"\bwhile\b|\bwhereas\b|\bin return\b")


class Items(Terms):
    """A split of the scenario's items."""

    def __init__(self, scenario: Scenario) -> None:
        """Prepare what reads the names of items."""
        super().__init__(scenario)
        names = [(name, k) for k, thing in enumerate(scenario.things) for name in thing.split("|")]
        names.sort(key=lambda pair: (-len(pair[0]), pair[0]))
        self._items = [k for _, k in names]
        self._names = re.compile("|".join(f"(?P<n{k}>{word(name)})" for k, (name, _) in enumerate(names)))

    @cached_property
    def _all(self) -> tuple[Deal, ...]:
        return tuple(product((0, 1), repeat=len(self.scenario.things)))

    def deals(self) -> Sequence[Deal]:
        """Return all splits."""
        return self._all

    def points(self, seat: Seat, deal: Deal) -> float:
        """Return the value of the seat's items over its limit."""
        assert isinstance(deal, tuple)
        person = self.scenario.people[seat]
        return sum(v for v, owner in zip(person.values, deal, strict=True) if owner == seat) - person.limit

    @cached_property
    def _targets(self) -> tuple[float, float]:
        return self._hoped(0), self._hoped(1)

    def _hoped(self, seat: Seat) -> float:
        person = self.scenario.people[seat]
        if person.target is not None:
            return person.target - person.limit
        return max(self.points(seat, deal) for deal in self._all if self.points(1 - seat, deal) > 0.0)

    def target(self, seat: Seat) -> float:
        """Return the target, or the most that leaves the other side better off than no deal."""
        return self._targets[seat]

    def say(self, deal: Deal, seat: Seat) -> str:
        """Return the split as "I get the tent and the stove; you get the canoe"."""
        assert isinstance(deal, tuple)
        sides = [
            [n for n, owner in zip(self.scenario.labels, deal, strict=True) if owner == s] for s in (0, 1)
        ]
        own, other = sides[seat], sides[1 - seat]
        if not own or not other:
            return f"{'you' if not own else 'I'} get everything"
        return f"I get {_listed(own)}; you get {_listed(other)}"

    def offers(self, said: Sequence[Sentence], seat: Seat) -> set[Deal]:
        """Return the splits of single sentences, or else the one that all sentences together make."""
        good = [s for s in said if not s.conditional and not any(c.negated or c.reported for c in s.clauses)]
        parts = [self._assigned(sentence.text, seat) for sentence in good]
        whole = {split for part in parts if (split := self._complete(part)) is not None}
        if whole or any(part is None for part in parts):
            return whole
        split = self._complete([pair for part in parts if part is not None for pair in part])
        return set() if split is None else {split}

    def agrees(self, sentence: Sentence, seat: Seat, deal: Deal) -> bool:
        """Tell whether every item that the sentence gives to somebody goes there in the deal."""
        assert isinstance(deal, tuple)
        assigned = self._assigned(sentence.text, seat)
        if assigned is None:
            return False
        return all(deal[item] == owner for item, owner in assigned if item != REST)

    def mentions(self, text: str, seat: Seat) -> bool:
        """Tell whether the text names an item, or all of them."""
        return bool(self._names.search(text) or _ALL.search(text) or _REST.search(text))

    def cared(self, text: str) -> list[int]:
        """Return the items that a text says matter most to its speaker."""
        found = []
        for sentence in sentences(text):
            if not sentence.question and _CARES.search(sentence.text):
                found += [self._items[int(str(m.lastgroup)[1:])] for m in self._names.finditer(sentence.text)]
        return found

    def _complete(self, assigned: Sequence[tuple[int, Seat]] | None) -> Deal | None:
        """Return the split, if every item goes to one side; "the rest" is what no other words name."""
        pairs = set(assigned or ())
        named = {item for item, _ in pairs if item != REST}
        rests = {owner for item, owner in pairs if item == REST}
        if not named or len(rests) > 1 or len(pairs) != len(named) + len(rests):
            return None
        owners = {item: owner for item, owner in pairs if item != REST}
        owners |= {item: owner for owner in rests for item in range(self._count) if item not in named}
        return tuple(owners[item] for item in range(self._count)) if len(owners) == self._count else None

    def _assigned(self, text: str, seat: Seat) -> list[tuple[int, Seat]] | None:
        """Return which item goes to whom; None where that cannot be told."""
        for pattern, who in _DIRECTIONS:
            text = pattern.sub(who, text)
        parts = [self._part(part, seat) for part in _BREAK.split(text)]
        known = [part for part in parts if part is not None]
        return [pair for part in known for pair in part] if len(known) == len(parts) else None

    def _part(self, text: str, seat: Seat) -> list[tuple[int, Seat]] | None:
        """Read a stretch from left to right: items go to who was named before, or after if nobody was."""
        found: list[tuple[int, Seat]] = []
        waiting: list[int] = []
        owner: Seat | None = None
        for kind, value in self._tokens(text, seat):
            if kind == "owner":
                if waiting or value == UNCLEAR:
                    return None
                owner = value
            elif kind == "after":
                # "The stove goes to you" after "I take the tent": what stands before it may be either's.
                if owner not in (None, value):
                    return None
                found += [(item, value) for item in waiting]
                waiting = []
            elif owner is None:
                waiting += self._meant(kind, value)
            else:
                found += [(item, owner) for item in self._meant(kind, value)]
        return found

    def _meant(self, kind: str, item: int) -> list[int]:
        return list(range(self._count)) if kind == "all" else [REST] if kind == "rest" else [item]

    @property
    def _count(self) -> int:
        return len(self.scenario.things)

    def _tokens(self, text: str, seat: Seat) -> list[tuple[str, int]]:
        """Return what stands in a text, in order: owners, items, what gives items to somebody afterwards."""
        found: list[tuple[int, str, int]] = []
        owners = {"me": seat, "you": 1 - seat, "who": UNCLEAR}
        for match in re.finditer(r"@(me|you|who)\b", text):
            found.append((match.start(), "owner", owners[match[1]]))
        for match in self._names.finditer(text):
            found.append((match.start(), "item", self._items[int(str(match.lastgroup)[1:])]))
        for match in _REST.finditer(text):
            found.append((match.start(), "rest", 0))
        for match in _ALL.finditer(_REST.sub(lambda m: " " * len(m.group()), text)):
            found.append((match.start(), "all", 0))
        for match in _AFTER.finditer(text):
            who = match["who"] or match["alone"]
            found.append((match.start(), "after", seat if who in ("me", "mine") else 1 - seat))
        return [(kind, value) for _, kind, value in sorted(found)]


def _listed(names: Sequence[str]) -> str:
    the = [f"the {name}" for name in names]
    return the[0] if len(the) == 1 else f"{', '.join(the[:-1])} and {the[-1]}"
