"""How an actor does what its coach asks for."""

from __future__ import annotations

import pytest

from equipoise.tasks.household.actors.following import follow
from equipoise.tasks.household.actors.style import Style
from equipoise.tasks.household.worlds import World
from tests.tasks.household.build import CLEAN, EXAMINE, HEAT, PLACE, now

STYLE = Style(dither=0.0, opens=0.0, remembers=False, processes=0.0)
MUG = ["go to counter 1", "take mug 1 from counter 1"]


@pytest.mark.parametrize(
    ("one", "commands", "advice", "step"),
    [
        (HEAT, [], "Look in the cabinet.", "go to cabinet 1"),
        (HEAT, ["go to cabinet 1"], "Look in the cabinet.", "open cabinet 1"),
        (HEAT, ["go to cabinet 1", "open cabinet 1"], "Look in the cabinet.", None),
        (HEAT, [], "Search the study.", "go to study"),
        (HEAT, ["go to hall"], "Search the study.", "go to kitchen"),
        (HEAT, ["go to study"], "Search the study.", "go to desk 1"),
        (HEAT, ["go to study"], "Try the shelf in the study.", "go to shelf 1"),
        (HEAT, [], "Take the mug.", None),
        (HEAT, MUG[:1], "Take the mug.", "take mug 1 from counter 1"),
        (HEAT, MUG[:1], "Take the plate.", "take plate 1 from counter 1"),
        (HEAT, MUG, "Take the plate.", None),
        (HEAT, MUG, "Heat it.", "go to stove 1"),
        (HEAT, [*MUG, "go to stove 1"], "Heat it with the stove.", "heat mug 1 with stove 1"),
        (HEAT, [*MUG, "go to stove 1", "heat mug 1 with stove 1"], "Heat it.", None),
        (HEAT, MUG, "Cool it.", "go to fridge 1"),
        (HEAT, [], "Heat it.", None),
        (HEAT, MUG, "Put it on the sink.", "go to sink 1"),
        (HEAT, MUG, "Put it on the desk in the study.", "go to study"),
        (HEAT, [*MUG, "go to study"], "Put it where it belongs.", "go to desk 1"),
        (HEAT, MUG, "Put it where it belongs.", None),
        (HEAT, MUG, "Heat it, then put it on the sink.", "go to stove 1"),
        (CLEAN, MUG, "Wash it at the sink.", "go to sink 1"),
        (HEAT, ["go to fridge 1"], "Open it.", "open fridge 1"),
        (HEAT, [], "Open the fridge.", "go to fridge 1"),
        (HEAT, [], "Open everything.", None),
        (HEAT, [], "Look around.", "look"),
        (EXAMINE, ["go to study", "go to desk 1"], "Switch on the lamp.", None),
        (HEAT, ["go to study", "go to desk 1"], "Switch on the lamp.", "use desk lamp 1"),
        (PLACE, [], "Well done.", None),
        (PLACE, [], "Don't look around.", None),
        (PLACE, [], "Search the cellar.", None),
    ],
)
def test_advice_becomes_steps(one: World, commands: list[str], advice: str, step: str | None) -> None:
    assert follow(now(one, commands, (advice,)), STYLE) == step


def test_the_newest_advice_counts_for_acts() -> None:
    assert follow(now(HEAT, (), ("Look in the fridge.", "Look in the cabinet.")), STYLE) == "go to cabinet 1"
    assert follow(now(HEAT, (), ("Look in the fridge.", "Hm.")), STYLE) is None


def test_a_light_is_turned_on_once_the_thing_is_in_hand() -> None:
    key = ["go to hall", "go to box 1", "open box 1", "take key 1 from box 1", "go to kitchen", "go to study"]
    found = now(EXAMINE, [*key, "go to desk 1"], ("Switch on the lamp.",))
    assert follow(found, STYLE) == "use desk lamp 1"
