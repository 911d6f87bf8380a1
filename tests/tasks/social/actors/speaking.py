"""A seat's situation after lines of talk, for the tests of the actors' parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from equipoise.tasks.social.actors.situation import Situation, situation
from equipoise.tasks.social.scenarios import Scenario
from tests.helpers import Constant
from tests.tasks.social.build import played


def after(one: Scenario, lines: Sequence[str], advice: tuple[str, ...] = (), draw: float = 0.0) -> Situation:
    """Return the situation of whoever is to speak."""
    episode = played(one, lines)
    (seat,) = episode.players_to_move
    decision = episode.decision(seat, "one", Constant(draw), 0)
    return situation(replace(decision, advice=advice))
