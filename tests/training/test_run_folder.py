"""A folder belongs to one command: a run and an ablation of the same recipe never share it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.training.ablations.run import ablate
from equipoise.training.pipeline import run_recipe
from equipoise.training.run_folder import open_run
from tests.training.recipes import write

TABLE = 'name = "t"\nmodel = "table"\n[games.kuhn.train.full]\ngradient = "exact"\nsteps = 2\n'


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


def test_a_run_and_an_ablation_refuse_each_others_folder(tmp_path: Path) -> None:
    recipe, out = write(tmp_path, TABLE), [f"out={tmp_path / 'run'}"]
    run_recipe(recipe, out, stages=("sepo",))
    with pytest.raises(RequestError, match="was made by `equipoise run`: choose another out=DIR"):
        ablate(recipe, out, rows=["no_exploit"], seeds=1)
    other = [f"out={tmp_path / 'ablation'}"]
    ablate(recipe, other, rows=["no_exploit"], seeds=1)
    with pytest.raises(RequestError, match="was made by `equipoise ablate`: choose another out=DIR"):
        run_recipe(recipe, other, stages=("sepo",))
    # Each goes on in its own.
    run_recipe(recipe, out, stages=("sepo",))
    ablate(recipe, other, rows=["no_exploit"], seeds=1)


@pytest.mark.parametrize("command", ["run", "ablate"])
def test_folders_of_earlier_versions_are_told_by_what_is_in_them(tmp_path: Path, command: str) -> None:
    open_run(tmp_path / "run", {"name": "t"}, command)
    said = tmp_path / "run" / "provenance.json"
    assert json.loads(said.read_text(encoding="utf-8"))["command"] == command
    said.unlink()
    place = tmp_path / "run" / "kuhn" / ("seed0/full" if command == "ablate" else "full") / "train"
    place.mkdir(parents=True)
    open_run(tmp_path / "run", {"name": "t"}, command)
    said.write_text("no JSON", encoding="utf-8")
    other = {"run": "ablate", "ablate": "run"}[command]
    with pytest.raises(RequestError, match=f"was made by `equipoise {command}`"):
        open_run(tmp_path / "run", {"name": "t"}, other)
