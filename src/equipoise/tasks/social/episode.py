"""A dialogue from the first turn to the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from equipoise.tasks.base import Line, TextEnvironment, View
from equipoise.tasks.social.acts import LIMIT, Kind, Reading, read
from equipoise.tasks.social.brief import private, setting
from equipoise.tasks.social.dimensions import Dialogue, Dimensions, RuleEvaluator
from equipoise.tasks.social.knowledge import tells
from equipoise.tasks.social.ledger import Ledger
from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.scoring import Result, avoidable_loss, points, score
from equipoise.types import Action, RoundOutcome, Seat

if TYPE_CHECKING:
    from equipoise.tasks.social.task import Social

__all__ = ["DIAGNOSTICS", "OPEN", "SocialEpisode"]

DIAGNOSTICS = ("deal", "heard", "leaked", "beyond_limit", "forged", "cut")
"""By seat: whether there is a deal, share of the other's facts heard, share of own secrets told, whether the
deal is worse than none, shares of turns with lines under another's name and of turns that were cut."""

OPEN = 0.5
"""What an offer that stands is worth while it is not accepted: it may be gone tomorrow."""


def _share(part: int, whole: int) -> float:
    """Return a share; 0 of nothing is 0."""
    return part / whole if whole else 0.0


class SocialEpisode(TextEnvironment):
    """Two people talk in turn; agreements and disclosures are read from what they say."""

    def __init__(self, task: Social, scenario: Scenario) -> None:
        """Start before the first turn."""
        super().__init__(task, scenario.id, seats=2, turns=scenario.turns, first=scenario.first)
        self.truth, self._full = scenario, task.options.actions == "full"
        self.ledger = Ledger(scenario)
        self.readings: list[tuple[Seat, str, Reading]] = []
        self._told: list[set[int]] = [set(), set()]
        self._evaluator = task.evaluator

    def view(self, seat: Seat) -> View:
        """Return what a seat knows now."""
        person, names = self.truth.people[seat], self.truth.names
        own = (self.turns + (seat == self.truth.first)) // 2
        return View(
            scenario=self.scenario,
            name=names[seat],
            others=(names[1 - seat],),
            setting=setting(self.truth),
            goal=person.goal,
            private=private(self.truth, seat),
            lines=tuple(Line(names[who], text) for who, text, _ in self.readings),
            options=(),
            turn=self.taken[seat],
            turns=own,
        )

    def act(self, seat: Seat, text: str) -> None:
        """Let a seat speak, stay silent or leave."""
        reading = read(self.truth, seat, text, self._full)
        before = self.readings[-1][1] if self.readings else ""
        heard = "" if reading.kind is Kind.NONE else text[:LIMIT]
        self.readings.append((seat, heard, reading))
        self.ledger.take(seat, reading)
        if reading.kind is Kind.SPEAK:
            facts = self.truth.people[seat].facts
            self._told[seat] |= {k for k, fact in enumerate(facts) if tells(fact, text, before)}
        self.ended = self._ending()

    def apply(self, actions: Mapping[Seat, Action | str]) -> None:
        """Let the seat whose turn it is act: it is the answer that the other side's last turn drew."""
        seat = self.players_to_move[0] if not self.is_over else 0
        super().apply(actions)
        if self._values[1 - seat]:
            self._values[1 - seat][-1] = self.achievable(1 - seat)

    def _ending(self) -> str | None:
        if self.ledger.left is not None:
            return "left"
        if self.ledger.silent >= 2:
            return "silence"
        # Where facts are at stake there is more to say after a deal.
        return "agreed" if self.ledger.deal is not None and self.truth.family != "secrets" else None

    @property
    def result(self) -> Result:
        """What it has come to."""
        return Result(self.ledger.deal, (frozenset(self._told[0]), frozenset(self._told[1])))

    def scores(self) -> Sequence[float]:
        """Return both goal scores: by the truth, or by the task's evaluator where there is none."""
        if self.truth.family == "open":
            return [one.goal or 0.0 for one in self.dimensions()]
        return [score(self.truth, seat, self.result) for seat in (0, 1)]

    def dimensions(self) -> tuple[Dimensions, Dimensions]:
        """Return the seven dimensions of both sides."""
        evaluator = self._evaluator if self.is_over else RuleEvaluator()
        turns = tuple((seat, text) for seat, text, _ in self.readings)
        return evaluator.evaluate([Dialogue(self.truth, turns, self.result)])[0]

    def achievable(self, seat: Seat) -> float:
        """Return the score in hand: what was agreed and told, and half of what is on offer to the seat."""
        has, offer = score(self.truth, seat, self.result), self.ledger.standing[1 - seat]
        if self.ledger.deal is not None or offer is None or self.is_over:
            return has
        return has + OPEN * max(0.0, score(self.truth, seat, Result(offer.deal, self.result.told)) - has)

    def outcome(self) -> RoundOutcome:
        """Return scores, externalities and diagnostics."""
        result, seats = self.result, (0, 1)
        secrets = [{k for k, f in enumerate(p.facts) if f.secret} for p in self.truth.people]
        rows = [
            [float(result.deal is not None)] * 2,
            [_share(len(result.told[1 - s]), len(self.truth.people[1 - s].facts)) for s in seats],
            [_share(len(result.told[s] & secrets[s]), len(secrets[s])) for s in seats],
            [
                float(result.deal is not None and points(self.truth, s, Result(result.deal)) < 0.0)
                for s in seats
            ],
            [_share(sum(r.forged for who, _, r in self.readings if who == s), self.taken[s]) for s in seats],
            [_share(sum(r.cut for who, _, r in self.readings if who == s), self.taken[s]) for s in seats],
        ]
        first, second = self.scores()
        losses = None
        if self.truth.family != "open":
            losses = (avoidable_loss(self.truth, 0, result), avoidable_loss(self.truth, 1, result))
        return RoundOutcome(
            (float(first), float(second)), None, losses, tuple((row[0], row[1]) for row in rows)
        )

    @property
    def notes(self) -> Mapping[str, object]:
        """Add what was agreed and told, the offers, what was out of order, and the seven dimensions."""
        deal = self.ledger.deal
        return {
            **super().notes,
            "family": self.truth.family,
            "split": self.truth.split,
            "deal": list(deal) if isinstance(deal, tuple) else deal,
            "offers": [[seat, list(d) if isinstance(d, tuple) else d] for seat, d in self.ledger.offers],
            "told": [sorted(told) for told in self._told],
            "kinds": [reading.kind.value for _, _, reading in self.readings],
            "forged": [k for k, (_, _, reading) in enumerate(self.readings) if reading.forged],
            "cut": [k for k, (_, _, reading) in enumerate(self.readings) if reading.cut],
            "evaluator": self._evaluator.name,
            "dimensions": [one.to_json() for one in self.dimensions()],
        }
