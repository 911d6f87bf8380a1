"""What a scripted actor makes of a decision: its own side, and the talk so far as the rules read it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from equipoise.tasks.base import View
from equipoise.tasks.social.advice import Advice, understand
from equipoise.tasks.social.knowledge import tells
from equipoise.tasks.social.ledger import Ledger, replay
from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.scoring import BEST
from equipoise.tasks.social.speech import normal, sentences
from equipoise.tasks.social.terms import Deal, Terms, terms_of
from equipoise.types import Decision, Draws, Seat

if TYPE_CHECKING:
    from equipoise.tasks.social.task import Social

__all__ = ["Situation", "situation"]


@dataclass(frozen=True, slots=True)
class Situation:
    """A seat's situation.

    Attributes:
        scenario: The scenario; an honest actor looks at its own side only.
        seat: The seat.
        terms: What can be agreed on.
        ledger: Offers and agreement so far.
        turns: The talk so far, as (seat, text).
        turn: Which of its own turns this is.
        last: Its last own turn.
        closing: Whether nobody speaks after this turn.
        told: Own facts told.
        heard: The other side's facts heard.
        advice: What the coach asks for.
        draws: The decision's randomness.
    """

    scenario: Scenario
    seat: Seat
    terms: Terms
    ledger: Ledger
    turns: tuple[tuple[Seat, str], ...]
    turn: int
    last: int
    closing: bool
    told: frozenset[int]
    heard: frozenset[int]
    advice: Advice
    draws: Draws

    @property
    def progress(self) -> float:
        """How much of its own turns is over: 0 at the first, 1 at the last."""
        return self.turn / self.last if self.last else 1.0

    @property
    def other(self) -> str:
        """The other side's name."""
        return self.scenario.people[1 - self.seat].name

    @property
    def answered(self) -> str:
        """What the other side said last; empty at the beginning."""
        return self.turns[-1][1] if self.turns else ""

    @property
    def bargains(self) -> bool:
        """Whether there is something left to agree on."""
        return self.ledger.deal is None and bool(self.terms.deals())

    @property
    def offered(self) -> Deal | None:
        """The other side's standing offer."""
        standing = self.ledger.standing[1 - self.seat]
        return None if standing is None else standing.deal

    @property
    def own(self) -> Deal | None:
        """The seat's own standing offer."""
        standing = self.ledger.standing[self.seat]
        return None if standing is None else standing.deal

    def worth(self, deal: Deal) -> float:
        """Return what a deal brings of the seat's target, 0 to 10; below 0 where it is worse than none."""
        return _worth(self.scenario, self.seat, deal)

    def asked(self) -> frozenset[int]:
        """Return which own facts the other side's last turn asks about, by the words of their topics."""
        questions = " ".join(s.text for s in sentences(self.answered) if s.question or "tell me" in s.text)
        words = set(re.findall(r"\w+", questions))
        facts = self.scenario.people[self.seat].facts
        return frozenset(k for k, fact in enumerate(facts) if words and _content(fact.topic) <= words)


def situation(decision: Decision) -> Situation:
    """Return the situation of a decision of the task ``social``."""
    view, rules = decision.observation, decision.rules
    assert isinstance(view, View)
    scenario = _scenario(rules, view.scenario)
    seat, full = decision.seat, rules.options.actions == "full"
    turns = tuple((scenario.names.index(line.speaker), line.text) for line in view.lines)
    told: tuple[set[int], set[int]] = (set(), set())
    for number, (who, text) in enumerate(turns):
        before = turns[number - 1][1] if number else ""
        facts = scenario.people[who].facts
        told[who].update(k for k, fact in enumerate(facts) if tells(fact, text, before))
    return Situation(
        scenario=scenario,
        seat=seat,
        terms=terms_of(scenario),
        ledger=replay(scenario, turns, full),
        turns=turns,
        turn=view.turn,
        last=view.turns - 1,
        closing=len(turns) + 1 >= scenario.turns,
        told=frozenset(told[seat]),
        heard=frozenset(told[1 - seat]),
        advice=understand(decision.advice, scenario, seat),
        draws=decision.draws,
    )


@lru_cache(maxsize=65_536)
def _worth(scenario: Scenario, seat: Seat, deal: Deal) -> float:
    terms = terms_of(scenario)
    return min(BEST, BEST * terms.points(seat, deal) / terms.target(seat))


def _scenario(rules: object, name: str) -> Scenario:
    task: Social = rules  # type: ignore[assignment]
    return task.by_id[name]


def _content(topic: str) -> set[str]:
    """Return the words of a topic that say something; "your" is "my" in the other's mouth."""
    return {word for word in re.findall(r"\w+", normal(topic).casefold()) if len(word) > 3 and word != "your"}
