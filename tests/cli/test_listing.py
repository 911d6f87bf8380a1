"""``equipoise games``, ``opponents`` and ``models``."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.games.registry import game_names
from equipoise.opponents.registry import strategies
from equipoise.policies.local import fetch
from equipoise.policies.registry import KINDS
from tests.cli.conftest import Run


def test_every_game_is_listed(run: Run) -> None:
    done = run("games")
    assert done.code == 0
    assert all(f"│ {name} " in done.out for name in game_names())
    assert "e 2.4, c 1, x 1.8" in done.out
    rows = {row["id"]: row for row in run("games", "--json", "-").json["games"]}
    assert set(rows) == set(game_names())
    assert rows["kuhn"] == {
        "id": "kuhn",
        "version": 1,
        "title": "Kuhn poker",
        "rounds": 6,
        "seats": 2,
        "dynamics": "sequential",
        "zero_sum": True,
        "weights": {"e": 1.5, "c": 0.0, "x": 0.0},
    }


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_a_page(run: Run, name: str) -> None:
    done = run("games", name)
    assert done.code == 0
    assert f"({name}@" in done.out
    assert all(pool in done.out for pool in ("train", "exploiter", "collusive", "shift"))


def test_options_are_shown_with_defaults_and_ranges(run: Run) -> None:
    done = run("games", "ipd", "-o", "rounds=3", "--json", "-")
    (game,) = done.json["games"]
    assert game["rounds"] == 3
    options = {row["option"]: row for row in game["options"]}
    assert options["noise"] == {
        "option": "noise",
        "type": "float",
        "default": 0.0,
        "range": ">= 0, < 0.5",
        "meaning": "Probability that an executed action is the opposite of the chosen one",
    }
    assert (options["rounds"]["type"], options["rounds"]["range"]) == ("int", ">= 1, <= 1000")
    assert game["pools"]["collusive"] == ["always_cooperate"]
    assert all(row["meaning"] for row in options.values())


def test_a_game_of_ones_own_has_a_page(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.py"
    file.write_text(
        "from typing import Literal\n"
        "from equipoise.games.base import GameOptions\n"
        "from equipoise.games.kuhn import KuhnPoker\n"
        "class Bare(KuhnPoker):\n"
        "    class Options(GameOptions):\n"
        "        rounds: int = 2\n"
        "        memory: bool = False\n"
        "        deck: Literal['small', 'large'] = 'small'\n",
        encoding="utf-8",
    )
    done = run("games", f"python:{file}:Bare")
    assert done.code == 0
    assert "Literal['small', 'large']" in done.out


@pytest.mark.parametrize("name", game_names())
def test_every_opponent_is_listed(run: Run, name: str) -> None:
    done = run("opponents", name)
    assert done.code == 0
    assert all(f"│ {opponent} " in done.out for opponent in strategies(name))


def test_opponents_with_what_is_known_of_them(run: Run) -> None:
    done = run("opponents", "ipd", "--json", "-")
    rows = {row["name"]: row for row in done.json["opponents"]}
    assert rows["grim_trigger"]["memory"] is None
    assert rows["generous_tit_for_tat"]["stochastic"] is True
    assert rows["pavlov"]["pools"] == ["shift"]
    assert "Axelrod" in rows["tit_for_tat"]["source"]
    assert "unbounded" in run("opponents", "ipd").out
    assert {row["name"]: row for row in run("opponents", "kuhn", "--json", "-").json["opponents"]}["nash"][
        "pools"
    ] == ["train", "exploiter"]


def test_models_and_kinds_of_policies_are_listed(run: Run) -> None:
    done = run("models")
    assert done.code == 0
    assert all(kind in done.out for kind in KINDS)
    assert "tiny-random" in done.out
    data = run("models", "--json", "-").json
    assert data["schema"] == 1
    assert {row["name"] for row in data["models"]} == {"smollm2", "tiny-random"}
    assert set(data["policies"]) == set(KINDS)


def test_a_model_is_fetched(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[bool] = []

    def fake(quiet: bool = False) -> Path:
        asked.append(quiet)
        return tmp_path

    monkeypatch.setattr(fetch, "ensure_smollm2", fake)
    done = run("models", "fetch", "smollm2", "--quiet")
    assert (done.code, done.out, asked) == (0, f"{tmp_path}\n", [True])


def test_a_model_made_in_memory_needs_no_fetching(run: Run) -> None:
    done = run("models", "fetch", "tiny-random")
    assert done.code == 0
    assert "nothing to fetch" in done.out
