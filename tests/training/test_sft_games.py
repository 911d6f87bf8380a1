"""The warm start in the games beyond the quickstart's: any recipe of teachers, checked before any work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.training.config import LoraSettings, SftConfig
from equipoise.training.data import make_examples
from equipoise.training.lora import adapted_policy
from equipoise.training.pipeline import run_recipe
from equipoise.training.sft import Sft

SMALL = "episodes = 12, validation = 0.25, steps = 2, batch = 8, select_every = 1, select_episodes = 1"


def recipe(folder: Path, games: str) -> str:
    file = folder / "one.toml"
    file.write_text(
        f'name = "one"\nmodel = "tiny-random"\nthreads = 1\nlora.rank = 4\n{games}', encoding="utf-8"
    )
    return str(file)


class Stopped(BaseException):
    """Stands for a process that ends here."""


def test_recipes_warm_up_in_new_games_and_go_on_where_they_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = (
        f'games.split.sft = {{recipe = "balanced", {SMALL}}}\n'
        f'games.commons = {{options.rounds = 3, sft = {{recipe = "balanced", {SMALL}}}}}\n'
    )
    one = recipe(tmp_path, games)
    run_recipe(one, [f"out={tmp_path / 'whole'}"], ("sft",))
    real, steps = Sft._step, []

    def stop(self: Sft, step: int) -> Any:
        if self.game.name == "commons" and step == 1:
            raise Stopped
        return real(self, step)

    with monkeypatch.context() as patched:
        patched.setattr(Sft, "_step", stop)
        with pytest.raises(Stopped):
            run_recipe(one, [f"out={tmp_path / 'cut'}"], ("sft",))

    def watch(self: Sft, step: int) -> Any:
        steps.append((self.game.name, step))
        return real(self, step)

    monkeypatch.setattr(Sft, "_step", watch)
    run_recipe(one, [f"out={tmp_path / 'cut'}"], ("sft",))
    assert steps == [("commons", 1)]
    name = "sft/train/best/adapter_model.safetensors"
    for game in ("split", "commons"):
        whole, cut = ((tmp_path / place / game / name).read_bytes() for place in ("whole", "cut"))
        assert whole == cut
    kept = json.loads((tmp_path / "whole" / "recipe.json").read_text(encoding="utf-8"))
    assert kept["games"]["split"]["sft"]["recipe"] == "balanced"


@pytest.mark.parametrize("name", ["auction", "multi_issue"])
def test_answers_are_the_moves_of_the_recipe_without_reasons(name: str) -> None:
    game = make_game(name, rounds=2)
    policy = adapted_policy("tiny-random", LoraSettings(rank=4), 0, "sft", quiet=True)
    config = SftConfig(recipe="balanced", episodes=10, steps=1, batch=8, select_episodes=1, select_every=9)
    pools = default_pools(name)
    one = Sft(game, Objective.of(game.info_record, pools), policy, config)
    expected = make_examples(game, "balanced", 10, 0, pools=pools)
    assert [(e.teacher, e.opponent, e.action) for e in one.examples] == [
        (e.teacher, e.opponent, e.action) for e in expected
    ]
    words = {word for _, word in one._answers(one.examples)}
    assert words <= {
        " ".join(map(str, e.action)) if isinstance(e.action, tuple) else e.action for e in expected
    }


def test_the_pools_of_a_recipe_are_those_that_balanced_meets(tmp_path: Path) -> None:
    pools = default_pools("split").replace(
        {"train": ["concede"], "exploiter": ["selfish"], "shift": ["hardball"]}
    )
    met = {e.opponent for e in make_examples(make_game("split"), "balanced", 60, 0, pools=pools)}
    assert met == {"concede", "selfish", "fair"}


@pytest.mark.parametrize(
    ("games", "message"),
    [
        ("games.commons.sft = {}", "commons is not a game of the paper: use the recipe balanced"),
        ('games.split.sft = {recipe = "ballanced"}', "games.split.sft.recipe = 'ballanced'"),
        (
            "games.kuhn.sft = {}\n"
            'games.ipd = {sft = {}, pools.shift = ["always_defect"], pools.exploiter = []}',
            "'always_defect' is in the shift pool: it must not appear in training data",
        ),
    ],
)
def test_a_warm_start_without_teachers_is_refused_before_any_work(
    games: str, message: str, tmp_path: Path
) -> None:
    one = recipe(tmp_path, games)
    with pytest.raises(RequestError, match=message):
        run_recipe(one, [f"out={tmp_path / 'run'}"])
    assert not (tmp_path / "run").exists()


def test_a_tables_teachers_are_checked_too(tmp_path: Path) -> None:
    one = recipe(tmp_path, "games.commons = {options.rounds = 1, sft = {}}")
    with pytest.raises(RequestError, match="commons is not a game of the paper: use the recipe balanced"):
        run_recipe(one, [f"out={tmp_path / 'run'}", "model=table"], ("sft",))
    assert not (tmp_path / "run").exists()
