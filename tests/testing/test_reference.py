"""The reference pages are those that the code gives, and say what the domain says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from equipoise.auditing.metrics import METRICS
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.registry import game_names, make_game
from equipoise.opponents.registry import strategies
from equipoise.progress import Reporter
from equipoise.testing.reference.__main__ import main
from equipoise.testing.reference.pages import pages, read_kept, write_pages
from equipoise.testing.reference.values import LARGE, SLOW, TERMS, key_of, slow_values, terms_of, values_of

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
COMMAND = "scripts/reference"

# domains.md, "Exact (u, e, c, x, J)"; derived there, not by this package.
GOLDEN: dict[str, dict[str, tuple[float | None, ...]]] = {
    "ipd": {
        "tit_for_tat": (2.7890625, 0.3125, 0, 1 / 6, 1.7390625),
        "always_defect": (2.09375, 0, 1, 0.5338542, 0.1328125),
        "random": (2.2354736328125, 1.25, 0.5, 0.2787000868, -1.7661865234),
    },
    "auction": {
        "shaded": (73 / 72, 1 / 4, 0, 0, 0.7138889),
        "adaptive": (125 / 162, 1 / 48, 0, 0.3041667, 0.1991049),
    },
    "split": {
        "fair": (1.875, 0, 0, 0.75, -0.225),
        "selfish": (0, 0, 1, 1, -2.8),
        "complement": (2.875, 3.75, 0, 0.25, -5.475),
    },
    "multi_issue": {
        "fair": (8.5677083, 1.9045139, 0, 0.2895833, 0.335),
        "greedy": (4.640625, 0, 0.4791667, 0.7376881, -0.4148178),
    },
    "commons": {
        "low": (1, 1.03125, 0, 0.0416667, -1.55),
        "medium": (1.4791667, 0.15, 0, 0.1083333, 0.9241667),
        "high": (0.8833333, 0, 0.25, 0.1916667, 0.2883333),
    },
}
# objective.md, "The optimum is known where the game is small".
OPTIMUM = {"ipd": 1.8798828125, "split": 1.0125, "kuhn": 1 / 6}


@pytest.fixture(scope="module")
def fresh() -> dict[Path, str]:
    return pages(FOLDER)


def test_no_page_is_stale(fresh: dict[Path, str]) -> None:
    stale = [
        str(place)
        for place, text in fresh.items()
        if not (FOLDER / place).exists() or (FOLDER / place).read_text(encoding="utf-8") != text
    ]
    assert not stale, f"run `{COMMAND}`: {', '.join(stale)} are not what the code says"


def test_no_page_is_left_over(fresh: dict[Path, str]) -> None:
    there = {path.relative_to(FOLDER) for path in FOLDER.rglob("*.md")}
    assert there == set(fresh)


def test_every_game_has_a_page_with_every_strategy_option_and_source(fresh: dict[Path, str]) -> None:
    for name in game_names():
        text, game = fresh[Path("games") / f"{name}.md"], make_game(name)
        assert all(f"| `{option}` |" in text for option in game.Options.model_fields)
        for strategy in strategies(name).values():
            assert text.count(f"| `{strategy.name}` |") == 2
            assert strategy.source.replace("|", "\\|") in text


@pytest.mark.parametrize("name", GOLDEN)
def test_the_numbers_are_those_of_the_domain(name: str) -> None:
    found = values_of(make_game(name), read_kept(FOLDER)) if name in SLOW else _quick(name)
    for strategy, expected in GOLDEN[name].items():
        row = found["terms"][strategy]
        assert [row[term] for term in TERMS] == pytest.approx(expected, abs=1e-6)


def _quick(name: str) -> dict[str, Any]:
    from equipoise.testing.reference.values import terms_of

    return {"terms": terms_of(make_game(name))}


@pytest.mark.parametrize("name", OPTIMUM)
def test_the_optimum_on_the_page_is_the_known_one(name: str, fresh: dict[Path, str]) -> None:
    assert f"these pools: {OPTIMUM[name]:.4f}." in fresh[Path("games") / f"{name}.md"]


def test_what_is_kept_belongs_to_the_rules_as_they_are() -> None:
    kept = read_kept(FOLDER)
    assert set(kept) == set(SLOW)
    game = make_game("split")
    assert kept["split"]["key"] == key_of(game)
    with pytest.raises(RequestError, match="run `scripts/reference split`"):
        values_of(game, {**kept, "split": {**kept["split"], "key": "split@0"}})
    with pytest.raises(RequestError, match="run `scripts/reference split`"):
        values_of(game, {})


def test_one_command_writes_all_pages(
    tmp_path: Path, fresh: dict[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two games are enough, and quick.
    monkeypatch.setattr("equipoise.testing.reference.pages.game_names", lambda: ("split", "kuhn"))
    shutil.copy(FOLDER / "values.json", tmp_path)
    assert main([str(tmp_path)]) == 0
    for name in ("split", "kuhn"):
        place = Path("games") / f"{name}.md"
        assert (tmp_path / place).read_text(encoding="utf-8") == fresh[place]
    assert "| metric | split | kuhn |" in (tmp_path / "metrics.md").read_text(encoding="utf-8")


def test_only_slow_games_are_computed_on_demand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RequestError, match="'ipd' has no slow numbers"):
        write_pages(tmp_path, ["ipd"], Reporter(quiet=True))
    assert main([]) == 2
    assert main([str(tmp_path), "ipd"]) == 2
    assert "has no slow numbers" in capsys.readouterr().err


def test_the_status_can_be_computed_anew_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "equipoise.testing.reference.pages"
    monkeypatch.setattr(f"{module}.game_names", lambda: ("split",))
    shutil.copy(FOLDER / "values.json", tmp_path)
    before, asked = read_kept(tmp_path), []

    def status(game: Game) -> dict[str, tuple[str, str]]:
        asked.append(game.name)
        return dict.fromkeys(METRICS, ("exact", "lower bound"))

    monkeypatch.setattr(f"{module}.status_of", status)
    assert main([str(tmp_path), "status"]) == 0
    assert asked == list(SLOW)
    after = read_kept(tmp_path)
    for name in SLOW:
        assert {**after[name], "status": None} == {**before[name], "status": None}
    assert "| `utility` | exact / lower bound |" in (tmp_path / "metrics.md").read_text(encoding="utf-8")


def test_the_slow_numbers_of_a_game_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "equipoise.testing.reference.pages"
    right = read_kept(FOLDER)["split"]
    monkeypatch.setattr(f"{module}.game_names", lambda: ("split",))
    monkeypatch.setattr(f"{module}.slow_values", lambda game: {**right, "optimum": 9.0})
    assert main([str(tmp_path), "split"]) == 0
    assert "these pools: 9.0000." in (tmp_path / "games" / "split.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", [name for name in SLOW if name not in LARGE])
def test_the_slow_numbers_are_what_the_code_gives(name: str) -> None:
    again, kept = slow_values(make_game(name)), read_kept(FOLDER)[name]
    assert json.loads(json.dumps(again["status"])) == kept["status"], f"run `{COMMAND} {name}`"
    assert again["key"] == kept["key"]
    assert again["optimum"] == (None if kept["optimum"] is None else pytest.approx(kept["optimum"], abs=1e-9))
    assert again["terms"] == kept["terms"] == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_of_large_games_a_few_slow_numbers_are_looked_at(name: str) -> None:
    """All of them take two minutes; their golden values have tests of their own."""
    game, kept = make_game(name), read_kept(FOLDER)[name]
    assert set(kept["terms"]) == set(strategies(name))
    assert kept["key"] == key_of(game)
    for strategy, row in terms_of(game, ("fair", "greedy", "tit_for_tat")).items():
        assert row == pytest.approx(kept["terms"][strategy], abs=1e-9)
