"""What a strategist keeps of a dialogue (task ``social``): how far it is, and what lies on the table.

It reads the lines, which both sides have seen, by the task's own grammar, and values offers by the seat's own
figures, which the seat was told. Nothing of the other side's figures goes in.
"""

from __future__ import annotations

from equipoise.tasks.base import View
from equipoise.tasks.social.ledger import Ledger, replay
from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.scoring import BEST, Result, score
from equipoise.tasks.social.task import Social
from equipoise.types import Decision, Seat

__all__ = ["offers_key"]

LAST = 2
"""The seat's last turns are told from those before."""
GOOD = 0.5
"""Share of its goal from which a seat calls an offer good."""


def offers_key(decision: Decision) -> str:
    """Return the phase (first, middle, late turns), the worth of the other's offer, and whether it made one.

    The worth is ``no`` offer, a ``poor`` or a ``good`` one (from half of the seat's goal on), or ``agreed``.
    """
    view, task = decision.observation, decision.rules
    assert isinstance(view, View)
    assert isinstance(task, Social)
    scenario, seat = task.by_id[view.scenario], decision.seat
    names = scenario.names
    spoken = [(names.index(line.speaker), line.text) for line in view.lines if line.speaker in names]
    ledger = replay(scenario, spoken, task.options.actions == "full")
    own = "own offer" if ledger.standing[seat] is not None else "no own offer"
    return f"{_phase(view)}, {_table(scenario, seat, ledger)}, {own}"


def _phase(view: View) -> str:
    if view.turn == 0:
        return "first"
    return "late" if view.turns - view.turn <= LAST else "middle"


def _table(scenario: Scenario, seat: Seat, ledger: Ledger) -> str:
    if ledger.deal is not None:
        return "agreed"
    offer = ledger.standing[1 - seat]
    if offer is None:
        return "no offer"
    return "good offer" if score(scenario, seat, Result(offer.deal)) >= GOOD * BEST else "poor offer"
