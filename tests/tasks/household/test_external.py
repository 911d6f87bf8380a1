"""Games from outside: a game that TextWorld compiled, and what is said where something is missing."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.tasks.household import external
from equipoise.tasks.household.actors import ACTORS
from equipoise.tasks.household.external import find_games, plain
from equipoise.tasks.household.task import Household
from tests.tasks.household.build import Coached, errands


class Fake:
    """Stands for textworld: a game that is won by one word."""

    EnvInfos = dict

    def __init__(self, opening: str = "Hello.\n\nYour task is to: say please.") -> None:
        self.opening, self.typed, self.closed = opening, list[str](), False
        self._entity_infos = {
            name: SimpleNamespace(id=name, name=name)
            for name in ("mug_bar_2", "mug_bar_1", "sink_bar_1_sinkbasin", "agent")
        }

    def start(self, path: str, wishes: Any) -> Fake:
        return self

    def reset(self) -> dict[str, Any]:
        return {
            "feedback": self.opening,
            "score": 0,
            "max_score": 2,
            "admissible_commands": ["please", "look"],
        }

    def step(self, command: str) -> tuple[dict[str, Any], int, bool]:
        self.typed.append(command)
        won = command == "please"
        state = {"feedback": f"You say {command}.", "won": won, "score": 2 if won else 1, "max_score": 2}
        return state, 0, won

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    made = Fake()
    monkeypatch.setattr(external, "import_module", lambda name: made)
    return made


def alfworld(folder: Path) -> Path:
    (folder / "trial").mkdir()
    path = folder / "trial" / "game.tw-pddl"
    path.write_text("{}")
    notes = {"turk_annotations": {"anns": [{"task_desc": "Say please\n to  her."}]}}
    (path.parent / "traj_data.json").write_text(json.dumps(notes))
    return path


def test_game_files_are_found_in_folders(tmp_path: Path) -> None:
    one = alfworld(tmp_path)
    other = tmp_path / "a.z8"
    other.touch()
    assert find_games(tmp_path) == (other, one)
    assert find_games(one) == (one,)
    with pytest.raises(RequestError, match="no game files there"):
        find_games(tmp_path / "nowhere")


def test_a_game_is_played_to_its_own_verdict(fake: Fake, tmp_path: Path) -> None:
    alfworld(tmp_path)
    episode = Household.create(games=str(tmp_path)).start(0, lambda r, p: 0.5)
    view = episode.view(0)
    assert (view.goal, view.options) == ("say please.", ("please", "look"))
    for text in ("", "hm", "quit", "save\nfile", "x" * 500, " please "):
        episode.apply({0: text})
    assert fake.typed == ["hm", "x" * 200, "please"]
    assert fake.closed
    assert episode.notes["ended"] == "done"
    assert episode.notes["achievable"] == [[0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0]]
    assert episode.outcomes[0].payoffs == (1.0,)
    assert episode.outcomes[0].diagnostics == ((1.0,), (6 / 40,), (3 / 6,))
    assert episode.notes["cut"] == [4]


def test_alfworlds_names_are_a_kind_and_a_number(fake: Fake, tmp_path: Path) -> None:
    Household.create(games=str(alfworld(tmp_path))).start(0, lambda r, p: 0.5)
    names = {one.id: one.name for one in fake._entity_infos.values()}
    # The last of a kind gets number 1, as ALFWorld's own wrapper has it.
    assert names == {
        "mug_bar_1": "mug 2", "mug_bar_2": "mug 1", "sink_bar_1_sinkbasin": "sinkbasin 1", "agent": "agent",
    }  # fmt: skip


def test_alfworlds_description_is_the_goal_where_the_game_names_none(fake: Fake, tmp_path: Path) -> None:
    path = alfworld(tmp_path)
    fake.opening = "Hello. Your task is to: UNKNOWN GOAL"
    assert Household.create(games=str(path)).start(0, lambda r, p: 0.5).view(0).goal == "Say please to her."
    (path.parent / "traj_data.json").write_text("{}")
    with pytest.raises(RequestError, match="is no description of an ALFWorld game"):
        Household.create(games=str(path)).start(0, lambda r, p: 0.5)


def test_scripted_actors_take_one_of_the_options_there(fake: Fake, tmp_path: Path) -> None:
    alfworld(tmp_path)
    # Not even the name of a world makes a game from outside one of the package's.
    (tmp_path / "trial").rename(tmp_path / "fever")
    task = Household.create(games=str(tmp_path))
    for actor in ACTORS.values():
        (episode,) = errands(task, Coached(actor), 1)
        assert {turn.action for turn in episode.turns} <= {"please", "look"}


def test_banners_prompts_and_status_lines_are_taken_out() -> None:
    text = "\n\n   ____ $$\\ TextWorld\n$$$$ | ab\nHello  you.\n\n>  -= Kitchen =-0/2\n  ***\nGo on.\n"
    assert plain(text) == "Hello you. Go on."


def test_without_textworld_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(external, "import_module", missing)
    with pytest.raises(RequestError, match=r"pip install 'equipoise\[envs\]'"):
        Household.create(games=str(alfworld(tmp_path))).start(0, lambda r, p: 0.5)


def test_a_file_that_is_no_game_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Broken(Fake):
        def start(self, path: str, wishes: Any) -> Fake:
            raise self.error

    broken = Broken()
    monkeypatch.setattr(external, "import_module", lambda name: broken)
    path = alfworld(tmp_path)
    broken.error = ValueError("bad\nheader")  # type: ignore[attr-defined]
    with pytest.raises(RequestError, match=r"'game.tw-pddl' is no game .*: bad header"):
        Household.create(games=str(path)).start(0, lambda r, p: 0.5)
    broken.error = ImportError("needs fast_downward")  # type: ignore[attr-defined]
    with pytest.raises(RequestError, match="needs more than textworld: needs fast_downward"):
        Household.create(games=str(path)).start(0, lambda r, p: 0.5)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return a game that TextWorld made and compiled, and its walkthrough."""
    pytest.importorskip("textworld")
    textworld = importlib.import_module("textworld")
    options = textworld.GameOptions()
    options.seeds, options.nb_rooms, options.nb_objects, options.chaining.max_depth = 7, 2, 4, 2
    options.path = str(tmp_path_factory.mktemp("games") / "small.z8")
    path, game = textworld.make(options)
    return Path(path), list(game.metadata["walkthrough"])


@pytest.mark.slow
def test_a_game_that_textworld_compiled_is_won_by_its_walkthrough(compiled: tuple[Path, list[str]]) -> None:
    path, walkthrough = compiled
    episode = Household.create(games=str(path.parent)).start(0, lambda r, p: 0.5)
    view = episode.view(0)
    assert walkthrough[0] in view.options
    assert "$" not in view.setting
    for command in walkthrough:
        episode.apply({0: command})
    assert episode.outcomes[0].payoffs == (1.0,)
    assert episode.notes["ended"] == "done"
