"""Running ablations: what is trained on, what is judged, and what is not done twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import equipoise.training.ablations.run as run
from equipoise.errors import RequestError
from equipoise.training.ablations.run import ablate
from tests.training.recipes import SMALL, write

TABLE = """
name = "mine"
model = "table"
games.kuhn.sft = {episodes = 40}
games.kuhn.train.full = {steps = 2, lr = 0.5, deals = 1, rollouts = 3, kl = 0.0, select_every = 2}
games.ipd.options.rounds = 2
games.ipd.abstraction = "recent"
games.ipd.train.full = {steps = 2, lr = 0.5, deals = 1, rollouts = 3, kl = 0.0, select_every = 2}
"""


TIMED = ("metrics.jsonl", "provenance.json")
"""Files that hold times."""


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name not in TIMED and "tensorboard" not in file.parts
    }


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Note every training that is begun."""
    real, calls = run.train_sepo, []

    def train(recipe: Any, game: Any, settings: Any, config: Any, place: Path, *rest: Any) -> Any:
        calls.append((f"{game.name}/{place.name}", recipe.seed))
        return real(recipe, game, settings, config, place, *rest)

    monkeypatch.setattr(run, "train_sepo", train)
    return calls


def test_rows_games_and_seeds_are_done_once_and_more_of_them_later(
    tmp_path: Path, trained: list[tuple[str, int]]
) -> None:
    recipe, out = write(tmp_path, TABLE), f"out={tmp_path / 'run'}"
    first = ablate(recipe, [out], rows=["no_exploit"], games=["kuhn"], seeds=2)
    assert [(row.game, row.row, row.seeds) for row in first.rows] == [
        ("kuhn", "full", (0, 1)),
        ("kuhn", "no_exploit", (0, 1)),
    ]
    assert trained == [("kuhn/full", 0), ("kuhn/full", 1), ("kuhn/no_exploit", 0), ("kuhn/no_exploit", 1)]
    before = files(tmp_path / "run")
    trained.clear()
    again = ablate(recipe, [out], rows=["no_exploit"], games=["kuhn"], seeds=2)
    assert trained == []
    assert again.to_json() == first.to_json()
    assert files(tmp_path / "run") == before
    ablate(recipe, [out], rows=["no_exploit", "sft_only"], seeds=2)
    assert trained == [("ipd/full", 0), ("ipd/full", 1), ("ipd/no_exploit", 0), ("ipd/no_exploit", 1)]


def test_an_interrupted_row_goes_on_and_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = write(tmp_path, TABLE)
    whole = ablate(recipe, [f"out={tmp_path / 'a'}"], rows=["shared"], games=["kuhn"], seeds=2)
    audits: list[str] = []
    real = run.audit_game

    def audit(game: Any, policy: Any, config: Any, reporter: Any, name: str, *rest: Any) -> Any:
        audits.append(name)
        if len(audits) == 3:
            raise KeyboardInterrupt
        return real(game, policy, config, reporter, name, *rest)

    monkeypatch.setattr(run, "audit_game", audit)
    with pytest.raises(KeyboardInterrupt):
        ablate(recipe, [f"out={tmp_path / 'b'}"], rows=["shared"], games=["kuhn"], seeds=2)
    found = ablate(recipe, [f"out={tmp_path / 'b'}"], rows=["shared"], games=["kuhn"], seeds=2)
    assert audits == ["full/seed0", "full/seed1", "shared/seed0", "shared/seed0", "shared/seed1"]
    assert found.to_json() == whole.to_json()
    same = files(tmp_path / "a"), files(tmp_path / "b")
    assert same[0] == same[1]


def test_rows_train_on_their_own_weights_and_are_judged_with_the_games(tmp_path: Path) -> None:
    ablate(write(tmp_path, TABLE), [f"out={tmp_path / 'run'}"], rows=["reward_only"], games=["ipd"], seeds=1)
    place = tmp_path / "run" / "ipd" / "seed0" / "reward_only"
    assert json.loads((place / "train" / "request.json").read_text(encoding="utf-8"))["weights"] == [0, 0, 0]
    judged = json.loads((place / "result.json").read_text(encoding="utf-8"))["weights"]
    assert (judged["e"], judged["c"], judged["x"]) == (2.4, 1.0, 1.8)


