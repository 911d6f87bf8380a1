"""The README.md of a data set: `datasets` finds the files by it, and people what is in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.games.registry import make_game
from equipoise.training.data import Shares
from equipoise.training.datapage import page
from equipoise.training.dataset import DataRequest, write_folder

datasets = pytest.importorskip("datasets")
GAMES = ("ipd", "kuhn", "multi_issue")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    out = tmp_path_factory.mktemp("data") / "set"
    request = DataRequest("balanced", 40, shares=Shares(0.2, 0.2), reasons=True)
    return out, write_folder(
        [make_game(name) for name in GAMES], request, out, "datasets", left_out=["split"]
    )


@pytest.mark.parametrize("name", GAMES)
def test_datasets_loads_every_game_as_a_configuration(
    name: str, made: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    out, card = made
    loaded = datasets.load_dataset(str(out), name, cache_dir=str(tmp_path))
    assert set(loaded) == {"train", "validation", "test"}
    for split, rows in loaded.items():
        written = (out / name / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
        assert list(rows) == [json.loads(line) for line in written]
        assert len(rows) == card["games"][name]["splits"][split]["examples"]
    assert loaded["train"][0]["completion"][0]["role"] == "assistant"


def test_datasets_lists_the_configurations(made: tuple[Path, dict[str, Any]]) -> None:
    assert datasets.get_dataset_config_names(str(made[0])) == list(GAMES)


def test_the_page_says_what_the_card_says(made: tuple[Path, dict[str, Any]]) -> None:
    out, card = made
    text = (out / "README.md").read_text(encoding="utf-8")
    assert text == page(card)
    assert "license: apache-2.0" in text
    assert f"    {card['command']}\n" in text
    assert "Left out, as the recipe has no teachers for it: split." in text
    for name, game in card["games"].items():
        splits = [game["splits"][split]["examples"] for split in ("train", "validation", "test")]
        counts = [game["episodes"], game["examples"], *splits, game["duplicates"]["distinct_examples"]]
        assert f"| {name} | {' | '.join(map(str, counts))} | {', '.join(game['files'])} |" in text
        for teacher, one in game["teachers"].items():
            assert f"| {teacher} | {one['weight']:.4g} | {one['episodes']} | {one['examples']} |" in text
        for opponent, one in game["opponents"].items():
            assert f"| {opponent} | {one['episodes']} | {one['examples']} |" in text
        for opponent in game["held_out_opponents"]:
            assert opponent in text
    for limit in card["limits"]:
        assert f"- {limit}" in text
    assert any("Reasons are sentences" in limit for limit in card["limits"])


def test_only_files_that_are_there_are_named(tmp_path: Path) -> None:
    out = tmp_path / "set"
    write_folder([make_game("split")], DataRequest("paper", 4, shares=Shares(0.0)), out, "datasets")
    text = (out / "README.md").read_text(encoding="utf-8")
    assert "split: train" in text
    assert "split: validation" not in text
    loaded = datasets.load_dataset(str(out), "split", cache_dir=str(tmp_path / "cache"))
    assert {name: len(rows) for name, rows in loaded.items()} == {"train": 16}


def test_the_plain_layout_declares_no_configurations(tmp_path: Path) -> None:
    write_folder([make_game("split")], DataRequest("paper", 4, shares=Shares(0.0)), tmp_path / "set")
    assert "configs:" not in (tmp_path / "set" / "README.md").read_text(encoding="utf-8")


def test_names_cannot_break_a_table(made: tuple[Path, dict[str, Any]]) -> None:
    card = json.loads(json.dumps(made[1]))
    game = card["games"]["ipd"]
    game["opponents"] = {"python:a|b.py:<i>x\ny": {"episodes": 1, "examples": 2}}
    assert "| python:a\\|b.py:&lt;i>x y | 1 | 2 |" in page(card)
