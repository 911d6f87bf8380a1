"""What an actor makes of a decision."""

from __future__ import annotations

from tests.tasks.household.build import HEAT, PLACE, now


def names(found: tuple[int, ...]) -> set[str]:
    return {PLACE.layout.places[k].name for k in found}


def test_its_own_commands_are_carried_out_again() -> None:
    found = now(HEAT, ["go to counter 1", "nonsense", "take mug 1 from counter 1", "go to stove 1"])
    assert found.state.held == 0
    assert found.state.at == found.home.place_names["stove 1"]
    assert [found.home.places[k].name for k in found.been] == ["counter 1", "stove 1"]


def test_places_are_known_in_the_rooms_one_has_been_in() -> None:
    assert names(now(PLACE).targets()) == set()
    assert names(now(PLACE, ["go to hall"]).targets()) == {"bench 1"}
    assert names(now(HEAT).appliances("heat")) == {"stove 1"}
    assert "desk 1" not in names(now(HEAT, ["go to hall"]).known)


def test_ways_lead_by_doors_one_has_seen() -> None:
    chain = PLACE.model_copy(update={"doors": (("kitchen", "hall"), ("hall", "study"))})
    assert now(chain).way(1) == (1,)
    assert now(chain).way(2) == ()
    assert now(chain, ["go to hall", "go to kitchen"]).way(2) == (1, 2)


def test_the_nearest_place_is_where_one_stands() -> None:
    found = now(HEAT, ["go to sink 1"])
    counter, sink = found.home.place_names["counter 1"], found.home.place_names["sink 1"]
    assert found.nearest((counter, sink)) == sink
    assert found.nearest(()) is None
