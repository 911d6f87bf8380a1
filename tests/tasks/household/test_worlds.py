"""The worlds that come with the package, and what a world must be."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.tasks.household.actors.oracle import shortest
from equipoise.tasks.household.commands import read
from equipoise.tasks.household.goals import fulfilled, share
from equipoise.tasks.household.kinds import FAMILIES
from equipoise.tasks.household.state import NOTHING, State
from equipoise.tasks.household.worlds import TURNS, World, choose, read_worlds, worlds
from tests.tasks.household.build import HOME, PLACE, world

ALL = worlds()
SPLITS = ("train", "held_out", "hard")


def errand(one: World) -> int:
    """Return how many steps the shortest errand takes."""
    found = State(one.layout)
    for step in range(1, TURNS + 1):
        command = read(shortest(one, found))
        assert command is not None
        assert found.do(command) != NOTHING
        if fulfilled(one, found):
            return step
    raise AssertionError(f"{one.id} cannot be done")


def words(one: World) -> frozenset[str]:
    """Return the words of wish and home, without numbers."""
    return frozenset(re.findall(r"[a-z]+", " ".join([one.task.casefold(), *one.home])))


def shape(one: World) -> tuple[Any, ...]:
    """Return the plan of a world without any names: rooms, doors, places, things, where what is wanted is."""
    home = one.layout
    wanted = [thing.place for thing in home.things if thing.kind == one.thing]
    places = tuple(
        (p.room, p.closes, sum(t.place == k for t in home.things), wanted.count(k), p.kind == one.place)
        for k, p in enumerate(home.places)
    )
    return one.family, home.doors, places


def test_there_are_a_hundred_worlds_of_every_family_in_every_split() -> None:
    assert len(ALL) == 100
    assert Counter(one.split for one in ALL) == {"train": 60, "held_out": 20, "hard": 20}
    counts = Counter((one.family, one.split) for one in ALL)
    assert min(counts[family, split] for family in FAMILIES for split in SPLITS) >= 3


def test_no_world_stands_twice_or_in_two_splits() -> None:
    assert len({one.id for one in ALL}) == len(ALL)
    assert len({one.task for one in ALL}) == len(ALL)
    assert len({one.home for one in ALL}) == len(ALL)


def test_worlds_differ_when_names_and_numbers_are_taken_out() -> None:
    assert len({shape(one) for one in ALL}) / len(ALL) >= 0.95


def test_worlds_differ_by_what_they_are_about() -> None:
    # Two worlds count as the same where they share more than half of their words.
    said = [words(one) for one in ALL]
    same = {
        k
        for i, j in combinations(range(len(said)), 2)
        if len(said[i] & said[j]) > 0.5 * len(said[i] | said[j])
        for k in (i, j)
    }
    assert len(same) / len(said) <= 0.05


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
def test_every_world_can_be_done_and_is_not_done_before(one: World) -> None:
    assert share(one, State(one.layout)) == 0.0
    assert 5 <= errand(one) <= TURNS // 2 + 1


def test_hard_worlds_have_more_rooms_and_longer_errands() -> None:
    rooms = {split: [len(one.layout.rooms) for one in ALL if one.split == split] for split in SPLITS}
    steps = {split: [errand(one) for one in ALL if one.split == split] for split in SPLITS}
    assert min(rooms["hard"]) >= 5 > max(rooms["train"])
    assert sum(steps["hard"]) / 20 > 1.4 * sum(steps["train"]) / 60


def test_hidden_places_and_distractors_are_everywhere() -> None:
    for one in ALL:
        home = one.layout
        assert sum(place.closes for place in home.places) >= 1, one.id
        assert sum(thing.kind != one.thing for thing in home.things) >= 5, one.id
    hidden = [
        all(one.layout.places[t.place].closes for t in one.layout.things if t.kind == one.thing)
        for one in ALL
    ]
    assert 0.4 <= sum(hidden) / len(hidden) <= 0.75


def test_a_split_a_family_and_names_choose() -> None:
    assert {one.split for one in choose(ALL, "hard")} == {"hard"}
    assert {one.family for one in choose(ALL, "train", ["cool", "two"])} == {"cool", "two"}
    assert [one.id for one in choose(ALL, "train", (), ["puffy-eyes", "fever"])] == ["puffy-eyes", "fever"]


def test_what_does_not_exist_is_named() -> None:
    with pytest.raises(RequestError, match="unknown world 'fevr': did you mean 'fever'"):
        choose(ALL, "train", (), ["fevr"])
    with pytest.raises(RequestError, match="no world is left of split 'train' and families"):
        choose([PLACE], "train", ["heat"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"thing": "book", "family": "two", "task": "book bench"}, "too few 'book' in the home"),
        ({"thing": "desk lamp", "task": "desk lamp bench"}, "is a light and cannot be carried"),
        ({"family": "examine", "home": HOME[:2], "thing": "key"}, "there is no light"),
        ({"place": "sofa"}, "there is no 'sofa' to put anything"),
        ({"place": "desk"}, "a 'book' is in a 'desk' already"),
        ({"family": "cool", "home": [HOME[0].replace("fridge", "crate"), *HOME[1:]]}, "nothing to cool"),
        ({"task": "Do it."}, "the task does not name the 'book'"),
        ({"home": ["kitchen"]}, "does not begin with the name of a new room"),
        ({"colour": "red"}, "Extra inputs are not permitted"),
    ],
)
def test_a_broken_world_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        World.model_validate({**PLACE.model_dump(), **changes})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[world", "'mine.toml' is no list of worlds"),
        ("other = 1", "'mine.toml' is no list of worlds"),
        ('[[world]]\nid = "x"\nfamily = "plac"', "'mine.toml': world 'x': family"),
        ("world = [1]", "'mine.toml': world 1"),
    ],
)
def test_a_broken_file_is_named(text: str, message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        read_worlds(text, "mine.toml")


def test_worlds_are_read_from_toml() -> None:
    text = '[[world]]\nid = "x"\nfamily = "place"\ntask = "hat to the desk"\nthing = "hat"\nplace = "desk"\n'
    (one,) = read_worlds(f"{text}home = {list(HOME)}", "mine.toml")
    assert one == world("place", "hat", "desk", id="x", task="hat to the desk")
