"""How an actor looks for what it has not seen."""

from __future__ import annotations

from equipoise.tasks.household.actors.searching import explore, search, wander
from equipoise.tasks.household.actors.style import Style
from tests.tasks.household.build import PLACE, now

CAREFUL = Style(dither=0.0, opens=1.0, remembers=True, processes=1.0)
HASTY = Style(dither=0.0, opens=0.0, remembers=True, processes=1.0)
ASTRAY = Style(dither=0.0, opens=0.6, remembers=False, processes=1.0)
KITCHEN = ["go to counter 1", "go to stove 1", "go to sink 1"]


def test_a_careful_one_opens_and_goes_on_to_the_next_room() -> None:
    assert explore(now(PLACE), CAREFUL) == "go to counter 1"
    assert explore(now(PLACE, KITCHEN), CAREFUL) == "go to cabinet 1"
    assert explore(now(PLACE, [*KITCHEN, "go to cabinet 1"]), CAREFUL) == "open cabinet 1"
    every = [*KITCHEN, "go to cabinet 1", "open cabinet 1", "go to fridge 1", "open fridge 1"]
    assert explore(now(PLACE, every), CAREFUL) == "go to hall"


def test_a_hasty_one_passes_by_what_is_closed() -> None:
    assert explore(now(PLACE, KITCHEN), HASTY) == "go to hall"
    assert explore(now(PLACE, ["go to cabinet 1"]), HASTY) == "go to counter 1"


def test_whoever_needs_a_place_looks_for_rooms_only() -> None:
    assert explore(now(PLACE), CAREFUL, rooms=True) == "go to hall"
    assert explore(now(PLACE, ["go to hall"]), CAREFUL, rooms=True) == "go to kitchen"


def test_when_everything_is_searched_one_looks() -> None:
    commands = [*KITCHEN, "go to hall", "go to bench 1", "go to kitchen", "go to study", "go to desk 1"]
    assert explore(now(PLACE, [*commands, "go to shelf 1"]), HASTY) == "look"
    assert search(now(PLACE, KITCHEN), HASTY, now(PLACE).known) is None


def test_whoever_does_not_remember_goes_anywhere() -> None:
    assert explore(now(PLACE, KITCHEN, draw=0.5), ASTRAY) in {"go to stove 1", "go to cabinet 1"}
    assert explore(now(PLACE, ["go to cabinet 1"], draw=0.5), ASTRAY) == "open cabinet 1"
    assert explore(now(PLACE, draw=0.1), ASTRAY) == "go to hall"


def test_one_wanders_by_what_comes_to_mind() -> None:
    assert wander(now(PLACE, draw=0.0)) == "look"
    assert wander(now(PLACE, draw=0.99)) == "go to sink 1"
