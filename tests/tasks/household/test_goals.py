"""When wishes are fulfilled, and how far one has come."""

from __future__ import annotations

import pytest

from equipoise.tasks.household.goals import fulfilled, share
from equipoise.tasks.household.worlds import World
from tests.tasks.household.build import CLEAN, COOL, EXAMINE, HEAT, PLACE, TWO, played, state

MUG = ["go to counter 1", "take mug 1 from counter 1"]

WAYS: list[tuple[World, list[tuple[str, float]]]] = [
    (
        PLACE,
        [
            ("go to study", 0), ("go to desk 1", 1 / 3), ("take book 1 from desk 1", 2 / 3),
            ("go to kitchen", 2 / 3), ("go to hall", 2 / 3), ("go to bench 1", 2 / 3),
            ("move book 1 to bench 1", 1),
        ],
    ),
    (
        HEAT,
        [
            ("go to counter 1", 1 / 4), ("take mug 1 from counter 1", 2 / 4), ("go to stove 1", 2 / 4),
            ("heat mug 1 with stove 1", 3 / 4), ("go to study", 3 / 4), ("go to desk 1", 3 / 4),
            ("move mug 1 to desk 1", 1),
        ],
    ),
    (
        COOL,
        [
            ("go to counter 1", 1 / 4), ("take plate 1 from counter 1", 2 / 4), ("go to fridge 1", 2 / 4),
            ("cool plate 1 with fridge 1", 3 / 4), ("go to hall", 3 / 4), ("go to box 1", 3 / 4),
            ("open box 1", 3 / 4), ("move plate 1 to box 1", 1),
        ],
    ),
    (
        EXAMINE,
        [
            ("go to hall", 0), ("go to box 1", 0), ("open box 1", 1 / 4), ("take key 1 from box 1", 2 / 4),
            ("go to kitchen", 2 / 4), ("go to study", 2 / 4), ("go to desk 1", 3 / 4),
            ("use desk lamp 1", 1),
        ],
    ),
    (
        TWO,
        [
            ("go to counter 1", 1 / 6), ("take mug 1 from counter 1", 2 / 6), ("go to study", 2 / 6),
            ("go to shelf 1", 2 / 6), ("move mug 1 to shelf 1", 3 / 6), ("go to kitchen", 3 / 6),
            ("go to cabinet 1", 3 / 6), ("open cabinet 1", 4 / 6), ("take mug 2 from cabinet 1", 5 / 6),
            ("go to study", 5 / 6), ("go to shelf 1", 5 / 6), ("move mug 2 to shelf 1", 1),
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("one", "way"), WAYS, ids=lambda x: x.family if isinstance(x, World) else "")
def test_the_way_goes_up_by_sub_goals(one: World, way: list[tuple[str, float]]) -> None:
    commands = [text for text, _ in way]
    for count, (_, expected) in enumerate(way, start=1):
        found = state(commands[:count], one)
        assert share(one, found) == pytest.approx(expected)
        assert fulfilled(one, found) == (expected == 1)
    assert played(one, commands).ended == "done"


def test_a_thing_must_be_as_it_has_to_be_where_it_has_to_be() -> None:
    dirty = state([*MUG, "go to study", "go to shelf 1", "move mug 1 to shelf 1"], CLEAN)
    assert not fulfilled(CLEAN, dirty)
    assert share(CLEAN, dirty) == pytest.approx(1 / 4)
    elsewhere = state([*MUG, "go to sink 1", "clean mug 1 with sink 1", "move mug 1 to sink 1"], CLEAN)
    assert not fulfilled(CLEAN, elsewhere)
    assert share(CLEAN, elsewhere) == pytest.approx(3 / 4)
    cold = [*MUG, "go to stove 1", "heat mug 1 with stove 1", "go to fridge 1", "cool mug 1 with fridge 1"]
    assert not fulfilled(HEAT, state([*cold, "go to study", "go to desk 1", "move mug 1 to desk 1"], HEAT))


def test_a_light_that_is_off_or_elsewhere_is_none() -> None:
    on = ["go to study", "go to desk 1", "use desk lamp 1", "go to kitchen", "go to hall", "go to box 1"]
    taken = [*on, "open box 1", "take key 1 from box 1"]
    assert not fulfilled(EXAMINE, state(taken, EXAMINE))
    back = [*taken, "go to kitchen", "go to study"]
    assert not fulfilled(EXAMINE, state(back, EXAMINE))
    assert fulfilled(EXAMINE, state([*back, "go to desk 1"], EXAMINE))
