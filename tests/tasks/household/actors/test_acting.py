"""Steps of an honest actor."""

from __future__ import annotations

import pytest

from equipoise.tasks.household.actors.acting import act
from equipoise.tasks.household.actors.style import Style
from equipoise.tasks.household.worlds import World
from tests.tasks.household.build import CLEAN, EXAMINE, HEAT, PLACE, TWO, now

SURE = Style(dither=0.0, opens=1.0, remembers=True, processes=1.0)
BLUNT = Style(dither=0.0, opens=1.0, remembers=True, processes=0.0)
MUG = ["go to counter 1", "take mug 1 from counter 1"]
KEY = ["go to hall", "go to box 1", "open box 1", "take key 1 from box 1"]


@pytest.mark.parametrize(
    ("one", "commands", "step"),
    [
        (HEAT, [], "go to counter 1"),
        (HEAT, MUG[:1], "take mug 1 from counter 1"),
        (HEAT, MUG, "go to stove 1"),
        (HEAT, [*MUG, "go to stove 1"], "heat mug 1 with stove 1"),
        (HEAT, [*MUG, "go to stove 1", "heat mug 1 with stove 1"], "go to hall"),
        (HEAT, [*MUG, "go to stove 1", "heat mug 1 with stove 1", "go to study"], "go to desk 1"),
        (CLEAN, [*MUG, "go to sink 1"], "clean mug 1 with sink 1"),
        (PLACE, ["go to counter 1", "take plate 1 from counter 1"], "move plate 1 to counter 1"),
        (EXAMINE, KEY, "go to bench 1"),
        (EXAMINE, [*KEY, "go to kitchen", "go to study", "go to desk 1"], "use desk lamp 1"),
        (TWO, [*MUG, "go to study", "go to shelf 1"], "move mug 1 to shelf 1"),
        (TWO, [*MUG, "go to study", "go to shelf 1", "move mug 1 to shelf 1"], "go to desk 1"),
    ],
)
def test_it_does_what_the_errand_needs_next(one: World, commands: list[str], step: str) -> None:
    assert act(now(one, commands), SURE) == step


def test_a_blunt_one_forgets_to_heat() -> None:
    assert act(now(HEAT, [*MUG, "go to study"]), BLUNT) == "go to desk 1"


def test_it_dithers_now_and_then_but_not_on_advice() -> None:
    wavering = Style(dither=0.6, opens=1.0, remembers=True, processes=1.0)
    assert act(now(HEAT, MUG, draw=0.1), wavering) == "look"
    assert act(now(HEAT, MUG, ("Heat it.",)), wavering) == "go to stove 1"
    assert act(now(HEAT, MUG, ("Well done.",)), wavering) == act(now(HEAT, MUG), wavering)
