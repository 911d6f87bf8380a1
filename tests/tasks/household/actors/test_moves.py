"""Small steps."""

from __future__ import annotations

from equipoise.tasks.household.actors import moves
from tests.tasks.household.build import EXAMINE, HEAT, now

MUG = ["go to counter 1", "take mug 1 from counter 1"]


def test_one_walks_opens_and_takes() -> None:
    start = now(HEAT)
    second = start.home.thing_names["mug 2"]
    assert moves.fetch(start, second) == "go to cabinet 1"
    assert moves.fetch(now(HEAT, ["go to cabinet 1"]), second) == "open cabinet 1"
    opened = ["go to cabinet 1", "open cabinet 1"]
    assert moves.fetch(now(HEAT, opened), second) == "take mug 2 from cabinet 1"
    assert moves.fetch(now(HEAT, [*opened, "take mug 2 from cabinet 1"]), second) is None


def test_one_goes_to_other_rooms_by_doors() -> None:
    found = now(HEAT, ["go to hall"])
    desk = found.home.place_names["desk 1"]
    assert moves.walk(found, desk) == "go to kitchen"
    assert moves.walk(now(HEAT, ["go to study"]), desk) == "go to desk 1"
    assert moves.walk(now(HEAT, ["go to study", "go to desk 1"]), desk) is None
    assert moves.enter(found, 1) is None


def test_one_processes_and_puts_what_is_in_hand() -> None:
    stove = now(HEAT).home.place_names["stove 1"]
    assert moves.process(now(HEAT), "heat", stove) is None
    assert moves.process(now(HEAT, MUG), "heat", stove) == "go to stove 1"
    there = [*MUG, "go to stove 1"]
    assert moves.process(now(HEAT, there), "heat", stove) == "heat mug 1 with stove 1"
    assert moves.put(now(HEAT, there), stove) == "move mug 1 to stove 1"
    assert moves.put(now(HEAT), stove) is None


def test_one_gets_rid_of_what_is_in_hand_where_that_can_be_done() -> None:
    assert moves.drop(now(HEAT, MUG)) == "move mug 1 to counter 1"
    assert moves.drop(now(HEAT, [*MUG, "go to fridge 1"])) == "go to counter 1"


def test_one_turns_a_light_on_but_not_off() -> None:
    found = now(EXAMINE, ["go to study", "go to desk 1"])
    lamp = found.home.thing_names["desk lamp 1"]
    assert moves.toggle(found, lamp) == "use desk lamp 1"
    assert moves.toggle(now(EXAMINE, ["go to study", "go to desk 1", "use desk lamp 1"]), lamp) is None
