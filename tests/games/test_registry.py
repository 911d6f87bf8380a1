"""Games by name, and errors that name the way out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from equipoise.errors import EquipoiseError, RequestError, nearest, unknown
from equipoise.games import registry
from equipoise.games.base import Game
from equipoise.games.ipd import PrisonersDilemma
from equipoise.games.registry import game_names, make_game, register_game


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))


class Other(PrisonersDilemma):
    """A game of somebody else."""

    name = "other"


def test_own_games_are_there() -> None:
    assert {"ipd", "kuhn"} <= set(game_names())


@pytest.mark.parametrize("name", game_names())
def test_a_game_is_made_by_its_name(name: str) -> None:
    game = make_game(name)
    assert (game.name, game.info_record.id) == (name, name)
    assert game.info_record.key == f"{name}@{game.info_record.version}"
    assert game.options.changed() == {}


def test_options_are_taken_and_only_changes_are_kept() -> None:
    game = make_game("ipd", rounds=3, noise=0.0)
    assert game.options.rounds == 3
    assert game.options.changed() == {"rounds": 3}


def test_an_unknown_game_is_answered_with_the_nearest() -> None:
    with pytest.raises(RequestError, match=r"unknown game 'khun': did you mean 'kuhn'\?"):
        make_game("khun")


def test_a_far_name_is_answered_with_all() -> None:
    with pytest.raises(RequestError, match=r"choose one of .*ipd.*kuhn"):
        make_game("zzzzzz")


def test_an_unknown_option_is_answered_with_the_nearest() -> None:
    with pytest.raises(RequestError, match=r"ipd: unknown option 'round': did you mean 'rounds'\?"):
        make_game("ipd", round=3)


def test_an_option_unlike_any_is_answered_with_all() -> None:
    with pytest.raises(RequestError, match=r"kuhn: unknown option 'zzz': options are rounds, memory"):
        make_game("kuhn", zzz=3)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ipd", {"rounds": 0}),
        ("ipd", {"rounds": 2.5}),
        ("ipd", {"noise": 0.5}),
        ("ipd", {"noise": -0.1}),
        ("ipd", {"noise": float("nan")}),
        ("ipd", {"continuation": 0.0}),
        ("ipd", {"continuation": 1.1}),
        ("ipd", {"reward": 6.0}),
        ("ipd", {"punishment": 0.0}),
        ("ipd", {"sucker": -1.0}),
        ("ipd", {"temptation": float("nan")}),
        ("kuhn", {"rounds": 0}),
        ("kuhn", {"memory": "perhaps"}),
        ("auction", {"rounds": 0}),
        ("split", {"rounds": 1001}),
        ("commons", {"rounds": 0}),
        ("multi_issue", {"rounds": 0}),
        ("multi_issue", {"valuation": "pool"}),
        ("multi_issue", {"pool": (0, 1, 1)}),
        ("multi_issue", {"pool": (5, 1, 1)}),
        ("multi_issue", {"pool": (1, 1)}),
        # Three times anything is never ten.
        ("multi_issue", {"pool": (3, 3, 3), "valuation": "pool10"}),
    ],
)
def test_an_option_out_of_range_is_a_wrong_request(name: str, options: dict[str, object]) -> None:
    with pytest.raises(RequestError, match=f"^{name}: ") as caught:
        make_game(name, **options)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", game_names())
def test_options_cannot_be_changed(name: str) -> None:
    with pytest.raises(ValueError, match="frozen"):
        make_game(name).options.rounds = 3


def test_a_game_can_be_registered_as_a_decorator() -> None:
    assert register_game(Other) is Other
    assert "other" in game_names()
    assert isinstance(make_game("other", rounds=2), Other)


def test_packages_offer_games_through_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    def entry_points(group: str) -> list[Any]:
        assert group == "equipoise.games"
        return [SimpleNamespace(name="theirs", load=lambda: Other)]

    monkeypatch.setattr(registry, "entry_points", entry_points)
    assert "theirs" in game_names()
    made: Game = make_game("theirs")
    assert isinstance(made, Other)


def test_errors_carry_their_exit_code() -> None:
    assert EquipoiseError("x").exit_code == 1
    assert RequestError("x").exit_code == 2
    assert isinstance(RequestError("x"), ValueError)


def test_nearest_is_none_where_nothing_is_near() -> None:
    assert nearest("tit_for_tatt", ["tit_for_tat", "pavlov"]) == "tit_for_tat"
    assert nearest("xyz", ["tit_for_tat", "pavlov"]) is None
    assert str(unknown("pool", "xyz", ["b", "a"])) == "unknown pool 'xyz': choose one of a, b"
