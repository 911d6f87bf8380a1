"""Homes read from lines of text."""

from __future__ import annotations

import pytest

from equipoise.tasks.household.home import hops, read_home
from tests.tasks.household.build import HOME


def test_places_and_things_are_numbered_by_kind() -> None:
    home = read_home(HOME, ())
    assert home.rooms == ("kitchen", "hall", "study")
    assert [home.places[k].name for k in home.in_room(0)] == [
        "counter 1", "cabinet 1", "stove 1", "fridge 1", "sink 1",
    ]  # fmt: skip
    mugs = [thing for thing in home.things if thing.kind == "mug"]
    assert [(mug.name, home.places[mug.place].name) for mug in mugs] == [
        ("mug 1", "counter 1"),
        ("mug 2", "cabinet 1"),
    ]
    assert [place.name for place in home.places if place.closes] == ["cabinet 1", "fridge 1", "box 1"]
    assert [thing.name for thing in home.things if thing.light] == ["desk lamp 1"]


def test_rooms_open_on_the_first_unless_doors_are_named() -> None:
    assert read_home(HOME, ()).doors == ((1, 2), (0,), (0,))
    chain = read_home(HOME, (("kitchen", "hall"), ("hall", "study")))
    assert chain.doors == ((1,), (0, 2), (1,))


def test_ways_lead_through_doors() -> None:
    doors = ((1,), (0, 2), (1, 3), (2,), ())
    assert hops(doors, 0, 3) == (1, 2, 3)
    assert hops(doors, 3, 1) == (2, 1)
    assert hops(doors, 2, 2) == ()
    assert hops(doors, 0, 4) == ()


@pytest.mark.parametrize(
    ("lines", "doors", "message"),
    [
        (("kitchen counter = mug",), (), "does not begin with the name of a new room"),
        (("hall: shelf", "hall: bench"), (), "does not begin with the name of a new room"),
        (("hall: Shelf",), (), "'Shelf' is no name"),
        (("hall: shelf = mug 2",), (), "'mug 2' is no name"),
        (("hall: ",), (), "'' is no name"),
        (("hall: box = box",), (), "'box' is used for two sorts of thing"),
        (("hall: bench = hall",), (), "'hall' is used for two sorts of thing"),
        (("hall: bench", "attic: trunk"), (("hall", "cellar"),), "leads to 'cellar', which is no room"),
        (("a: b", "c: d", "e: f"), (("a", "c"),), "'e' cannot be reached from 'a'"),
    ],
)
def test_a_broken_home_is_refused(
    lines: tuple[str, ...], doors: tuple[tuple[str, str], ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read_home(lines, doors)
