"""What one is told."""

from __future__ import annotations

from equipoise.tasks.household.words import listed, room, summary
from tests.tasks.household.build import state


def test_names_are_listed() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed("abc") == "a, b and c"


def test_the_summary_says_room_place_and_hand() -> None:
    assert summary(state(["go to hall"])) == (
        "Room: hall; in it: bench 1 and box 1; next to it: kitchen.",
        "You carry nothing.",
    )
    assert summary(state(["go to hall", "go to bench 1", "take hat 1 from bench 1"])) == (
        "Room: hall; in it: bench 1 and box 1; next to it: kitchen.",
        "At: bench 1. There you see: nothing.",
        "You carry: hat 1.",
    )


def test_a_look_at_a_place_tells_its_content() -> None:
    assert room(state(["go to hall", "go to box 1"])).endswith("You are at the box 1. It is closed.")
