"""The shortest errand."""

from __future__ import annotations

import pytest

from equipoise.tasks.household.actors.oracle import next_goal, shortest
from equipoise.tasks.household.commands import read
from equipoise.tasks.household.goals import fulfilled
from equipoise.tasks.household.state import State
from equipoise.tasks.household.worlds import World
from tests.tasks.household.build import CLEAN, COOL, EXAMINE, HEAT, PLACE, TWO, state


def steps(one: World) -> list[str]:
    found, done = State(one.layout), list[str]()
    while not fulfilled(one, found):
        done.append(shortest(one, found))
        command = read(done[-1])
        assert command is not None
        found.do(command)
        assert len(done) <= 40
    return done


def shortest_by_search(one: World) -> int:
    """Return the length of the shortest errand by trying everything, breadth first."""

    def key(found: State) -> object:
        traits = tuple(tuple(sorted(t)) for t in found.traits)
        return found.room, found.at, frozenset(found.open), tuple(found.where), traits, frozenset(found.lit)

    layer: list[tuple[str, ...]] = [()]
    seen, length = {key(State(one.layout))}, 0
    useless = ("look", "inventory", "examine", "close")
    while True:
        length += 1
        following: list[tuple[str, ...]] = []
        for done in layer:
            for option in state(done, one).options():
                if option.startswith(useless):
                    continue
                found = State(one.layout)
                for text in (*done, option):
                    command = read(text)
                    assert command is not None
                    found.do(command)
                if fulfilled(one, found):
                    return length
                if key(found) not in seen:
                    seen.add(key(found))
                    following.append((*done, option))
        layer = following


@pytest.mark.parametrize(
    ("one", "count"), [(PLACE, 7), (HEAT, 7), (CLEAN, 7), (COOL, 8), (EXAMINE, 8), (TWO, 12)]
)
def test_errands_have_the_length_counted_by_hand(one: World, count: int) -> None:
    assert len(steps(one)) == count


@pytest.mark.parametrize("one", [PLACE, HEAT], ids=["place", "heat"])
def test_no_errand_is_shorter(one: World) -> None:
    assert shortest_by_search(one) == len(steps(one))


def test_it_takes_over_anywhere() -> None:
    wrong = state(["go to counter 1", "take plate 1 from counter 1"], HEAT)
    assert shortest(HEAT, wrong) == "move plate 1 to counter 1"
    done = state(["go to study", "go to desk 1", "take book 1 from desk 1"], PLACE)
    stop = next_goal(PLACE, done)
    assert stop is not None
    assert (stop[0], PLACE.layout.places[stop[2]].name) == ("put", "bench 1")