def test_all_rows_in_small_games_and_why_some_do_not_apply(tmp_path: Path) -> None:
    found = ablate(write(tmp_path, TABLE), [f"out={tmp_path / 'run'}", "games.ipd.options.rounds=1"], seeds=1)
    reasons = {(row.game, row.row): row.reason for row in found.rows if row.reason is not None}
    assert reasons == {
        ("kuhn", "no_collusion"): "λc is 0 here",
        ("kuhn", "no_externality"): "λx is 0 here",
        ("ipd", "sft_only"): "the recipe has no warm start",
        **{
            (game, row): "it is what the full method does"
            for game in ("kuhn", "ipd")
            for row in ("scale_rms", "sampled")
        },
        **{
            (game, "league"): (
                "league.every = 10 changes nothing in 2 steps, no copy is met: use a smaller one"
            )
            for game in ("kuhn", "ipd")
        },
    }
    values = {row.row: row.metrics["safety"] for row in found.rows if row.game == "kuhn" and row.metrics}
    assert all(values.values())
    assert len(values) == 15


def test_a_game_too_large_for_a_row_says_so_and_other_rows_go_on(tmp_path: Path) -> None:
    text = TABLE.replace('games.ipd.options.rounds = 2\ngames.ipd.abstraction = "recent"', "").replace(
        "games.ipd.train.full",
        'games.auction.abstraction = "bids"\ngames.auction.options.rounds = 4\ngames.auction.train.full',
    )
    recipe = write(tmp_path, text.replace("select_every = 2", "select_every = 2, select_episodes = 1"))
    found = ablate(
        recipe, [f"out={tmp_path / 'run'}", "audit.episodes=2"], ["exact", "no_exploit"], ["auction"], 1
    )
    assert "auction is too large to be computed exactly" in str(found["auction", "exact"].reason)
    assert found["auction", "no_exploit"].reason is None


def test_a_language_model_goes_the_same_way_from_one_warm_start_a_seed(tmp_path: Path) -> None:
    found = ablate(write(tmp_path, SMALL), [f"out={tmp_path / 'run'}", "seed=3"], ["shared"], seeds=1)
    assert [(row.row, row.seeds) for row in found.rows] == [
        ("full", (3,)),
        ("shared", (3,)),
    ]
    place = tmp_path / "run" / "ipd" / "seed3"
    starts = [
        json.loads((place / row / "train" / "request.json").read_text(encoding="utf-8"))["origin"]
        for row in ("full", "shared")
    ]
    assert starts[0] == starts[1]
    assert [file.parent.parent.name for file in (tmp_path / "run").rglob("sft/train/done")] == ["sft"]


class TestRequests:
    def refused(self, tmp_path: Path, *overrides: str, **asked: Any) -> str:
        with pytest.raises(RequestError) as caught:
            ablate(write(tmp_path, TABLE), [f"out={tmp_path / 'run'}", *overrides], **asked)
        return str(caught.value)

    def test_an_unknown_row_or_game(self, tmp_path: Path) -> None:
        assert "unknown row 'shard': did you mean 'shared'" in self.refused(tmp_path, rows=["shard"])
        assert "unknown game of the recipe 'kun': did you mean 'kuhn'" in self.refused(
            tmp_path, games=["kun"]
        )
        assert not (tmp_path / "run").exists()

    def test_the_full_method_must_be_possible(self, tmp_path: Path) -> None:
        said = self.refused(
            tmp_path, "games.kuhn.train.full.exploiters=none", "games.kuhn.train.full.penalised=regret"
        )
        assert "penalised = 'regret'" in said

    def test_a_folder_of_something_else(self, tmp_path: Path) -> None:
        ablate(write(tmp_path, TABLE), [f"out={tmp_path / 'run'}"], ["sft_only"], ["kuhn"], 1)
        assert "was made with another" in self.refused(tmp_path, "audit.episodes=7")
