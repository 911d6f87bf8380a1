"""What kinds of things can do."""

from __future__ import annotations

import pytest

from equipoise.tasks.household.kinds import APPLIANCES, FAMILIES, PROCESSES, TRAITS, is_light, serves


@pytest.mark.parametrize(
    ("kind", "verb", "does"),
    [
        ("sink", "clean", True),
        ("enamel sink", "clean", True),
        ("sink cabinet", "clean", False),
        ("camping stove", "heat", True),
        ("stovepipe", "heat", False),
        ("wine cooler", "cool", True),
        ("cooler", "cool", False),
        ("fridge", "heat", False),
    ],
)
def test_the_end_of_a_name_tells_what_a_place_does(kind: str, verb: str, does: bool) -> None:
    assert serves(kind, verb) is does


@pytest.mark.parametrize(
    ("kind", "light"),
    [("desk lamp", True), ("torch", True), ("storm lantern", True), ("clamp", False), ("lampshade", False)],
)
def test_lights_are_known_by_their_last_word(kind: str, light: bool) -> None:
    assert is_light(kind) is light


def test_every_process_has_appliances_and_a_family() -> None:
    assert set(APPLIANCES) == set(TRAITS) == set(PROCESSES) < set(FAMILIES)
