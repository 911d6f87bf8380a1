"""Families of games: names with a prefix that another room makes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.games import families
from equipoise.games.base import Game
from equipoise.games.families import Family, family_of, register_family
from equipoise.games.ipd import PrisonersDilemma
from equipoise.games.registry import game_names, make_game
from equipoise.prompts.ipd import PrisonersDilemmaPrompts
from equipoise.prompts.registry import get_renderer


class Theirs(PrisonersDilemma):
    """A game of a family; its name has no words of its own."""

    name = "theirs:eight"


def make(name: str, options: Mapping[str, Any]) -> Game:
    """Return the game with as many rounds as the name says."""
    return Theirs.create(rounds=int(name), **options)


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "_FAMILIES", dict(families._FAMILIES))
    register_family("theirs", Family(make=f"{__name__}:make", renderer=f"{__name__}:PrisonersDilemmaPrompts"))


@pytest.mark.usefixtures("theirs")
def test_a_family_gets_the_rest_of_the_name_and_the_options() -> None:
    game = make_game("theirs:3", noise=0.25)
    assert isinstance(game, Theirs)
    assert (game.options.rounds, game.options.noise) == (3, 0.25)


@pytest.mark.usefixtures("theirs")
def test_a_family_has_words_for_all_its_games() -> None:
    assert isinstance(get_renderer("theirs:whatever"), PrisonersDilemmaPrompts)


@pytest.mark.usefixtures("theirs")
def test_only_the_prefix_with_its_colon_belongs_to_a_family() -> None:
    found = family_of("theirs:a:b")
    assert found is not None
    assert found[1] == "a:b"
    assert family_of("theirs") is None
    assert family_of("others:a") is None
    with pytest.raises(RequestError, match="unknown game 'theirs'"):
        make_game("theirs")
    with pytest.raises(RequestError, match="unknown game 'others:a'"):
        make_game("others:a")
    with pytest.raises(RequestError, match="unknown prompt renderer for game 'others:a'"):
        get_renderer("others:a")


def test_families_are_not_listed_among_the_games() -> None:
    assert not [name for name in game_names() if ":" in name]


def test_the_families_of_the_package_are_known_whatever_part_of_it_is_used() -> None:
    code = (
        "import sys; from equipoise.games.families import family_of; "
        "print(family_of('openspiel:kuhn_poker')[1], 'pyspiel' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["kuhn_poker", "False"]
